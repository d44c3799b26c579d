//! Which message sizes a step goes through, in order.

use std::iter::successors;
use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};
use toml::Value;

use crate::error::{Fault, Result};
use crate::limits::Limits;
use crate::reading::readable_size;
use crate::reading::{Section, size};

/// NetPIPE's own default: three bytes to either side catch a buffer that is full at a round size.
const DEFAULT_PERTURBATION_BYTES: u64 = 3;
const EXAMPLE: &str =
    r#"["1 B", "64 KiB"] or { schedule = "netpipe", min = "1 B", max = "8 MiB" }"#;

const KEYS: [&str; 6] = [
    "schedule",
    "base",
    "per_octave",
    "min",
    "max",
    "perturbation",
];
const DEFAULT_PER_OCTAVE: u32 = 8;
const MOST_PER_OCTAVE: u32 = 256;

/// A rule that produces message sizes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "schedule", rename_all = "snake_case")]
pub enum SizeSchedule {
    /// Exactly these, in this order.
    List { bytes: Vec<u64> },
    /// `min_bytes`, then times `base` as long as it is at most `max_bytes`.
    Powers {
        base: u32,
        min_bytes: u64,
        max_bytes: u64,
    },
    /// From `min_bytes` to `max_bytes` at equal ratios, `per_octave` to each doubling, rounded to whole bytes.
    Octaves {
        per_octave: u32,
        min_bytes: u64,
        max_bytes: u64,
    },
    /// NetPIPE 3.7's: two sizes per octave, each with a neighbour `perturbation_bytes` to either side.
    ///
    /// As in NetPIPE the bounds hold for the sizes in the middle: neighbours may lie beyond both, and where
    /// sizes are close together (small `min_bytes` above 1) neighbours of two sizes may overlap.
    Netpipe {
        min_bytes: u64,
        max_bytes: u64,
        perturbation_bytes: u64,
    },
}

impl SizeSchedule {
    /// The sizes, all positive.
    pub fn sizes(&self) -> Vec<u64> {
        match self {
            Self::List { bytes } => bytes.clone(),
            Self::Powers {
                base,
                min_bytes,
                max_bytes,
            } => powers(*base, *min_bytes, *max_bytes),
            Self::Octaves {
                per_octave,
                min_bytes,
                max_bytes,
            } => octaves(*per_octave, *min_bytes, *max_bytes),
            Self::Netpipe {
                min_bytes,
                max_bytes,
                perturbation_bytes,
            } => netpipe(*min_bytes, *max_bytes, *perturbation_bytes),
        }
    }

    /// A schedule begins and ends where messages get too small and too large; a list is what was asked for.
    pub(crate) fn within(mut self, possible: RangeInclusive<u64>) -> Self {
        let beside = match self {
            Self::Netpipe {
                perturbation_bytes, ..
            } => perturbation_bytes,
            _ => 0,
        };
        let most = possible.end().saturating_sub(beside);
        if let Self::Powers {
            min_bytes,
            max_bytes,
            ..
        }
        | Self::Octaves {
            min_bytes,
            max_bytes,
            ..
        }
        | Self::Netpipe {
            min_bytes,
            max_bytes,
            ..
        } = &mut self
        {
            if *min_bytes < *possible.start() && *max_bytes >= possible.start() + beside {
                *min_bytes = possible.start() + beside;
            }
            if *min_bytes <= most {
                *max_bytes = most.min(*max_bytes);
            }
        }
        self
    }

    /// Reads the `sizes` of a step: a list, or a table with a schedule.
    pub(crate) fn read(step: &Section, limits: &Limits) -> Result<Self> {
        let path = step.key("sizes");
        match step.require(
            "sizes",
            &format!("give the message sizes, such as {EXAMPLE}"),
        )? {
            Value::Array(values) => read_list(values, &path, limits),
            Value::Table(table) => read_schedule(&Section::new(table, &path, &KEYS)?, limits),
            other => Err(Fault::new(path, other, format!("must be {EXAMPLE}"))),
        }
    }
}

/// Guarded where a document not from `load` could be endless: base 0 and 1 give `min` alone.
fn powers(base: u32, min: u64, max: u64) -> Vec<u64> {
    let grow = |size: &u64| size.checked_mul(u64::from(base)).filter(|next| next > size);
    successors(Some(min.max(1)), grow)
        .take_while(|size| *size <= max)
        .collect()
}

/// Where sizes are close together several round to the same one, which is there once.
fn octaves(per_octave: u32, min: u64, max: u64) -> Vec<u64> {
    let steps = f64::from(per_octave.clamp(1, MOST_PER_OCTAVE));
    let size = |index: u32| min.max(1) as f64 * (f64::from(index) / steps).exp2();
    let mut sizes: Vec<u64> = (0..u64::BITS * MOST_PER_OCTAVE)
        .map(|index| size(index).round())
        .take_while(|size| *size <= max as f64)
        .map(|size| size as u64)
        .collect();
    sizes.dedup();
    sizes
}

/// The main loop of NetPIPE 3.7's netpipe.c, without its end on time, which is the step's `until`.
///
/// The increment doubles at every second size once the first three are through; `step` is the loop's `nq`,
/// which starts one later when the first size is not 1.
fn netpipe(min: u64, max: u64, perturbation: u64) -> Vec<u64> {
    let mut sizes = Vec::new();
    let mut increment = (min / 2).max(1);
    let mut step = u32::from(min > 1);
    let mut middle = min.max(1);
    while middle <= max {
        if step > 2 && step % 2 == 1 {
            increment = increment.saturating_mul(2);
        }
        sizes.extend(neighbours(middle, increment, perturbation));
        step += 1;
        match middle.checked_add(increment) {
            Some(next) => middle = next,
            None => break,
        }
    }
    sizes
}

/// A size and its perturbed neighbours, if the distance to the next size leaves room for them.
///
/// The increment is never more than the size, so a neighbour never falls below 1.
fn neighbours(middle: u64, increment: u64, perturbation: u64) -> impl Iterator<Item = u64> {
    let perturbed = perturbation > 0 && increment > perturbation.saturating_add(1);
    let offset = if perturbed { perturbation } else { 0 };
    let below = perturbed.then(|| middle - offset);
    let above = perturbed.then(|| middle.saturating_add(offset));
    below.into_iter().chain([middle]).chain(above)
}

fn read_list(values: &[Value], path: &str, limits: &Limits) -> Result<SizeSchedule> {
    if values.is_empty() {
        return Err(Fault::new(
            path,
            &Value::Array(Vec::new()),
            "give at least one size, such as [\"1 B\"]",
        ));
    }
    let read = |(index, value): (usize, &Value)| {
        let key = format!("{path}[{index}]");
        size(value)
            .and_then(|size| within(size, limits))
            .map_err(|right| Fault::new(key, value, right))
    };
    let bytes = values
        .iter()
        .enumerate()
        .map(read)
        .collect::<Result<_, _>>()?;
    Ok(SizeSchedule::List { bytes })
}

type Reader = fn(&Section, &Limits) -> Result<SizeSchedule>;
const READERS: [(&str, Reader); 3] = [
    ("powers", read_powers),
    ("octaves", read_octaves),
    ("netpipe", read_netpipe),
];

fn read_schedule(section: &Section, limits: &Limits) -> Result<SizeSchedule> {
    section.required_choice("schedule", &READERS)?(section, limits)
}

fn read_powers(section: &Section, limits: &Limits) -> Result<SizeSchedule> {
    section.only_for("per_octave", "schedule = \"octaves\"")?;
    section.only_for("perturbation", "schedule = \"netpipe\"")?;
    let base = section.count("base", 2..=1024)?.unwrap_or(2);
    let (min_bytes, max_bytes) = read_bounds(section)?;
    within(max_bytes, limits).map_err(|right| section.refuse("max", right))?;
    Ok(SizeSchedule::Powers {
        base,
        min_bytes,
        max_bytes,
    })
}

fn read_octaves(section: &Section, limits: &Limits) -> Result<SizeSchedule> {
    section.only_for("base", "schedule = \"powers\"")?;
    section.only_for("perturbation", "schedule = \"netpipe\"")?;
    let per_octave = section.count("per_octave", 1..=MOST_PER_OCTAVE)?;
    let (min_bytes, max_bytes) = read_bounds(section)?;
    within(max_bytes, limits).map_err(|right| section.refuse("max", right))?;
    Ok(SizeSchedule::Octaves {
        per_octave: per_octave.unwrap_or(DEFAULT_PER_OCTAVE),
        min_bytes,
        max_bytes,
    })
}

fn read_netpipe(section: &Section, limits: &Limits) -> Result<SizeSchedule> {
    section.only_for("base", "schedule = \"powers\"")?;
    section.only_for("per_octave", "schedule = \"octaves\"")?;
    let perturbation_bytes = section
        .size_or_zero("perturbation")?
        .unwrap_or(DEFAULT_PERTURBATION_BYTES);
    let (min_bytes, max_bytes) = read_bounds(section)?;
    within(perturbation_bytes, limits).map_err(|right| section.refuse("perturbation", right))?;
    within(max_bytes, limits).map_err(|right| section.refuse("max", right))?;
    let schedule = SizeSchedule::Netpipe {
        min_bytes,
        max_bytes,
        perturbation_bytes,
    };
    let largest = schedule.sizes().into_iter().max().unwrap_or(max_bytes);
    let beyond = |right| {
        format!(
            "with its perturbation it reaches {}: {right}",
            readable_size(largest)
        )
    };
    within(largest, limits).map_err(|right| section.refuse("max", beyond(right)))?;
    Ok(schedule)
}

fn read_bounds(section: &Section) -> Result<(u64, u64)> {
    let right = "give a size with a unit, such as \"8 MiB\"";
    let min = section
        .size("min")?
        .ok_or_else(|| section.refuse("min", right))?;
    let max = section
        .size("max")?
        .ok_or_else(|| section.refuse("max", right))?;
    if min > max {
        let right = format!("must not be more than max, which is {}", readable_size(max));
        return Err(section.refuse("min", right));
    }
    Ok((min, max))
}

fn within(size: u64, limits: &Limits) -> Result<u64, String> {
    let most = limits.max_message_bytes;
    if size <= most {
        return Ok(size);
    }
    Err(format!(
        "must be at most {}, the most that one message may have on this machine",
        readable_size(most)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The size column of a file that NPtcp 3.7.2 wrote.
    fn of_real_netpipe(text: &str) -> Vec<u64> {
        text.lines()
            .map(|line| line.split_whitespace().next().unwrap().parse().unwrap())
            .collect()
    }

    #[test]
    fn netpipe_is_the_real_one() {
        let real = of_real_netpipe(include_str!("../../../tests/data/np3.7.2.np.out"));
        assert_eq!(netpipe(1, 4096, 3), real);
    }

    /// Size columns of `NPtcp` 3.7.2 run with -l, -u and -p.
    #[test]
    fn netpipe_is_the_real_one_with_other_bounds() {
        assert_eq!(
            netpipe(10, 300, 3),
            [
                7, 10, 13, 12, 15, 18, 17, 20, 23, 27, 30, 33, 37, 40, 43, 57, 60, 63, 77, 80, 83
            ]
            .into_iter()
            .chain([117, 120, 123, 157, 160, 163, 237, 240, 243])
            .collect::<Vec<_>>()
        );
        assert_eq!(
            netpipe(3, 100, 0),
            [3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97]
        );
        assert_eq!(
            netpipe(1, 30, 5),
            [1, 2, 3, 4, 6, 8, 12, 11, 16, 21, 19, 24, 29]
        );
        assert_eq!(
            netpipe(1000, 4000, 3),
            [
                997, 1000, 1003, 1497, 1500, 1503, 1997, 2000, 2003, 2997, 3000, 3003, 3997, 4000,
                4003
            ]
        );
    }

    #[test]
    fn octaves_are_equal_ratios_without_repetition() {
        assert_eq!(octaves(2, 1, 16), [1, 2, 3, 4, 6, 8, 11, 16]);
        assert_eq!(octaves(1, 3, 24), [3, 6, 12, 24]);
        assert_eq!(octaves(8, 1 << 20, 1 << 21).len(), 9);
        assert_eq!(octaves(8, 1, 4 << 20).last(), Some(&(4 << 20)));
        assert!(octaves(0, 1, u64::MAX).len() <= 65);
    }

    #[test]
    fn netpipe_to_8_mib_ends_three_bytes_later() {
        let sizes = netpipe(1, 8 << 20, 3);
        assert_eq!(sizes.last(), Some(&8_388_611));
        assert_eq!(sizes.len(), 124);
    }

    #[test]
    fn powers_stop_at_the_bound() {
        assert_eq!(powers(2, 1, 8), [1, 2, 4, 8]);
        assert_eq!(powers(10, 5, 4999), [5, 50, 500]);
        assert_eq!(powers(1, 5, 50), [5]);
        assert_eq!(powers(2, 1, u64::MAX).len(), 64);
    }

    proptest! {
        #[test]
        fn netpipe_sizes_are_positive_within_bounds_and_nearly_sorted(
            min in 1u64..5000, extra in 0u64..1 << 40, perturbation in 0u64..5000,
        ) {
            let max = min + extra;
            let sizes = netpipe(min, max, perturbation);
            prop_assert!(!sizes.is_empty() && sizes.len() < 400);
            for size in &sizes {
                prop_assert!(*size >= 1);
                prop_assert!(size + perturbation >= min && *size <= max + perturbation);
            }
            for pair in sizes.windows(2) {
                prop_assert!(pair[1] + 2 * perturbation > pair[0]);
            }
        }

        #[test]
        fn no_bounds_are_too_much(min in any::<u64>(), max in any::<u64>(), other in any::<u32>()) {
            prop_assert!(netpipe(min, max, u64::from(other)).len() < 1000);
            prop_assert!(powers(other, min, max).len() <= 64);
        }
    }
}
