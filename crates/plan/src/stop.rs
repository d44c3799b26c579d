//! When a size has been measured enough.

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::goal::{self, Goal, Question};
use crate::reading::Section;

const EXAMPLE: &str = r#"{ rule = "time", trial = "10 ms", trials = 5 }"#;
/// Samples count messages in 32 signed bits.
const MOST_REPEATS: u32 = i32::MAX as u32;
const MOST_TRIALS: u32 = 1_000_000;
/// A trial that takes so many times as long as it should is no accident of scheduling.
const TOO_LONG: u64 = 10;

/// How often a message is repeated, and how many such trials make a size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "rule", rename_all = "snake_case")]
pub enum StopRule {
    /// NetPIPE's: repeat so that a trial lasts `trial_ns`, with no fewer than `at_least` messages. A size ends
    /// before its last trial once it has taken `at_most_ns`.
    Time {
        trial_ns: u64,
        trials: u32,
        #[serde(default = "one")]
        at_least: u32,
        #[serde(default)]
        at_most_ns: Option<u64>,
    },
    /// OSU's: warm up with a tenth of `repeats`, then a trial is `repeats` messages. Round trips between many nodes end
    /// before the last one once they have taken `at_most_ns`: else all would wait for a slow pair.
    Count {
        repeats: u32,
        trials: u32,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at_most_ns: Option<u64>,
    },
}

/// Whose messages a rule is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Between {
    Two,
    Many,
    /// Round trips, of which each pair of many nodes makes its own.
    ManyPairs,
}

impl StopRule {
    /// Trials of one size in one launch.
    pub fn trials(&self) -> u32 {
        match self {
            Self::Time { trials, .. } | Self::Count { trials, .. } => *trials,
        }
    }

    /// Messages of a trial after one of `messages` that took so long. They are fewer where the warm-up promised too much:
    /// TCP acknowledges the first messages of a connection at once, and delays acknowledgements later.
    pub fn messages_after(&self, messages: u32, elapsed_ns: u64) -> u32 {
        match *self {
            Self::Time {
                trial_ns, at_least, ..
            } if elapsed_ns > TOO_LONG * trial_ns => {
                let fitting = u64::from(messages) * trial_ns / elapsed_ns;
                (fitting as u32).max(at_least).min(messages)
            }
            _ => messages,
        }
    }

    /// Whether what has taken so long needs no further trial, or round trip.
    pub fn is_over(&self, elapsed_ns: u64) -> bool {
        let (Self::Time { at_most_ns, .. } | Self::Count { at_most_ns, .. }) = self;
        at_most_ns.is_some_and(|most| elapsed_ns >= most)
    }

    /// How many trials of so long there will be: a size that has taken `at_most_ns` needs no further one.
    pub fn trials_within(&self, trial_ns: u64) -> u32 {
        let is_enough = |count: &u32| self.is_over(u64::from(*count) * trial_ns);
        let most = self.trials();
        (1..most).find(is_enough).unwrap_or(most)
    }

    /// Reads the `stop` of a step: its trials, and what its launches are for where each size has `one_time`.
    pub(crate) fn read(
        step: &Section,
        between: Between,
        one_time: bool,
    ) -> Result<(Self, Option<Goal>)> {
        let value = step.require("stop", &format!("give when to stop, such as {EXAMPLE}"))?;
        let trial = ["rule", "trial", "repeats", "trials", "at_least", "at_most"];
        let known = [&trial[..], &goal::KEYS].concat();
        let section = Section::of(value, &step.key("stop"), &known, EXAMPLE)?;
        if between != Between::Two {
            // Many nodes cannot agree during a trial that it has had enough messages.
            section.only_for_pairs("at_least")?;
            if between == Between::Many {
                section.only_for("at_most", "a pair of nodes, or measure = \"latency\"")?;
            }
        }
        let rule = section.choice("rule", &RULES)?;
        let right = "give \"time\", \"count\", \"decided\" or \"relative\"";
        let (read, question) = rule.ok_or_else(|| section.refuse("rule", right))?;
        let Some(question) = question else {
            for key in goal::KEYS {
                section.only_for(key, "rule = \"decided\" or \"relative\"")?;
            }
            let read = read(&section)?;
            read.check_at_most(&section, between)?;
            return Ok((read, None));
        };
        if !one_time {
            let right = "belongs to a pair without `gamma`; here give \"time\" or \"count\"";
            return Err(section.refuse("rule", right));
        }
        Ok((read(&section)?, Some(Goal::read(&section, question)?)))
    }

    /// Between many nodes only counted round trips may end early, between two only trials of a time.
    fn check_at_most(&self, section: &Section, between: Between) -> Result<()> {
        match (self, between == Between::Two) {
            (Self::Count { .. }, true) => section.only_for("at_most", "rule = \"time\""),
            (Self::Time { .. }, false) => section.only_for("at_most", "rule = \"count\""),
            _ => Ok(()),
        }
    }
}

fn one() -> u32 {
    1
}

type Reader = fn(&Section) -> Result<StopRule>;
const RULES: [(&str, (Reader, Option<Question>)); 4] = [
    ("time", (read_time, None)),
    ("count", (read_count, None)),
    ("decided", (read_time, Some(Question::Decided))),
    ("relative", (read_time, Some(Question::Relative))),
];

fn read_time(section: &Section) -> Result<StopRule> {
    section.only_for("repeats", "rule = \"count\"")?;
    let trial = section.time("trial")?;
    let trial_ns =
        trial.ok_or_else(|| section.refuse("trial", "give a time, such as \"10 ms\""))?;
    Ok(StopRule::Time {
        trial_ns,
        trials: read_trials(section)?,
        at_least: section
            .count("at_least", 1..=MOST_REPEATS)?
            .unwrap_or(one()),
        at_most_ns: section.time("at_most")?,
    })
}

fn read_count(section: &Section) -> Result<StopRule> {
    for name in ["trial", "at_least"] {
        section.only_for(name, "rule = \"time\"")?;
    }
    let repeats = section.count("repeats", 1..=MOST_REPEATS)?;
    let repeats = repeats
        .ok_or_else(|| section.refuse("repeats", "give a number of messages, such as 100"))?;
    Ok(StopRule::Count {
        repeats,
        trials: read_trials(section)?,
        at_most_ns: section.time("at_most")?,
    })
}

fn read_trials(section: &Section) -> Result<u32> {
    let trials = section.count("trials", 1..=MOST_TRIALS)?;
    trials.ok_or_else(|| section.refuse("trials", "give a number of trials, such as 5"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trials_after_one_that_took_far_too_long_are_shorter() {
        let rule = StopRule::Time {
            trial_ns: 10_000,
            trials: 5,
            at_least: 8,
            at_most_ns: None,
        };
        assert_eq!(rule.messages_after(1000, 100_000), 1000);
        assert_eq!(rule.messages_after(1000, 500_000), 20);
        assert_eq!(rule.messages_after(1000, 50_000_000), 8);
        assert_eq!(rule.messages_after(4, 50_000_000), 4);
        let counted = StopRule::Count {
            repeats: 1000,
            trials: 5,
            at_most_ns: None,
        };
        assert_eq!(counted.messages_after(1000, u64::MAX), 1000);
    }
}
