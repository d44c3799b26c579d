//! How closely a median must be known: launches go on, size by size, until it is.

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::reading::{Quantity, Section};

/// The keys of a stop rule with a goal, beside those of a trial.
pub(crate) const KEYS: [&str; 3] = ["width", "time", "simultaneous"];

pub(crate) const WIDTH: Quantity = Quantity {
    noun: "width",
    example: "5 %",
    smallest: "parts per million",
    units: &[("%", 10_000), ("ppm", 1)],
};
const DEFAULT_WIDTH_PPM: u32 = 50_000;
const MOST_WIDTH_PPM: u64 = 1_000_000;
const DEFAULT_TIME_NS: u64 = 60_000_000_000;

/// What the launches of a step are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Question {
    /// The question of the plan: a size of several modes is done when the share of each is known.
    Decided,
    /// The median alone.
    Relative,
}

/// When a size needs no further launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Goal {
    pub rule: Question,
    /// The interval of the median reaches at most so far to either side, in parts of a million of it; 0 leaves it to
    /// the time.
    pub width_ppm: u32,
    /// No launch begins after this time.
    pub time_ns: u64,
    /// The intervals of all sizes hold together, instead of each by itself.
    pub simultaneous: bool,
}

impl Goal {
    /// Reads what follows the `rule` of a step's `stop`.
    pub(crate) fn read(section: &Section, rule: Question) -> Result<Self> {
        let width = section.quantity("width", &WIDTH, 0)?;
        if width.is_some_and(|ppm| ppm > MOST_WIDTH_PPM) {
            return Err(section.refuse("width", "is at most \"100 %\""));
        }
        Ok(Self {
            rule,
            width_ppm: width.map_or(DEFAULT_WIDTH_PPM, |ppm| ppm as u32),
            time_ns: section.time("time")?.unwrap_or(DEFAULT_TIME_NS),
            simultaneous: section.flag("simultaneous")?.unwrap_or(false),
        })
    }
}
