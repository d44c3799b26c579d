//! Rates and delays, which a file must always write with their unit.

use serde::{Deserialize, Serialize};
use weft_plan::reading::{self, Quantity, RATE, Section, TIME};

/// Bits per second.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct BitRate(pub u64);

/// A span of time in nanoseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Nanoseconds(pub u64);

impl BitRate {
    /// Reads a rate such as `100 Mb/s`; the error says what would be right.
    pub fn parse(text: &str) -> Result<Self, String> {
        let bits_per_s = RATE.rounded(text)?;
        Self::checked(bits_per_s).ok_or_else(|| {
            format!("{text:?} is not a possible rate; it must be from 1 b/s to 100 Tb/s")
        })
    }

    /// The rate multiplied by `scale`, if that is still a possible rate.
    pub fn scaled(self, scale: f64) -> Option<Self> {
        Self::checked(self.0 as f64 * scale)
    }

    /// How long `bits` take at this rate, rounded up.
    pub fn time_of(self, bits: u64) -> Nanoseconds {
        let ns = (u128::from(bits) * 1_000_000_000).div_ceil(u128::from(self.0));
        Nanoseconds(u64::try_from(ns).unwrap_or(u64::MAX))
    }

    fn checked(bits_per_s: f64) -> Option<Self> {
        (1.0..=1e14)
            .contains(&bits_per_s)
            .then(|| Self(bits_per_s.round() as u64))
    }
}

impl Nanoseconds {
    /// Reads a time such as `20 us`; the error says what would be right.
    pub fn parse(text: &str) -> Result<Self, String> {
        let ns = TIME.rounded(text)?;
        if (0.0..=6e10).contains(&ns) {
            return Ok(Self(ns.round() as u64));
        }
        Err(format!(
            "{text:?} is not a possible time; it must be from 0 s to 60 s"
        ))
    }
}

/// Reads a rate that may be absent and multiplies it by the scale.
pub fn read_rate(section: &Section<'_>, key: &str, scale: f64) -> reading::Result<Option<BitRate>> {
    let Some(rate) = section.parsed(key, BitRate::parse)? else {
        return Ok(None);
    };
    let too_far = || {
        let message = format!("multiplied by the scale {scale} it is not a possible rate");
        section.refuse(key, message)
    };
    rate.scaled(scale).ok_or_else(too_far).map(Some)
}

const LENGTH: Quantity = Quantity {
    noun: "length",
    example: "2.5 m",
    smallest: "millimetres",
    units: &[("mm", 1), ("cm", 10), ("m", 1000)],
};

/// Reads a length in metres that may be absent.
pub fn read_metres(section: &Section<'_>, key: &str) -> reading::Result<Option<f64>> {
    section.parsed(key, |text| Ok(LENGTH.parse(text)? as f64 / 1000.0))
}

const SHARE: Quantity = Quantity {
    noun: "share",
    example: "0.1 %",
    smallest: "parts per million",
    units: &[("%", 10_000), ("ppm", 1)],
};

/// Reads a share of frames that may be absent, in parts of a million.
pub fn read_loss(section: &Section<'_>) -> reading::Result<Option<u32>> {
    let whole = || "is less than \"100 %\"; what delivers nothing is dead = true".to_owned();
    section.parsed("loss", |text| {
        let ppm = SHARE.parse(text)?;
        let ppm = u32::try_from(ppm).ok().filter(|ppm| *ppm < 1_000_000);
        ppm.ok_or_else(whole)
    })
}

/// Reads the share of a rate that others take, which may be absent, in parts of a million.
pub fn read_load(section: &Section<'_>) -> reading::Result<Option<u32>> {
    section.parsed("load", |text| {
        let ppm = SHARE.parse(text)?;
        let ppm = u32::try_from(ppm).ok().filter(|ppm| *ppm <= 990_000);
        ppm.ok_or_else(|| "is at most \"99 %\"".to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_rates_with_units() {
        assert_eq!(BitRate::parse("100 Mb/s"), Ok(BitRate(100_000_000)));
        assert_eq!(BitRate::parse("2.5Gb/s"), Ok(BitRate(2_500_000_000)));
        assert_eq!(Nanoseconds::parse("20 us"), Ok(Nanoseconds(20_000)));
    }

    #[test]
    fn refuses_what_has_no_unit_or_another() {
        for (text, expected) in [
            ("100", "needs a unit"),
            ("100 mb/s", "did you mean 100 Mb/s or 100 MB/s?"),
            ("fast", "is a number and a unit"),
            ("-1 Mb/s", "must be positive"),
            ("200 Tb/s", "not a possible"),
        ] {
            assert!(
                BitRate::parse(text).unwrap_err().contains(expected),
                "{text}"
            );
        }
        assert!(
            Nanoseconds::parse("20 moons")
                .unwrap_err()
                .contains("ns, us, ms, s")
        );
    }

    #[test]
    fn a_full_frame_takes_its_time_on_fast_ethernet() {
        assert_eq!(BitRate(100_000_000).time_of(1538 * 8), Nanoseconds(123_040));
    }
}
