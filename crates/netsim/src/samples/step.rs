//! The phases of a step, some of them at a time.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::atomic::AtomicBool;

use weft_plan::{Pattern, Phase, PlanError, Reach, Step, StopRule};

use crate::simulate::{Interrupted, side_by_side};

use super::all_pairs::AllPairs;
use super::digest::{Condenser, Tally};
use super::multi_pair;
use super::outcome::{Common, Keep, PhaseOutcome};
use super::pair;
use super::parameters::{Sharing, Simulator};
use super::phase;
use super::reno;
use super::setup::Setup;
use super::summary::{Outcome, joined};

/// Phases, each with the rule that stops it where that is not the step's.
pub type Chosen = [(Phase, Option<StopRule>)];

/// Why there is no outcome.
#[derive(Debug)]
pub enum Halt {
    Interrupted,
    /// So many transfers cannot be made.
    Refused(PlanError),
}

impl From<Interrupted> for Halt {
    fn from(_: Interrupted) -> Self {
        Self::Interrupted
    }
}

impl From<PlanError> for Halt {
    fn from(why: PlanError) -> Self {
        Self::Refused(why)
    }
}

/// How many are expanded at a time where phases are condensed.
const MOST_TRANSFERS: usize = 1 << 20;

impl Simulator<'_> {
    /// Why a step cannot be simulated with these parameters, if it cannot.
    pub fn refusal(&self, step: &Step) -> Option<String> {
        if step.pattern.is_program() && self.parameters.sharing != Sharing::MaxMin {
            let name = self.parameters.sharing.name();
            return Some(format!(
                "sharing={name} is for phases; programs share max-min fairly"
            ));
        }
        reno::refusal(self.network, self.parameters, step)
    }

    /// Carries out some phases of a step without the hosts that are lost.
    pub fn run(
        &self,
        step: &Step,
        phases: &Chosen,
        lost: &HashSet<u32>,
        keep: Keep,
        stop: &AtomicBool,
    ) -> Result<Outcome, Interrupted> {
        let common = Common {
            step,
            lost,
            stop,
            keep,
        };
        let (outcomes, tally) = match step.pattern.is_pair() {
            true => (self.run_pair(common, phases)?, Tally::default()),
            false => self.run_ensemble(common, phases)?,
        };
        Ok(Outcome {
            tally,
            ..joined(outcomes)
        })
    }

    /// Carries out a range of a step's phases and condenses each to about `most_rows` rows; no more of them than these
    /// are in memory at a time.
    pub fn condense(
        &self,
        step: &Step,
        range: Range<usize>,
        lost: &HashSet<u32>,
        most_rows: usize,
        stop: &AtomicBool,
    ) -> Result<Outcome, Halt> {
        let hosts = self.network.hosts();
        let block = (MOST_TRANSFERS / hosts).max(self.parameters.threads);
        let keep = Keep {
            loads: false,
            rows: Some(most_rows),
        };
        let mut all = Outcome::default();
        for first in range.clone().step_by(block) {
            let some = first..range.end.min(first + block);
            let pairs = AllPairs::of(self, step, &some, lost);
            let found = pairs.map(|pairs| pairs.run(most_rows, stop)).transpose()?;
            if let Some(outcome) = found.flatten() {
                all.append(outcome);
                continue;
            }
            let phases = step.some_phases(hosts as u32, Reach::SIMULATOR, some)?;
            let phases: Vec<_> = phases.into_iter().map(|phase| (phase, None)).collect();
            all.append(self.run(step, &phases, lost, keep, stop)?);
        }
        Ok(all)
    }

    fn run_pair(
        &self,
        common: Common<'_>,
        phases: &Chosen,
    ) -> Result<Vec<PhaseOutcome>, Interrupted> {
        let mut setup = Setup::new(self.network, self.parameters);
        let phases: Vec<_> = phases.iter().map(|(phase, _)| phase.clone()).collect();
        match &common.step.pattern {
            Pattern::MultiPair(pattern) => multi_pair::run(&mut setup, common, pattern, &phases),
            _ => Ok(pair::run(&mut setup, common.step, &phases)),
        }
    }

    /// A free thread takes the next phase; phases are independent, so it does not matter which does.
    fn run_ensemble(
        &self,
        common: Common<'_>,
        phases: &Chosen,
    ) -> Result<(Vec<PhaseOutcome>, Tally), Interrupted> {
        let start = || Worker {
            setup: Setup::new(self.network, self.parameters),
            condenser: Condenser::new(self.network.capacities().len()),
            done: Vec::new(),
        };
        let threads = self.parameters.threads.clamp(1, phases.len().max(1));
        let work = |worker: &mut Worker<'_>, position: usize| {
            let (phase, rule) = &phases[position];
            worker.carry_out(common, position, phase, rule.unwrap_or(common.step.stop));
        };
        let workers = side_by_side(phases.len(), threads, common.stop, start, work)?;
        let mut tally = Tally::default();
        let mut done = Vec::new();
        for worker in workers {
            tally.merge(&worker.condenser.tally);
            done.extend(worker.done);
        }
        done.sort_unstable_by_key(|(position, _)| *position);
        let outcomes = done.into_iter().map(|(_, outcome)| outcome);
        Ok((outcomes.collect::<Result<_, _>>()?, tally))
    }
}

/// What a thread carries phases out with, and those that it has, by their position.
struct Worker<'a> {
    setup: Setup<'a>,
    condenser: Condenser,
    done: Vec<(usize, Result<PhaseOutcome, Interrupted>)>,
}

impl Worker<'_> {
    fn carry_out(&mut self, common: Common<'_>, position: usize, phase: &Phase, rule: StopRule) {
        let mut outcome = phase::run(&mut self.setup, common, phase, rule);
        if let (Ok(outcome), Some(most_rows)) = (&mut outcome, common.keep.rows) {
            let rows = &mut outcome.rows;
            outcome.digest = self.condenser.condense(phase, rows, most_rows);
        }
        self.done.push((position, outcome));
    }
}
