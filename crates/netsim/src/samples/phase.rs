//! One phase: a barrier, then all transfers at once.

use weft_plan::{Phase, StopRule, Work};

use crate::simulate::Interrupted;

use super::barrier::barrier_s;
use super::outcome::{Common, PhaseOutcome};
use super::setup::Setup;
use super::{cast, chain, pingpong, stream};

/// Carries out a phase of a step between many nodes under a stop rule.
pub fn run(
    setup: &mut Setup<'_>,
    common: Common<'_>,
    phase: &Phase,
    rule: StopRule,
) -> Result<PhaseOutcome, Interrupted> {
    let transfers = chain::without(phase, common.lost);
    let mut outcome = PhaseOutcome::of(phase, 0);
    outcome.barrier_s = barrier_s(setup, &transfers);
    match phase.work {
        Work::Stream => stream::run(setup, common, phase, rule, &transfers, &mut outcome)?,
        Work::Pingpong => pingpong::run(setup, phase, rule, &transfers, &mut outcome),
        Work::Cast => cast::run(setup, common, &transfers, &mut outcome)?,
    }
    Ok(outcome)
}
