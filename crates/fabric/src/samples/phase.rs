//! One phase: a barrier, then all transfers at once.

use std::collections::HashSet;
use std::sync::atomic::AtomicBool;

use weft_plan::{Phase, Step, StopRule, Transfer, Work};

use crate::simulate::{Fingerprint, Interrupted, NOTHING, Settings};

use super::columns::{Columns, Loads};
use super::setup::Setup;
use super::{cast, chain, pingpong, stream};

/// What became of a phase.
#[derive(Debug, Clone, Default)]
pub struct PhaseOutcome {
    pub index: u32,
    /// Times count from the end of the barrier.
    pub rows: Columns,
    pub loads: Loads,
    /// From the end of the barrier to the last end.
    pub span_s: f64,
    pub barrier_s: f64,
    /// Transfers that never arrive: their ends.
    pub failed: Vec<(u32, u32)>,
    /// See `simulate::Solution`.
    pub idle_s: f64,
    pub events: u64,
    pub fingerprint: Fingerprint,
}

/// What all phases of a step have in common.
#[derive(Clone, Copy)]
pub struct Common<'a> {
    pub step: &'a Step,
    /// Hosts that take no part.
    pub lost: &'a HashSet<u32>,
    pub stop: &'a AtomicBool,
    /// Whether to note what constraints carried.
    pub with_loads: bool,
}

impl Common<'_> {
    pub fn settings(&self, setup: &Setup<'_>) -> Settings<'_> {
        Settings {
            tolerance: setup.parameters.tolerance,
            stop: self.stop,
        }
    }
}

/// Carries out a phase of a step between many nodes under a stop rule.
pub fn run(
    setup: &mut Setup<'_>,
    common: Common<'_>,
    phase: &Phase,
    rule: StopRule,
) -> Result<PhaseOutcome, Interrupted> {
    let transfers = chain::without(phase, common.lost);
    let mut outcome = PhaseOutcome {
        index: phase.index,
        barrier_s: barrier_s(setup, &transfers),
        ..PhaseOutcome::default()
    };
    match phase.work {
        Work::Stream => stream::run(setup, common, phase, rule, &transfers, &mut outcome)?,
        Work::Pingpong => pingpong::run(setup, phase, rule, &transfers, &mut outcome),
        Work::Cast => cast::run(setup, common, phase, &transfers, &mut outcome)?,
    }
    Ok(outcome)
}

fn barrier_s(setup: &mut Setup<'_>, transfers: &[Transfer]) -> f64 {
    let Some(first) = transfers.first() else {
        return 0.0;
    };
    if let Some(barrier_s) = setup.parameters.barrier_s {
        return barrier_s;
    }
    let ends = transfers.iter().flat_map(|one| [one.src, one.dst]);
    let nodes = ends.collect::<HashSet<_>>().len();
    let rounds = f64::from(nodes.next_power_of_two().ilog2());
    let way = setup.find_way(first);
    way.map_or(0.0, |way| rounds * setup.alone_s(&way, 1))
}

impl PhaseOutcome {
    /// Notes what the constraints carried, given what each transfer did in bits over the phase.
    pub fn add_loads(&mut self, setup: &Setup<'_>, bits: impl Fn(usize) -> f64, span_s: f64) {
        if span_s <= 0.0 || span_s == f64::INFINITY {
            return;
        }
        let mut carried = vec![0.0; setup.network.capacities().len()];
        for index in 0..setup.transfers.len() {
            for at in setup.transfers.route(index) {
                carried[*at as usize] += bits(index);
            }
        }
        for (constraint, bits) in carried.iter().enumerate().filter(|(_, bits)| **bits > 0.0) {
            self.loads.phase.push(self.index as i32);
            self.loads.constraint.push(constraint as u32);
            self.loads.bits_per_s.push(bits / span_s);
        }
    }

    /// What a transfer without a way is held back by.
    pub fn fail(&mut self, transfer: &Transfer) {
        self.failed.push((transfer.src, transfer.dst));
    }
}

/// The constraint on a route that carries least, for a message alone.
pub fn narrowest(setup: &Setup<'_>, route: &[u32]) -> u32 {
    let capacity = |at: &&u32| setup.network.capacities()[**at as usize];
    let least = route
        .iter()
        .min_by(|one, other| capacity(one).total_cmp(&capacity(other)));
    least
        .copied()
        .filter(|at| capacity(&at).is_finite())
        .unwrap_or(NOTHING)
}
