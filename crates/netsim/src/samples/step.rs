//! The phases of a step, some of them at a time.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use weft_plan::{Phase, PlanError, Reach, Step, StopRule};

use crate::simulate::Interrupted;

use super::all_pairs::AllPairs;
use super::digest::{Condenser, Tally};
use super::outcome::{Common, Keep, PhaseOutcome};
use super::pair;
use super::parameters::Simulator;
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
            true => (self.run_pair(step, phases), Tally::default()),
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

    fn run_pair(&self, step: &Step, phases: &Chosen) -> Vec<PhaseOutcome> {
        let mut setup = Setup::new(self.network, self.parameters);
        let phases: Vec<_> = phases.iter().map(|(phase, _)| phase.clone()).collect();
        pair::run(&mut setup, step, &phases)
    }

    /// A free thread takes the next phase; phases are independent, so it does not matter which does.
    fn run_ensemble(
        &self,
        common: Common<'_>,
        phases: &Chosen,
    ) -> Result<(Vec<PhaseOutcome>, Tally), Interrupted> {
        let next = AtomicUsize::new(0);
        let done = Mutex::new(vec![None; phases.len()]);
        let tally = Mutex::new(Tally::default());
        let work = || {
            let mut setup = Setup::new(self.network, self.parameters);
            let mut condenser = Condenser::new(self.network.capacities().len());
            loop {
                let position = next.fetch_add(1, Ordering::Relaxed);
                let Some((phase, rule)) = phases.get(position) else {
                    break;
                };
                if common.stop.load(Ordering::Relaxed) {
                    break;
                }
                let rule = rule.unwrap_or(common.step.stop);
                let mut outcome = phase::run(&mut setup, common, phase, rule).ok();
                if let (Some(outcome), Some(most_rows)) = (&mut outcome, common.keep.rows) {
                    outcome.digest = condenser.condense(phase, &mut outcome.rows, most_rows);
                }
                locked(&done)[position] = outcome;
            }
            locked(&tally).merge(&condenser.tally);
        };
        let threads = self.parameters.threads.clamp(1, phases.len().max(1));
        std::thread::scope(|scope| {
            for _ in 1..threads {
                scope.spawn(work);
            }
            work();
        });
        let outcomes: Option<Vec<_>> = taken(done).into_iter().collect();
        Ok((outcomes.ok_or(Interrupted)?, taken(tally)))
    }
}

/// No thread panics while it holds one of these.
fn locked<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

fn taken<T>(shared: Mutex<T>) -> T {
    shared.into_inner().unwrap_or_else(PoisonError::into_inner)
}
