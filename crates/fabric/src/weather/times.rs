//! When an event begins, how long it lasts, and whether it comes again.

use serde::{Deserialize, Serialize};
use weft_plan::reading::{Quantity, Result, Section, Value};

/// On the clock of the weather, whose second is shorter than a second where its speed is above 1.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Times {
    /// When it begins for the first time; where the times are random, before when it does not.
    pub at_ns: u64,
    /// The shortest and the longest that it lasts; for ever where absent.
    pub for_ns: Option<[u64; 2]>,
    pub again: Again,
    /// Where chance is involved: the same seed gives the same times.
    pub seed: u32,
}

/// Whether an event comes again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Again {
    No,
    /// It begins each time so much later.
    Each {
        period_ns: u64,
    },
    /// The time from the end of one to the next is random, with this mean.
    Random {
        mean_ns: u64,
    },
}

/// Times that may be days.
const TIME: Quantity = Quantity {
    noun: "time",
    example: "10 s",
    smallest: "nanoseconds",
    units: &[
        ("ms", 1_000_000),
        ("s", 1_000_000_000),
        ("min", 60_000_000_000),
        ("h", 3_600_000_000_000),
        ("d", 86_400_000_000_000),
    ],
};

impl Times {
    /// Reads `at`, `for`, `repeat`, `mean_between` and `seed`.
    pub fn read(section: &Section<'_>) -> Result<Self> {
        let at_ns = section.quantity("at", &TIME, 0)?.unwrap_or(0);
        let for_ns = section.value("for", read_span)?;
        let period = section.quantity("repeat", &TIME, 1)?;
        let mean = section.quantity("mean_between", &TIME, 1)?;
        let again = match (period, mean) {
            (None, None) => Again::No,
            (Some(period_ns), None) => Again::Each { period_ns },
            (None, Some(mean_ns)) => Again::Random { mean_ns },
            (Some(_), Some(_)) => {
                return Err(section.refuse("repeat", "give this or mean_between, not both"));
            }
        };
        match (again, for_ns) {
            (Again::No, _) => {}
            (_, None) => {
                let right = "what comes again must end: for = \"30 s\"";
                return Err(section.refuse("for", right));
            }
            (Again::Each { period_ns }, Some([_, longest])) if longest >= period_ns => {
                return Err(section.refuse("repeat", "must be longer than `for`"));
            }
            _ => {}
        }
        Ok(Self {
            at_ns,
            for_ns,
            again,
            seed: section.count("seed", 0..=u32::MAX)?.unwrap_or(0),
        })
    }
}

/// One time, or a shortest and a longest.
fn read_span(value: &Value) -> Result<[u64; 2], String> {
    let right = "must be a time such as \"30 s\", or a shortest and a longest: [\"5 s\", \"30 s\"]";
    let time = |value: &Value| {
        let text = value.as_str().ok_or_else(|| right.to_owned())?;
        TIME.parse(text)
    };
    let span = match value {
        Value::Array(two) => match &two[..] {
            [shortest, longest] => [time(shortest)?, time(longest)?],
            _ => return Err(right.to_owned()),
        },
        one => [time(one)?; 2],
    };
    match span {
        [shortest, longest] if 0 < shortest && shortest <= longest => Ok(span),
        _ => Err(right.to_owned()),
    }
}
