//! The phases of a step, some of them at a time.

use std::collections::HashSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use weft_plan::{Phase, Step, StopRule};

use crate::network::Network;
use crate::simulate::{Fingerprint, Interrupted};

use super::columns::{Columns, Loads, nanoseconds};
use super::pair;
use super::parameters::Parameters;
use super::phase::{self, Common, PhaseOutcome};
use super::setup::Setup;

/// A network with what the simulation knows besides.
#[derive(Debug, Clone, Copy)]
pub struct Simulator<'a> {
    pub network: &'a dyn Network,
    pub parameters: Parameters,
}

/// What became of some phases of a step.
#[derive(Debug, Clone, Default)]
pub struct Outcome {
    /// Times count from the start of the first phase's barrier.
    pub rows: Columns,
    pub loads: Loads,
    pub phases: Vec<PhaseSummary>,
    /// From the first barrier's start to the last end.
    pub span_ns: i64,
    /// See `simulate::Solution`; the largest of all phases.
    pub idle_s: f64,
    pub events: u64,
}

/// A phase, without its rows.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PhaseSummary {
    pub index: u32,
    /// When its transfers begin.
    pub start_ns: i64,
    pub span_ns: i64,
    pub barrier_ns: i64,
    /// Transfers that never arrive: their ends.
    pub failed: Vec<(u32, u32)>,
    pub fingerprint: Fingerprint,
}

/// Phases, each with the rule that stops it where that is not the step's.
pub type Chosen = [(Phase, Option<StopRule>)];

impl Simulator<'_> {
    /// Carries out some phases of a step without the hosts that are lost.
    pub fn run(
        &self,
        step: &Step,
        phases: &Chosen,
        lost: &HashSet<u32>,
        with_loads: bool,
        stop: &AtomicBool,
    ) -> Result<Outcome, Interrupted> {
        let common = Common {
            step,
            lost,
            stop,
            with_loads,
        };
        let outcomes = match step.pattern.is_pair() {
            true => self.run_pair(step, phases),
            false => self.run_ensemble(common, phases)?,
        };
        Ok(joined(outcomes))
    }

    fn run_pair(&self, step: &Step, phases: &Chosen) -> Vec<PhaseOutcome> {
        let mut setup = Setup::new(self.network, self.parameters);
        let phases: Vec<_> = phases.iter().map(|(phase, _)| phase.clone()).collect();
        pair::run(&mut setup, step, &phases)
    }

    /// Whoever is free takes the next phase; phases know nothing of each other, so it does not matter who does.
    fn run_ensemble(
        &self,
        common: Common<'_>,
        phases: &Chosen,
    ) -> Result<Vec<PhaseOutcome>, Interrupted> {
        let next = AtomicUsize::new(0);
        let done = Mutex::new(vec![None; phases.len()]);
        let work = || {
            let mut setup = Setup::new(self.network, self.parameters);
            loop {
                let position = next.fetch_add(1, Ordering::Relaxed);
                let Some((phase, rule)) = phases.get(position) else {
                    return;
                };
                if common.stop.load(Ordering::Relaxed) {
                    return;
                }
                let rule = rule.unwrap_or(common.step.stop);
                let outcome = phase::run(&mut setup, common, phase, rule).ok();
                if let Ok(mut done) = done.lock() {
                    done[position] = outcome;
                }
            }
        };
        let threads = self.parameters.threads.clamp(1, phases.len().max(1));
        std::thread::scope(|scope| {
            for _ in 1..threads {
                scope.spawn(work);
            }
            work();
        });
        let done = done.into_inner().unwrap_or_default();
        let done: Option<Vec<_>> = done.into_iter().collect();
        done.ok_or(Interrupted)
    }
}

/// One phase after the other.
pub fn joined(outcomes: Vec<PhaseOutcome>) -> Outcome {
    let mut all = Outcome::default();
    for one in outcomes {
        let barrier_ns = nanoseconds(one.barrier_s);
        let start_ns = all.span_ns + barrier_ns;
        let span_ns = nanoseconds(one.span_s);
        all.rows.append(one.rows, start_ns);
        all.loads.append(one.loads);
        all.span_ns = start_ns + span_ns;
        all.idle_s = all.idle_s.max(one.idle_s);
        all.events += one.events;
        all.phases.push(PhaseSummary {
            index: one.index,
            start_ns,
            span_ns,
            barrier_ns,
            failed: one.failed,
            fingerprint: one.fingerprint,
        });
    }
    all
}
