//! Rates and delays, which a file must always write with their unit.

use serde::{Deserialize, Serialize};

/// Bits per second.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct BitRate(pub u64);

/// A span of time in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Nanoseconds(pub u64);

const RATE_UNITS: [(&str, f64); 5] = [
    ("b/s", 1.0),
    ("kb/s", 1e3),
    ("Mb/s", 1e6),
    ("Gb/s", 1e9),
    ("Tb/s", 1e12),
];
const TIME_UNITS: [(&str, f64); 4] = [("ns", 1.0), ("us", 1e3), ("ms", 1e6), ("s", 1e9)];

impl BitRate {
    /// Reads a rate such as `100 Mb/s`; the error says what would be right.
    pub fn parse(text: &str) -> Result<Self, String> {
        let bits_per_s = parse_quantity(text, &RATE_UNITS, "a rate", "100 Mb/s")?;
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
        let ns = parse_quantity(text, &TIME_UNITS, "a time", "20 us")?;
        if (0.0..=6e10).contains(&ns) {
            return Ok(Self(ns.round() as u64));
        }
        Err(format!(
            "{text:?} is not a possible time; it must be from 0 s to 60 s"
        ))
    }
}

fn parse_quantity(
    text: &str,
    units: &[(&str, f64)],
    what: &str,
    example: &str,
) -> Result<f64, String> {
    let text = text.trim();
    let split = text
        .find(|c: char| c.is_ascii_alphabetic())
        .unwrap_or(text.len());
    let (number, unit) = (text[..split].trim(), text[split..].trim());
    let known = || units.iter().map(|u| u.0).collect::<Vec<_>>().join(", ");
    let number: f64 = number
        .parse()
        .map_err(|_| format!("{text:?} is not {what}; write for example \"{example}\""))?;
    if unit.is_empty() {
        return Err(format!(
            "{text:?} has no unit; write for example \"{example}\" (units: {})",
            known()
        ));
    }
    match units.iter().find(|(name, _)| *name == unit) {
        Some((_, factor)) => Ok(number * factor),
        None => Err(format!(
            "{text:?} has the unknown unit {unit:?}; the units are {}",
            known()
        )),
    }
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
        assert!(BitRate::parse("100").unwrap_err().contains("no unit"));
        assert!(BitRate::parse("100 MB/s").unwrap_err().contains("\"MB/s\""));
        assert!(BitRate::parse("fast").unwrap_err().contains("not a rate"));
        assert!(
            BitRate::parse("-1 Mb/s")
                .unwrap_err()
                .contains("not a possible")
        );
        assert!(
            Nanoseconds::parse("20 min")
                .unwrap_err()
                .contains("ns, us, ms, s")
        );
    }

    #[test]
    fn a_full_frame_takes_its_time_on_fast_ethernet() {
        assert_eq!(BitRate(100_000_000).time_of(1538 * 8), Nanoseconds(123_040));
    }
}
