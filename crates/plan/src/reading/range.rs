//! Numbers that a step goes through, as a list or a range: `[0, 0.5]`, `"0:3.5:0.25"`.

use toml::Value;

use crate::error::Result;
use crate::reading::Section;

/// More points than are of use.
const MOST_VALUES: usize = 10_000;

/// What the numbers are.
pub struct Axis {
    pub example: &'static str,
    pub least: f64,
    pub most: f64,
    pub is_whole: bool,
    /// A range without a step has at most so many.
    pub intervals: f64,
}

impl Axis {
    /// The numbers at `name` in increasing order, or nothing where the key is absent.
    pub fn read(&self, section: &Section, name: &str) -> Result<Option<Vec<f64>>> {
        section.value(name, |value| self.checked(self.values(value)?))
    }

    fn values(&self, value: &Value) -> Result<Vec<f64>, String> {
        match value {
            Value::String(text) => self.range(text),
            // What is bare text elsewhere may be a time of day to TOML: 10:50:10.
            Value::Datetime(time) => self.range(&time.to_string()),
            Value::Array(values) => {
                let found: Option<Vec<_>> = values.iter().map(number).collect();
                found.ok_or_else(|| self.right())
            }
            value => number(value)
                .map(|one| vec![one])
                .ok_or_else(|| self.right()),
        }
    }

    /// Both ends included; without a step it is 1, 2 or 5 times a power of ten, as in `weft laws`.
    fn range(&self, text: &str) -> Result<Vec<f64>, String> {
        let parts: Result<Vec<f64>, _> = text.split(':').map(|part| part.trim().parse()).collect();
        let (low, high, step) = match parts.as_deref() {
            Ok([low, high]) => (*low, *high, self.round_step((high - low) / self.intervals)),
            Ok([low, high, step]) => (*low, *high, *step),
            _ => return Err(self.right()),
        };
        let is_range = low < high && step > 0.0 && (high - low).is_finite();
        if !is_range {
            return Err(format!(
                "must have LOW < HIGH and STEP > 0; {}",
                self.right()
            ));
        }
        let count = ((high - low) / step - 1e-9).ceil();
        if count >= MOST_VALUES as f64 {
            return Err(too_many());
        }
        let between = (0..count as u32).map(|index| rounded(low + step * f64::from(index)));
        Ok(between.chain([high]).collect())
    }

    fn round_step(&self, smallest: f64) -> f64 {
        let decade = 10f64.powf(smallest.log10().floor());
        let steps = [1.0, 2.0, 5.0, 10.0].map(|part| part * decade);
        let step = steps
            .into_iter()
            .find(|step| *step >= smallest * (1.0 - 1e-9));
        let step = step.unwrap_or(smallest);
        if self.is_whole { step.max(1.0) } else { step }
    }

    fn checked(&self, values: Vec<f64>) -> Result<Vec<f64>, String> {
        let fits = |value: &f64| {
            (self.least..=self.most).contains(value) && (!self.is_whole || value.fract() == 0.0)
        };
        let rises = values.windows(2).all(|pair| pair[0] < pair[1]);
        match values.len() {
            0 => Err(self.right()),
            count if count > MOST_VALUES => Err(too_many()),
            _ if !values.iter().all(fits) => Err(self.right()),
            _ if !rises => Err("must be in increasing order, each once".to_owned()),
            _ => Ok(values),
        }
    }

    fn right(&self) -> String {
        let numbers = if self.is_whole {
            "whole numbers"
        } else {
            "numbers"
        };
        format!(
            "must be {numbers} from {} to {}, a list or a range LOW:HIGH or LOW:HIGH:STEP, such as {}",
            self.least, self.most, self.example
        )
    }
}

fn too_many() -> String {
    format!("must be at most {MOST_VALUES} values; take a larger STEP")
}

fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Integer(number) => Some(*number as f64),
        Value::Float(number) => Some(*number),
        _ => None,
    }
}

/// 0.1 three times is 0.3.
fn rounded(value: f64) -> f64 {
    (value * 1e9).round() / 1e9
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANY: Axis = Axis {
        example: "\"0:3.5\"",
        least: 0.0,
        most: 1e6,
        is_whole: false,
        intervals: 50.0,
    };

    fn read(text: &str) -> Result<Vec<f64>, String> {
        let table: toml::Table = format!("x = {text}").parse().unwrap();
        let section = Section::new(&table, "", &["x"]).unwrap();
        let found = ANY.read(&section, "x").map_err(|fault| fault.right)?;
        Ok(found.unwrap())
    }

    #[test]
    fn ranges_have_both_ends() {
        assert_eq!(read("\"0:1:0.3\"").unwrap(), [0.0, 0.3, 0.6, 0.9, 1.0]);
        assert_eq!(read("\"0:0.3:0.1\"").unwrap(), [0.0, 0.1, 0.2, 0.3]);
        let found = read("\"0:3.5\"").unwrap();
        assert_eq!((found.len(), found[1], found[35]), (36, 0.1, 3.5));
        assert_eq!(read("10:30:10").unwrap(), [10.0, 20.0, 30.0]);
        assert_eq!(read("2.5").unwrap(), [2.5]);
        assert_eq!(read("[0, 1, 2.5]").unwrap(), [0.0, 1.0, 2.5]);
    }

    #[test]
    fn what_is_no_range_is_refused() {
        for text in [
            "\"0\"",
            "\"a:b\"",
            "\"1:1\"",
            "\"2:1\"",
            "\"0:1:0\"",
            "\"0:1:-1\"",
            "\"0:1:nan\"",
            "\"-1:1\"",
            "\"0:inf\"",
            "\"0:1e7\"",
            "\"0:1:1e-9\"",
            "[]",
            "[1, 1]",
            "[2, 1]",
            "[\"1\"]",
            "nan",
            "inf",
            "true",
        ] {
            assert!(read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn counts_are_whole() {
        let users = Axis {
            is_whole: true,
            least: 1.0,
            intervals: 25.0,
            ..ANY
        };
        assert_eq!(users.range("100:2500").unwrap().len(), 25);
        assert_eq!(users.range("1:5").unwrap(), [1.0, 2.0, 3.0, 4.0, 5.0]);
        assert!(users.checked(vec![1.5]).is_err());
    }
}
