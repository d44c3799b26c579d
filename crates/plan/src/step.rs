//! A step: one pattern with its transport, settings, sizes and stop rule.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::ensemble;
use crate::error::{PlanError, Result};
use crate::goal::Goal;
use crate::limits::{Limits, Reach};
use crate::options::Options;
use crate::over::{self, Over};
use crate::pattern::Pattern;
use crate::pattern::network::Network;
use crate::phase::Phase;
use crate::reading::Section;
use crate::sizes::SizeSchedule;
use crate::stop::{Between, StopRule};
use crate::transport::Transport;

/// How often a program may be carried out in a launch.
const MOST_EXECUTIONS: u32 = 10_000;

/// The keys of every step; a pattern has keys of its own.
const KEYS: [&str; 9] = [
    "name",
    "pattern",
    "transport",
    "options",
    "sizes",
    "stop",
    "until",
    "pin",
    over::KEY,
];

/// One thing to measure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// Unique in the plan.
    pub name: String,
    pub pattern: Pattern,
    pub transport: Transport,
    #[serde(default)]
    pub options: Options,
    pub sizes: SizeSchedule,
    pub stop: StopRule,
    /// No larger size is tried once one message takes longer than this (NetPIPE's STOPTM); with a goal, once one takes
    /// this much longer than one of the first size.
    pub until_ns: Option<u64>,
    /// Launches go on until this is met; without it the plan has so many.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub goal: Option<Goal>,
    /// For so long jumps between sizes are pinned to the byte; where it is missing they are not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pin_ns: Option<u64>,
    /// Which step of the plan it is made from, where that has `over`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub over: Option<Over>,
    /// Of their nodes' networks the one that transfers between many nodes take; the first where it is missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network: Option<Network>,
}

impl Step {
    /// Its phases over a testbed of so many nodes with agents, those of the first size first.
    ///
    /// Fails when there are too few nodes, or the step did not come from `load` and is wrong.
    pub fn phases(&self, nodes: u32) -> Result<Vec<Phase>, PlanError> {
        let sizes = self.checked_sizes(nodes)?;
        self.on_its_network(self.pattern.phases(&sizes, nodes, Reach::AGENTS))
    }

    /// How many phases it has on what reaches so far.
    pub fn phase_count(&self, nodes: u32, reach: Reach) -> Result<usize, PlanError> {
        let sizes = self.checked_sizes(nodes)?;
        let count = self.pattern.phase_count(&sizes, nodes, reach);
        count.map_err(|reason| self.fails_to_expand(&reason))
    }

    /// Some of its phases, by their positions, on what reaches so far.
    pub fn some_phases(
        &self,
        nodes: u32,
        reach: Reach,
        range: Range<usize>,
    ) -> Result<Vec<Phase>, PlanError> {
        let sizes = self.checked_sizes(nodes)?;
        let is_whole = range == (0..self.phase_count(nodes, reach)?);
        let phases = match is_whole {
            true => self.pattern.phases(&sizes, nodes, reach),
            false => self.pattern.some_phases(&sizes, nodes, reach, range),
        };
        self.on_its_network(phases)
    }

    fn on_its_network(&self, phases: Result<Vec<Phase>, String>) -> Result<Vec<Phase>, PlanError> {
        let mut phases = phases.map_err(|reason| self.fails_to_expand(&reason))?;
        if let Some(network) = self.network {
            network.set(&mut phases);
        }
        Ok(phases)
    }

    fn checked_sizes(&self, nodes: u32) -> Result<Vec<u64>, PlanError> {
        self.check_nodes(nodes)?;
        let sizes = self.sizes.sizes();
        if sizes.is_empty() || sizes.contains(&0) {
            return Err(self.fails("its sizes must be at least one, and all positive".to_owned()));
        }
        self.check_ensemble(&sizes, nodes)?;
        Ok(sizes)
    }

    fn fails_to_expand(&self, reason: &str) -> PlanError {
        self.fails(format!("{}: {reason}", self.pattern.name()))
    }

    fn check_nodes(&self, nodes: u32) -> Result<(), PlanError> {
        let needed = match self.transport {
            Transport::Null if self.pattern.is_pair() => 1,
            _ => self.pattern.nodes(),
        };
        if nodes >= needed {
            return Ok(());
        }
        let pattern = self.pattern.name();
        Err(self.fails(format!(
            "{pattern} needs {needed} nodes, the testbed has {nodes}"
        )))
    }

    /// What reading has refused already, and how many processors there must be.
    fn check_ensemble(&self, sizes: &[u64], nodes: u32) -> Result<(), PlanError> {
        let Some(pattern) = self.pattern.ensemble() else {
            return Ok(());
        };
        ensemble::check(pattern)
            .and_then(|()| pattern.suits(sizes, &self.stop))
            .map_err(|(key, right)| self.fails(format!("{key}: {right}")))?;
        if !self.transport.carries(&self.pattern) {
            let reason = cannot_carry(self.transport, &self.pattern);
            return Err(self.fails(format!("transport: {reason}")));
        }
        match &self.options.cpus {
            Some(cpus) if (1..nodes as usize).contains(&cpus.len()) => Err(self.fails(format!(
                "options.cpus has {} CPUs, the testbed has {nodes} nodes; give one per node",
                cpus.len()
            ))),
            _ => Ok(()),
        }
    }

    fn fails(&self, reason: String) -> PlanError {
        PlanError::Expansion {
            step: self.name.clone(),
            reason,
        }
    }

    /// Reads one of the plan's `steps`.
    pub(crate) fn read(value: &toml::Value, path: &str, limits: &Limits) -> Result<Self> {
        let section = Section::unchecked(value, path, "[[steps]] followed by its keys")?;
        let mut pattern = Pattern::read(&section, &KEYS)?;
        let transport = read_transport(&section, &pattern)?;
        if let (Pattern::Collective(pattern), Transport::Mpi) = (&mut pattern, transport) {
            pattern.add_library();
        }
        let (stop, goal) = read_stop(&section, &pattern)?;
        let step = Self {
            name: section
                .name("name")?
                .unwrap_or_else(|| pattern.name().to_owned()),
            options: Options::read(&section, transport, &pattern)?,
            sizes: read_sizes(&section, &pattern, limits)?
                .within(transport.message_bytes(&pattern)),
            stop,
            goal,
            until_ns: read_until(&section, &pattern)?,
            pin_ns: read_pin(&section, &pattern, goal.is_some())?,
            network: Network::read(&section, transport)?,
            pattern,
            transport,
            over: None,
        };
        step.transport
            .suits(&step.pattern, &step.sizes.sizes())
            .map_err(|(key, right)| section.refuse(key, right))?;
        let suits =
            |pattern: &dyn ensemble::Ensemble| pattern.suits(&step.sizes.sizes(), &step.stop);
        if let Pattern::MultiPair(pattern) = &step.pattern {
            let suited = pattern.suits(&step.stop);
            suited.map_err(|(key, right)| section.refuse(key, right))?;
        }
        match step.pattern.ensemble().map(suits) {
            Some(Err((key, right))) => Err(section.refuse(key, right)),
            _ => Ok(step),
        }
    }
}

/// A trace and a traffic simulation have sizes of their own, and Linpack that of its matrix.
fn read_sizes(section: &Section, pattern: &Pattern, limits: &Limits) -> Result<SizeSchedule> {
    let bytes = match pattern {
        Pattern::Program(_) | Pattern::Traffic(_) => 1,
        Pattern::Hpl(hpl) => hpl.bytes(),
        _ => return SizeSchedule::read(section, limits),
    };
    section.only_for(
        "sizes",
        "patterns other than \"program\", \"traffic\" and \"hpl\"",
    )?;
    Ok(SizeSchedule::List { bytes: vec![bytes] })
}

/// Users go on until what they get is known closely.
fn read_stop(section: &Section, pattern: &Pattern) -> Result<(StopRule, Option<Goal>)> {
    if !matches!(pattern, Pattern::Webserver(_)) && !pattern.is_program() {
        // A size under several loads has several times.
        let one_time = pattern.is_pair() && pattern.loads().is_empty();
        let between = match (pattern.is_pair(), pattern.is_round_trip()) {
            (true, _) => Between::Two,
            (false, false) => Between::Many,
            (false, true) => Between::ManyPairs,
        };
        return StopRule::read(section, between, one_time);
    }
    let others =
        "patterns other than \"webserver\", \"program\", \"collective\", \"traffic\" and \"hpl\"";
    section.only_for("stop", others)?;
    let trials = match pattern.usual_trials() {
        Some(usual) => section
            .count("trials", 1..=MOST_EXECUTIONS)?
            .unwrap_or(usual),
        None => 1,
    };
    let once = StopRule::Count {
        repeats: 1,
        trials,
        at_most_ns: None,
    };
    Ok((once, None))
}

fn read_transport(section: &Section, pattern: &Pattern) -> Result<Transport> {
    let transport = section.choice("transport", &Transport::NAMED)?;
    let transport = transport.unwrap_or(Transport::Tcp);
    if transport == Transport::Tcp {
        Ok(transport)
    } else if !transport.carries(pattern) {
        Err(section.refuse("transport", cannot_carry(transport, pattern)))
    } else {
        check_computing(section, transport, pattern)?;
        Ok(transport)
    }
}

/// An application computes with what an agent receives.
fn check_computing(section: &Section, transport: Transport, pattern: &Pattern) -> Result<()> {
    let right = match (pattern, transport) {
        (Pattern::Webserver(_), _) => "must be \"tcp\" where an application computes",
        (_, Transport::Mpi | Transport::Null) if !pattern.loads().is_empty() => {
            "must be \"tcp\", \"udp\" or another over which agents receive where an application computes (gamma)"
        }
        _ => return Ok(()),
    };
    Err(section.refuse("transport", right))
}

fn cannot_carry(transport: Transport, pattern: &Pattern) -> String {
    if transport == Transport::Mpi {
        return format!(
            "{:?} is over \"tcp\"; \"mpi\" carries all others",
            pattern.name()
        );
    }
    format!(
        "{:?} is for pattern = \"pingpong\" or \"stream\"; between many nodes it is \"tcp\" or \"mpi\"",
        transport.name()
    )
}

/// The phases of many nodes are settled before the first, so that nothing can be left out on the way.
fn read_until(section: &Section, pattern: &Pattern) -> Result<Option<u64>> {
    if !pattern.is_pair() {
        section.only_for_pairs("until")?;
    }
    if !pattern.loads().is_empty() {
        section.only_for("until", "a step without `gamma` and `users`")?;
    }
    if matches!(pattern, Pattern::MultiPair(_)) {
        section.only_for(
            "until",
            "other patterns than \"multipair\", which has `at_most`",
        )?;
    }
    section.time("until")
}

/// Round trips show a jump in both directions; with a goal, launches end before there is one.
fn read_pin(section: &Section, pattern: &Pattern, has_goal: bool) -> Result<Option<u64>> {
    let pin_ns = section.time("pin")?;
    match pattern {
        _ if pin_ns.is_none() => Ok(None),
        Pattern::Pingpong if !has_goal => Ok(pin_ns),
        Pattern::Pingpong => Err(section.refuse("pin", "needs stop.rule = \"time\" or \"count\"")),
        _ => section
            .only_for("pin", "pattern = \"pingpong\"")
            .map(|()| None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::Grain;
    use crate::phase::{Transfer, Work};

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
                at_most_ns: None,
            },
            goal: None,
            until_ns: None,
            pin_ns: None,
            over: None,
            network: None,
        }
    }

    fn streaming(window: u32) -> Pattern {
        Pattern::Stream {
            window,
            gamma: Vec::new(),
            compute: Grain::default(),
        }
    }

    #[test]
    fn a_ping_pong_goes_there_and_back() {
        let phases = step(Pattern::Pingpong, Transport::Tcp, &[8, 64])
            .phases(2)
            .unwrap();
        let there = Transfer::new(0, 1, 64);
        let back = Transfer::new(1, 0, 64);
        assert_eq!(
            phases[1],
            Phase {
                index: 1,
                size_bytes: 64,
                work: Work::Pingpong,
                transfers: vec![there, back],
                arrangement: None,
            }
        );
    }

    #[test]
    fn a_stream_goes_there() {
        let phases = step(streaming(4), Transport::Tcp, &[8]).phases(5).unwrap();
        assert_eq!(phases[0].transfers, [Transfer::new(0, 1, 8)]);
    }

    #[test]
    fn each_load_is_a_phase_of_each_size() {
        let pattern = Pattern::Stream {
            window: 1,
            gamma: vec![0.0, 0.5, 1.0],
            compute: Grain::default(),
        };
        let step = step(pattern, Transport::Tcp, &[8, 64]);
        let phases = step.phases(2).unwrap();
        let seen: Vec<_> = phases
            .iter()
            .map(|phase| {
                (
                    phase.index,
                    phase.size_bytes,
                    step.pattern.load_of(phase.index),
                )
            })
            .collect();
        let at = |index, bytes, load| (index, bytes, Some(load));
        let first = [at(0, 8, 0.0), at(1, 8, 0.5), at(2, 8, 1.0)];
        assert_eq!(seen[..3], first);
        assert_eq!(seen[5], at(5, 64, 1.0));
        let count = step.phase_count(2, Reach::AGENTS).unwrap();
        assert_eq!(count, 6);
        assert_eq!(streaming(1).load_of(3), None);
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
        let phases = step(streaming(1), Transport::Null, &[8]).phases(1).unwrap();
        assert_eq!(phases[0].transfers, [Transfer::new(0, 0, 8)]);
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
