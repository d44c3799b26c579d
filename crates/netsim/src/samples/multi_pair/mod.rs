//! Several pairs of processes between two hosts at once. All begin at the same moment and share what their ways have in
//! common, so that pairs with equal ways stay in step.

mod bond;

use weft_plan::{MultiPair, Phase, Policy, Step, StopRule, Test, Transfer};

use crate::network::Path;
use crate::simulate::Interrupted;

use super::outcome::{Batches, Common, PhaseOutcome};
use super::pair::Timed;
use super::pingpong::one_way;
use super::setup::Setup;
use bond::spread;

/// Carries out the phases of a step.
pub fn run(
    setup: &mut Setup<'_>,
    common: Common<'_>,
    pattern: &MultiPair,
    phases: &[Phase],
) -> Result<Vec<PhaseOutcome>, Interrupted> {
    let segments_per_ack = setup.parameters.segments_per_ack;
    let mut carried = |phase: &Phase| {
        // Frames of a bond overtake each other, and a segment that comes out of order is acknowledged at once (RFC 5681,
        // section 4.2).
        setup.parameters.segments_per_ack = match is_over_bond(pattern, phase) {
            true => segments_per_ack.min(1),
            false => segments_per_ack,
        };
        let mut outcome = PhaseOutcome::of(phase, 0);
        match timed(setup, common, pattern, phase, &mut outcome)? {
            Some(pairs) => add_rows(common.step, pattern, phase, &pairs, &mut outcome),
            None => outcome.fail(&phase.transfers[0]),
        }
        Ok(outcome)
    };
    let found = phases.iter().map(&mut carried).collect();
    setup.parameters.segments_per_ack = segments_per_ack;
    found
}

fn is_over_bond(pattern: &MultiPair, phase: &Phase) -> bool {
    let policy = phase.arrangement.map(|one| one.policy);
    policy == Some(Policy::Bonded) && pattern.networks > 1
}

/// Adds the rows of a phase, given what its pairs take: the t-th timing of pair p of k is batch t k + p. All pairs do the
/// same number, and begin the next timing together.
pub fn add_rows(
    step: &Step,
    pattern: &MultiPair,
    phase: &Phase,
    pairs: &[Timed],
    outcome: &mut PhaseOutcome,
) {
    let StopRule::Count {
        repeats, trials, ..
    } = step.stop
    else {
        return;
    };
    let message_s = pairs.iter().map(Timed::message_s).fold(0.0, f64::max);
    let messages = pattern.messages(repeats, phase.size_bytes, message_s);
    let elapsed_s = pairs.iter().map(|one| one.batch_s(messages));
    let whole_s = elapsed_s.clone().fold(0.0, f64::max);
    let ends = &phase.transfers[0];
    for trial in 0..trials {
        for (pair, (one, elapsed_s)) in pairs.iter().zip(elapsed_s.clone()).enumerate() {
            let batches = Batches {
                count: 1,
                size_bytes: phase.size_bytes,
                messages,
                start_s: f64::from(trial) * whole_s,
                elapsed_s,
                bottleneck: one.bottleneck,
            };
            let batch = trial * pairs.len() as u32 + pair as u32;
            outcome.add_batches_from(ends, batches, batch);
        }
    }
}

/// What the messages of each pair take; None where one has no way.
fn timed(
    setup: &mut Setup<'_>,
    common: Common<'_>,
    pattern: &MultiPair,
    phase: &Phase,
    outcome: &mut PhaseOutcome,
) -> Result<Option<Vec<Timed>>, Interrupted> {
    let Some(pairs) = by_pair(setup, pattern, phase) else {
        return Ok(None);
    };
    let of = |src: Option<u32>| -> Vec<Vec<Transfer>> {
        let is_of = |one: &&Transfer| src.is_none_or(|src| one.src == src);
        let some = pairs.iter().map(|all| all.iter().filter(is_of));
        some.map(|some| some.copied().collect()).collect()
    };
    let first = phase.transfers[0];
    if pattern.test == Test::Latency {
        let there = shared(setup, common, &of(Some(first.src)), outcome)?;
        let back = shared(setup, common, &of(Some(first.dst)), outcome)?;
        let whole = |(there, back): (Leg, Leg)| Timed {
            each_s: there.each_s + there.behind_s + back.each_s + back.behind_s,
            window_s: 0.0,
            window: 1,
            crossings: 1.0,
            bottleneck: there.bottleneck,
        };
        let both = there.zip(back);
        return Ok(both.map(|(there, back)| there.into_iter().zip(back).map(whole).collect()));
    }
    let back = Transfer {
        src: first.dst,
        dst: first.src,
        ..first
    };
    let acknowledged_s = match pattern.test {
        Test::OneWay => one_way(setup, &back, 1).map_or(f64::INFINITY, |(back_s, _)| back_s),
        _ => 0.0,
    };
    let overhead_s = setup.parameters.overhead_s;
    let whole = |leg: Leg| Timed {
        each_s: leg.each_s.max(overhead_s),
        window_s: leg.behind_s + acknowledged_s,
        window: pattern.window,
        crossings: 1.0,
        bottleneck: leg.bottleneck,
    };
    let legs = shared(setup, common, &of(None), outcome)?;
    Ok(legs.map(|legs| legs.into_iter().map(whole).collect()))
}

/// The transfers of each pair, those of a bond as one for each interface; None where one has no way.
fn by_pair(
    setup: &mut Setup<'_>,
    pattern: &MultiPair,
    phase: &Phase,
) -> Option<Vec<Vec<Transfer>>> {
    let pairs = pattern.by_pair(phase);
    if !is_over_bond(pattern, phase) {
        return Some(pairs);
    }
    let mut spread_all = |all: &Vec<Transfer>| {
        let spread = all.iter().map(|one| spread(setup, one, pattern.networks));
        Some(spread.collect::<Option<Vec<_>>>()?.concat())
    };
    pairs.iter().map(&mut spread_all).collect()
}

/// What a message of a pair takes: at its rate, and behind that to arrive.
#[derive(Debug, Clone, Copy, Default)]
struct Leg {
    each_s: f64,
    behind_s: f64,
    bottleneck: u32,
}

/// A message over each way of each pair, all at once; a pair is over when its last one is.
fn shared(
    setup: &mut Setup<'_>,
    common: Common<'_>,
    pairs: &[Vec<Transfer>],
    outcome: &mut PhaseOutcome,
) -> Result<Option<Vec<Leg>>, Interrupted> {
    setup.clear();
    let all = pairs.iter().flatten();
    let paths = all.map(|one| setup.add_message(one));
    let Some(paths) = paths.collect::<Option<Vec<Path>>>() else {
        return Ok(None);
    };
    let solved = outcome.solve(setup, common)?;
    if solved.end_s.contains(&f64::INFINITY) {
        return Ok(None);
    }
    let mut at = 0;
    let legs = pairs.iter().map(|ways| {
        ways.iter().fold(Leg::default(), |slowest, way| {
            let leg = Leg {
                each_s: solved.end_s[at],
                behind_s: setup.latency_s(&paths[at], way.bytes).max(slowest.behind_s),
                bottleneck: solved.bottleneck[at],
            };
            at += 1;
            match leg.each_s >= slowest.each_s {
                true => leg,
                false => Leg {
                    behind_s: leg.behind_s,
                    ..slowest
                },
            }
        })
    });
    Ok(Some(legs.collect()))
}
