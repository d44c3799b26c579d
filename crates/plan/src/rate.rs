//! How fast a stream is sent where nothing slows it down by itself.

use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::reading::Quantity;
use crate::reading::Section;

const PERCENTS: RangeInclusive<u32> = 1..=100;

/// Rates of payload in bits per second.
const RATE: Quantity = Quantity {
    noun: "rate",
    example: "400 Mb/s",
    smallest: "bits per second",
    units: &[("kb/s", 1000), ("Mb/s", 1_000_000), ("Gb/s", 1_000_000_000)],
};

/// The rate of a stream's payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rate {
    BitsPerS(u64),
    /// Of what arrived at this size when it was sent as fast as possible.
    Percent(u32),
}

impl Rate {
    /// Reads a rate such as "400 Mb/s" or "50 %".
    pub(crate) fn read(section: &Section, name: &str) -> Result<Option<Self>> {
        let rate = |text: &str| match text.trim().strip_suffix('%') {
            Some(share) => percent(share),
            None => RATE.parse(text).and_then(positive),
        };
        let refuse = |right| section.refuse(name, right);
        let text = section.text(name)?;
        text.map(|text| rate(text).map_err(refuse)).transpose()
    }

    /// Reads a rate such as "400 Mb/s", in bits per second.
    pub(crate) fn read_absolute(section: &Section, name: &str) -> Result<Option<u64>> {
        section.quantity(name, &RATE, 1)
    }
}

fn percent(text: &str) -> Result<Rate, String> {
    let share = text
        .trim()
        .parse()
        .ok()
        .filter(|share| PERCENTS.contains(share));
    share.map(Rate::Percent).ok_or_else(|| {
        "a share of the achievable rate is a whole number of percent, such as \"50 %\"".to_owned()
    })
}

fn positive(bits_per_s: u64) -> Result<Rate, String> {
    match bits_per_s {
        0 => Err(RATE.not_positive()),
        _ => Ok(Rate::BitsPerS(bits_per_s)),
    }
}
