//! Sizes and times as people write them, "8 MiB" and "10 ms", made exact bytes and nanoseconds.

use crate::error::cut;

/// A kind of quantity: its units, each with its worth in the smallest, and how to speak of it.
pub struct Quantity {
    pub noun: &'static str,
    pub example: &'static str,
    pub smallest: &'static str,
    pub units: &'static [(&'static str, u64)],
}

pub const SIZE: Quantity = Quantity {
    noun: "size",
    example: "8 MiB",
    smallest: "bytes",
    units: &[
        ("B", 1),
        ("kB", 1000),
        ("KiB", 1 << 10),
        ("MB", 1_000_000),
        ("MiB", 1 << 20),
        ("GB", 1_000_000_000),
        ("GiB", 1 << 30),
        ("TB", 1_000_000_000_000),
        ("TiB", 1 << 40),
    ],
};

pub const TIME: Quantity = Quantity {
    noun: "time",
    example: "10 ms",
    smallest: "nanoseconds",
    units: &[
        ("ns", 1),
        ("us", 1000),
        ("ms", 1_000_000),
        ("s", 1_000_000_000),
        ("min", 60_000_000_000),
        ("h", 3_600_000_000_000),
        ("d", 86_400_000_000_000),
        ("w", 604_800_000_000_000),
    ],
};

/// Clocks in hertz.
pub const CLOCK: Quantity = Quantity {
    noun: "clock",
    example: "400 MHz",
    smallest: "hertz",
    units: &[
        ("Hz", 1),
        ("kHz", 1000),
        ("MHz", 1_000_000),
        ("GHz", 1_000_000_000),
    ],
};

/// Rates in bits per second.
pub const RATE: Quantity = Quantity {
    noun: "rate",
    example: "64 Gb/s",
    smallest: "bits per second",
    units: &[
        ("b/s", 1),
        ("kb/s", 1000),
        ("Mb/s", 1_000_000),
        ("Gb/s", 1_000_000_000),
        ("Tb/s", 1_000_000_000_000),
        ("kB/s", 8000),
        ("MB/s", 8_000_000),
        ("GB/s", 8_000_000_000),
    ],
};

/// Times in picoseconds, the clock of the simulator.
pub const SPAN: Quantity = Quantity {
    noun: "time",
    example: "2.5 ns",
    smallest: "picoseconds",
    units: &[
        ("ps", 1),
        ("ns", 1000),
        ("us", 1_000_000),
        ("ms", 1_000_000_000),
        ("s", 1_000_000_000_000),
    ],
};

/// Other words for units. `weft.base.amount` has the same.
const ALIASES: &[(&str, &[&str])] = &[
    ("B", &["byte", "bytes"]),
    ("us", &["\u{b5}s", "\u{3bc}s"]),
    ("s", &["sec", "secs", "second", "seconds"]),
    ("min", &["m", "mins", "minute", "minutes"]),
    ("h", &["hr", "hrs", "hour", "hours"]),
    ("d", &["day", "days"]),
    ("w", &["week", "weeks"]),
    ("b/s", &["bps", "bit/s"]),
    ("kb/s", &["kbps", "kbit/s"]),
    ("Mb/s", &["Mbps", "Mbit/s"]),
    ("Gb/s", &["Gbps", "Gbit/s"]),
    ("Tb/s", &["Tbps", "Tbit/s"]),
];

impl Quantity {
    /// The quantity in its smallest unit, not always a whole number of it, or what would be right.
    pub fn rounded(&self, text: &str) -> Result<f64, String> {
        let (number, unit) = split(text);
        let number: f64 = number.parse().map_err(|_| self.malformed())?;
        if number < 0.0 {
            return Err(self.not_positive());
        }
        Ok(number * self.worth(text, unit)? as f64)
    }

    /// The quantity in its smallest unit, or what would be right.
    pub fn parse(&self, text: &str) -> Result<u64, String> {
        let (number, unit) = split(text);
        if number.starts_with('-') {
            return Err(self.not_positive());
        }
        let (digits, decimals) = decimal(number).ok_or_else(|| self.malformed())?;
        let worth = self.worth(text, unit)?;
        self.scaled(digits, decimals, worth)
    }

    pub fn not_positive(&self) -> String {
        format!(
            "a {} must be positive, with a unit, such as {:?}",
            self.noun, self.example
        )
    }

    pub fn unitless(&self) -> String {
        format!(
            "a {} needs a unit ({}), such as {:?}",
            self.noun,
            self.listed(),
            self.example
        )
    }

    fn malformed(&self) -> String {
        format!(
            "a {} is a number and a unit ({}), such as {:?}",
            self.noun,
            self.listed(),
            self.example
        )
    }

    fn listed(&self) -> String {
        self.units
            .iter()
            .map(|(name, _)| *name)
            .collect::<Vec<_>>()
            .join(", ")
    }

    fn worth(&self, text: &str, unit: &str) -> Result<u64, String> {
        if unit.is_empty() {
            return Err(self.unitless());
        }
        // An m is a minute only where it is no metre.
        let is = |wanted: &str| self.units.iter().find(|(name, _)| *name == wanted);
        let usual = || ALIASES.iter().find(|(_, others)| others.contains(&unit));
        let known = is(unit).or_else(|| usual().and_then(|(name, _)| is(name)));
        known.map(|(_, worth)| *worth).ok_or_else(|| {
            format!(
                "unknown unit {:?}{}; a {} is in {}",
                cut(unit),
                self.meant(text, unit),
                self.noun,
                self.listed()
            )
        })
    }

    /// `, did you mean 64 kB or 64 KiB?` where units differ from this one in case or an i only, else nothing.
    fn meant(&self, text: &str, unit: &str) -> String {
        let (number, _) = split(text);
        let near = self
            .units
            .iter()
            .filter(|(name, _)| plain(name) == plain(unit));
        let near: Vec<_> = near
            .map(|(name, _)| format!("{} {name}", cut(number)))
            .collect();
        match near.is_empty() {
            true => String::new(),
            false => format!(", did you mean {}?", near.join(" or ")),
        }
    }

    /// digits x 10^-decimals x worth, if that is whole and fits.
    fn scaled(&self, digits: u64, decimals: u32, worth: u64) -> Result<u64, String> {
        let product = u128::from(digits) * u128::from(worth);
        let divisor = 10u128.pow(decimals);
        if product % divisor != 0 {
            return Err(format!(
                "a {} must be a whole number of {}",
                self.noun, self.smallest
            ));
        }
        u64::try_from(product / divisor).map_err(|_| {
            format!(
                "far too large; a {} is something like {:?}",
                self.noun, self.example
            )
        })
    }
}

/// What stays of a unit when people write it carelessly: "k" of kB, KB, KiB and kb.
fn plain(unit: &str) -> String {
    let lower = unit.to_lowercase();
    let short = lower.strip_suffix("/s").unwrap_or(&lower);
    let short = short
        .strip_suffix("ps")
        .filter(|rest| rest.ends_with('b'))
        .unwrap_or(short);
    short.strip_suffix('b').unwrap_or(short).replace('i', "")
}

/// A number and its unit, which may be empty.
fn split(text: &str) -> (&str, &str) {
    let text = text.trim();
    let start = text
        .find(|c: char| c.is_alphabetic() || c == '%')
        .unwrap_or(text.len());
    (text[..start].trim(), &text[start..])
}

/// "1.25" -> (125, 2). No sign, no exponent: nothing that could be misread.
fn decimal(number: &str) -> Option<(u64, u32)> {
    const MOST_DECIMALS: usize = 9;
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let plain = |digits: &str| digits.chars().all(|c| c.is_ascii_digit());
    let bare_point = number.contains('.') && fraction.is_empty();
    if whole.is_empty()
        || bare_point
        || !plain(whole)
        || !plain(fraction)
        || fraction.len() > MOST_DECIMALS
    {
        return None;
    }
    let digits = format!("{whole}{fraction}").parse().ok()?;
    Some((digits, fraction.len() as u32))
}

/// A size with the largest binary unit that keeps it readable: "7.8 GiB".
pub(crate) fn readable_size(bytes: u64) -> String {
    let binary = [("GiB", 1u64 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)];
    match binary.into_iter().find(|(_, worth)| bytes >= *worth) {
        Some((unit, worth)) if bytes % worth == 0 => format!("{} {unit}", bytes / worth),
        Some((unit, worth)) => format!("{bytes} B ({:.1} {unit})", bytes as f64 / worth as f64),
        None => format!("{bytes} B"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn units_mean_what_they_say() {
        for (text, bytes) in [
            ("1 B", 1),
            ("3kB", 3000),
            ("3 KiB", 3072),
            ("1.5 KiB", 1536),
            ("8 MiB", 8 << 20),
            ("2 MB", 2_000_000),
            ("1 GiB", 1 << 30),
            (" 1.0 GB ", 1_000_000_000),
            ("18446744073709551615 B", u64::MAX),
        ] {
            assert_eq!(SIZE.parse(text), Ok(bytes), "{text}");
        }
        assert_eq!(TIME.parse("0.25 s"), Ok(250_000_000));
        assert_eq!(TIME.parse("7 us"), Ok(7000));
        for text in [
            "600 s",
            "600s",
            "10min",
            "10 min",
            "10 minutes",
            "600 seconds",
        ] {
            assert_eq!(TIME.parse(text), Ok(600_000_000_000), "{text}");
        }
        assert_eq!(RATE.parse("1 MB/s"), RATE.parse("8 Mbit/s"));
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (text, expected) in [
            ("8", "needs a unit (B, kB, KiB"),
            ("-5 B", "must be positive"),
            ("-5", "must be positive"),
            (
                "8 mib",
                "unknown unit \"mib\", did you mean 8 MB or 8 MiB?;",
            ),
            ("64kb", "did you mean 64 kB or 64 KiB?"),
            ("64 K", "did you mean 64 kB or 64 KiB?"),
            ("8 MiB/s", "unknown unit"),
            ("MiB", "is a number and a unit"),
            ("1e3 B", "unknown unit"),
            ("1. B", "is a number and a unit"),
            ("1..5 B", "is a number and a unit"),
            ("0.3 B", "whole number of bytes"),
            ("18446744073709551616 B", "is a number and a unit"),
            ("99999999999 GiB", "far too large"),
            ("", "is a number and a unit"),
        ] {
            let message = SIZE.parse(text).unwrap_err();
            assert!(message.contains(expected), "{text}: {message}");
        }
    }

    #[test]
    fn readable_sizes_are_exact() {
        assert_eq!(readable_size(8 << 20), "8 MiB");
        assert_eq!(readable_size((8 << 20) + 3), "8388611 B (8.0 MiB)");
        assert_eq!(readable_size(17), "17 B");
    }

    proptest! {
        #[test]
        fn any_text_is_parsed_or_refused(text in "\\PC*") {
            let _ = SIZE.parse(&text);
            let _ = TIME.parse(&text);
        }

        #[test]
        fn digits_never_overflow(text in "[0-9.]{1,40} ?(B|GiB|s|ns)") {
            let _ = SIZE.parse(&text);
            let _ = TIME.parse(&text);
        }
    }
}
