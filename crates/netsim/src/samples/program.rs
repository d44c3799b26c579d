//! Programs as phases of a step: their messages are its samples.

use std::collections::HashMap;
use std::sync::atomic::AtomicBool;

use crate::program::{self, Activity, Cast, Costs, Delivery, Failure, Timed, play};
use crate::simulate::{Fingerprint, side_by_side};
use crate::table;
use weft_fabric::hash::of_pair;

use super::columns::{Columns, Row, nanoseconds};
use super::outcome::PhaseOutcome;
use super::parameters::Simulator;
use super::summary::{Outcome, joined};

/// What became of programs.
#[derive(Debug, Clone, Default)]
pub struct Played {
    pub outcome: Outcome,
    pub activities: Activities,
    pub laps: Laps,
    /// How many messages there were; fewer may be kept.
    pub messages: u64,
}

table! {
    /// What hosts did with their time, by phase: until the last end of their own.
    pub struct Activities {
        phase: i32,
        node: i32,
        compute_ns: i64,
        communicate_ns: i64,
        wait_ns: i64,
        end_ns: i64,
    }
}

impl Activities {
    fn push(&mut self, phase: u32, host: u32, of: &Activity) {
        self.phase.push(phase as i32);
        self.node.push(host as i32);
        self.compute_ns.push(nanoseconds(of.compute_s));
        self.communicate_ns.push(nanoseconds(of.communicate_s));
        self.wait_ns.push(nanoseconds(of.wait_s));
        self.end_ns.push(nanoseconds(of.end_s));
    }
}

table! {
    /// What was timed of hosts, by phase; from its begin.
    pub struct Laps {
        phase: i32,
        node: i32,
        lap: i32,
        begin_ns: i64,
        end_ns: i64,
        received_bytes: i64,
    }
}

impl Laps {
    fn push(&mut self, phase: u32, host: u32, of: &Timed) {
        self.phase.push(phase as i32);
        self.node.push(host as i32);
        self.lap.push(of.lap as i32);
        self.begin_ns.push(nanoseconds(of.begin_s));
        self.end_ns.push(nanoseconds(of.end_s));
        self.received_bytes.push(of.received_bytes as i64);
    }
}

/// Why programs were not played to their end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unplayed {
    Interrupted,
    /// What is wrong.
    Refused(String),
}

/// One of them.
struct Part {
    phase: PhaseOutcome,
    hosts: Vec<u32>,
    activities: Vec<Activity>,
    timed: Vec<Timed>,
    messages: u64,
}

impl Simulator<'_> {
    /// Plays the programs that `cast` makes for some phases, and keeps about `most_rows` messages of each. A free thread
    /// takes the next one.
    pub fn play<'a>(
        &self,
        phases: &[u32],
        cast: impl Fn(u32) -> Result<Cast<'a>, String> + Sync,
        most_rows: usize,
        stop: &AtomicBool,
    ) -> Result<Played, Unplayed> {
        let threads = self.parameters.threads.clamp(1, phases.len().max(1));
        let work = |done: &mut Vec<(u32, Result<Part, Unplayed>)>, position: usize| {
            let index = phases[position];
            done.push((index, self.play_one(index, &cast, most_rows, stop)));
        };
        let parts = side_by_side(phases.len(), threads, stop, Vec::new, work);
        let parts = parts.map_err(|_| Unplayed::Interrupted)?;
        let mut parts: Vec<_> = parts.into_iter().flatten().collect();
        parts.sort_unstable_by_key(|(index, _)| *index);
        let parts = parts.into_iter().map(|(_, part)| part);
        Ok(together(parts.collect::<Result<_, _>>()?))
    }

    fn play_one<'a>(
        &self,
        index: u32,
        cast: &impl Fn(u32) -> Result<Cast<'a>, String>,
        most_rows: usize,
        stop: &AtomicBool,
    ) -> Result<Part, Unplayed> {
        let cast = cast(index).map_err(Unplayed::Refused)?;
        let mut kept = Kept::new(index, most_rows, cast.program.messages());
        let mut keep = |one| kept.add(&cast.hosts, one);
        let found = play(self, Costs::default(), &cast, stop, &mut keep);
        let found = found.map_err(|why| self.unplayed(why, &cast.hosts))?;
        let ends = found.activities.iter().map(|one| one.end_s);
        Ok(Part {
            messages: kept.messages,
            phase: PhaseOutcome {
                index,
                span_s: ends.fold(0.0, f64::max),
                events: found.events,
                fingerprint: kept.fingerprint,
                rows: kept.rows,
                ..PhaseOutcome::default()
            },
            hosts: cast.hosts,
            activities: found.activities,
            timed: found.timed,
        })
    }

    fn unplayed(&self, why: program::Unplayed, hosts: &[u32]) -> Unplayed {
        match why {
            program::Unplayed::Refused(why) => Unplayed::Refused(why),
            program::Unplayed::Failed(Failure::Interrupted) => Unplayed::Interrupted,
            program::Unplayed::Failed(Failure::NoWay { src, dst }) => {
                let name = |node: u32| self.network.host_name(hosts[node as usize] as usize);
                let ends = format!("rank {src} ({}) to rank {dst} ({})", name(src), name(dst));
                Unplayed::Refused(format!("no way from {ends}, or a link on it is dead"))
            }
        }
    }
}

fn together(parts: Vec<Part>) -> Played {
    let mut all = Played::default();
    let mut phases = Vec::new();
    for part in parts {
        all.messages += part.messages;
        for (host, activity) in part.hosts.iter().zip(&part.activities) {
            all.activities.push(part.phase.index, *host, activity);
        }
        for one in &part.timed {
            let host = part.hosts[one.node as usize];
            all.laps.push(part.phase.index, host, one);
        }
        phases.push(part.phase);
    }
    all.outcome = joined(phases);
    all
}

/// The messages of a phase as rows, the first, and all between some ends; those between the same ends are numbered in their
/// order. Which ends depends on nothing but them and the phase, as in digests.
struct Kept {
    phase: u32,
    /// Ends with a higher hash are left out.
    last_hash: u64,
    rows: Columns,
    numbers: HashMap<(u32, u32), u32>,
    /// How many there were.
    messages: u64,
    fingerprint: Fingerprint,
}

impl Kept {
    fn new(phase: u32, most_rows: usize, messages: u64) -> Self {
        let part = most_rows as f64 / messages.max(1) as f64;
        Self {
            phase,
            last_hash: (part * u64::MAX as f64) as u64,
            rows: Columns::default(),
            numbers: HashMap::new(),
            messages: 0,
            fingerprint: Fingerprint::default(),
        }
    }

    fn add(&mut self, hosts: &[u32], one: Delivery) {
        let [src, dst] = [one.src, one.dst].map(|node| hosts[node as usize]);
        self.messages += 1;
        self.fingerprint.add_word(one.end_s.to_bits());
        self.fingerprint
            .add_word(u64::from(src) << 32 | u64::from(dst));
        let hash = of_pair(self.phase.into(), src.into(), dst.into());
        if hash > self.last_hash && !self.rows.is_empty() {
            return;
        }
        let number = self.numbers.entry((src, dst)).or_default();
        let row = Row {
            batch: *number,
            src,
            dst,
            size_bytes: one.bytes,
            messages: 1,
            start_s: one.start_s,
            elapsed_s: one.end_s - one.start_s,
            bottleneck: one.bottleneck,
        };
        *number += 1;
        self.rows.push(self.phase, row);
    }
}
