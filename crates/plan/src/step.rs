//! A step: one pattern with its transport, settings, sizes and stop rule.

use serde::{Deserialize, Serialize};

use crate::error::{Fault, PlanError};
use crate::options::Options;
use crate::pattern::{Pattern, Phase};
use crate::plan::Limits;
use crate::read::Section;
use crate::sizes::SizeSchedule;
use crate::stop::StopRule;

const KEYS: [&str; 8] = [
    "name",
    "pattern",
    "window",
    "transport",
    "options",
    "sizes",
    "stop",
    "until",
];

/// One thing to measure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// Unique in the plan.
    pub name: String,
    pub pattern: Pattern,
    pub transport: Transport,
    #[serde(default)]
    pub options: Options,
    pub sizes: SizeSchedule,
    pub stop: StopRule,
    /// No larger size is tried once one message takes longer than this (NetPIPE's STOPTM).
    pub until_ns: Option<u64>,
}

/// What carries the messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Transport {
    Tcp,
    /// No network at all: what remains is the overhead of the timed loop itself.
    Null,
}

impl Step {
    /// One phase a size. Fails when there are too few nodes, or the step did not come from `load` and is wrong.
    pub fn phases(&self, nodes: u32) -> Result<Vec<Phase>, PlanError> {
        self.check_nodes(nodes)?;
        let sizes = self.sizes.sizes();
        if sizes.is_empty() || sizes.contains(&0) {
            return Err(self.fails("its sizes must be at least one, and all positive".to_owned()));
        }
        let phase = |(index, size_bytes)| Phase {
            index,
            size_bytes,
            transfers: self.pattern.transfers(size_bytes, nodes),
        };
        Ok((0..).zip(sizes).map(phase).collect())
    }

    fn check_nodes(&self, nodes: u32) -> Result<(), PlanError> {
        let needed = match self.transport {
            Transport::Null => 1,
            Transport::Tcp => self.pattern.nodes(),
        };
        if nodes >= needed {
            return Ok(());
        }
        let pattern = self.pattern.name();
        Err(self.fails(format!(
            "{pattern} needs {needed} nodes, the testbed has {nodes}"
        )))
    }

    fn fails(&self, reason: String) -> PlanError {
        PlanError::Expansion {
            step: self.name.clone(),
            reason,
        }
    }

    /// Reads one of the plan's `steps`.
    pub(crate) fn read(value: &toml::Value, path: &str, limits: &Limits) -> Result<Self, Fault> {
        let section = Section::of(value, path, &KEYS, "[[steps]] followed by its keys")?;
        let pattern = Pattern::read(&section)?;
        let transports = [("tcp", Transport::Tcp), ("null", Transport::Null)];
        let transport = section
            .choice("transport", &transports)?
            .unwrap_or(Transport::Tcp);
        Ok(Self {
            name: section
                .name("name")?
                .unwrap_or_else(|| pattern.name().to_owned()),
            pattern,
            transport,
            options: Options::read(&section, transport, pattern.nodes())?,
            sizes: SizeSchedule::read(&section, limits)?,
            stop: StopRule::read(&section)?,
            until_ns: section.time("until")?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::Transfer;

    fn step(pattern: Pattern, transport: Transport, bytes: &[u64]) -> Step {
        Step {
            name: "it".to_owned(),
            pattern,
            transport,
            options: Options::default(),
            sizes: SizeSchedule::List {
                bytes: bytes.to_vec(),
            },
            stop: StopRule::Count {
                repeats: 1,
                trials: 1,
            },
            until_ns: None,
        }
    }

    #[test]
    fn a_ping_pong_goes_there_and_back() {
        let phases = step(Pattern::Pingpong, Transport::Tcp, &[8, 64])
            .phases(2)
            .unwrap();
        let there = Transfer {
            src: 0,
            dst: 1,
            bytes: 64,
        };
        let back = Transfer {
            src: 1,
            dst: 0,
            bytes: 64,
        };
        assert_eq!(
            phases[1],
            Phase {
                index: 1,
                size_bytes: 64,
                transfers: vec![there, back]
            }
        );
    }

    #[test]
    fn a_stream_goes_there() {
        let phases = step(Pattern::Stream { window: 4 }, Transport::Tcp, &[8])
            .phases(5)
            .unwrap();
        assert_eq!(
            phases[0].transfers,
            [Transfer {
                src: 0,
                dst: 1,
                bytes: 8
            }]
        );
    }

    #[test]
    fn only_the_null_transport_works_alone() {
        let error = step(Pattern::Pingpong, Transport::Tcp, &[8])
            .phases(1)
            .unwrap_err();
        assert_eq!(
            error.to_string(),
            "step \"it\": pingpong needs 2 nodes, the testbed has 1"
        );
        let phases = step(Pattern::Stream { window: 1 }, Transport::Null, &[8])
            .phases(1)
            .unwrap();
        assert_eq!(
            phases[0].transfers,
            [Transfer {
                src: 0,
                dst: 0,
                bytes: 8
            }]
        );
        assert!(
            step(Pattern::Pingpong, Transport::Null, &[8])
                .phases(0)
                .is_err()
        );
    }

    #[test]
    fn sizes_that_no_plan_could_have_are_refused() {
        for bytes in [&[][..], &[1, 0]] {
            let error = step(Pattern::Pingpong, Transport::Tcp, bytes)
                .phases(2)
                .unwrap_err();
            assert!(error.to_string().contains("positive"), "{error}");
        }
    }
}
