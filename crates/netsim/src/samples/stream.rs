//! Streams: so many messages each, or as many as fit into a time.

use weft_plan::{Phase, StopRule, Transfer};

use crate::packets::Span;
use crate::simulate::Interrupted;

use super::amount::Amount;
use super::outcome::{Batches, Common, PhaseOutcome};
use super::parameters::Sharing;
use super::placed::Placed;
use super::reno::{self, WARM_UP_DIVISOR};
use super::setup::Setup;

pub fn run(
    setup: &mut Setup<'_>,
    common: Common<'_>,
    phase: &Phase,
    rule: StopRule,
    transfers: &[Transfer],
    outcome: &mut PhaseOutcome,
) -> Result<(), Interrupted> {
    setup.clear();
    let mut placed: Vec<Placed<'_>> = Vec::with_capacity(transfers.len());
    for transfer in transfers {
        let amount = Amount::of(rule, phase.size_bytes);
        match Placed::add(setup, transfer, amount, phase.size_bytes) {
            Some(one) => placed.push(one),
            None => outcome.fail(transfer),
        }
    }
    match rule {
        StopRule::Count {
            repeats, trials, ..
        } => count(setup, common, phase, &placed, (repeats, trials), outcome),
        StopRule::Time { trial_ns, .. } => {
            let trials = rule.trials_within(trial_ns);
            time(setup, common, phase, &placed, (trial_ns, trials), outcome)
        }
    }
}

/// Several trials go over one connection without a pause; each takes an equal part of the time.
fn count(
    setup: &mut Setup<'_>,
    common: Common<'_>,
    phase: &Phase,
    placed: &[Placed<'_>],
    (repeats, trials): (u32, u32),
    outcome: &mut PhaseOutcome,
) -> Result<(), Interrupted> {
    let solved = match setup.parameters.sharing {
        Sharing::MaxMin => outcome.solve(setup, common)?,
        Sharing::Reno => reno::ends(setup, placed, outcome, common.stop)?,
    };
    for one in placed {
        let (transfer, path) = (one.transfer, &one.path);
        let (end_s, bottleneck) = one.end(&solved.end_s, &solved.bottleneck);
        let latency_s = match setup.parameters.sharing {
            Sharing::MaxMin => setup.latency_s(path, phase.size_bytes),
            // Frames have been on their way.
            Sharing::Reno => 2.0 * setup.parameters.overhead_s,
        };
        let end_s = end_s + latency_s;
        if end_s == f64::INFINITY {
            outcome.fail(transfer);
            continue;
        }
        let batches = Batches {
            count: trials,
            size_bytes: phase.size_bytes,
            messages: repeats,
            start_s: 0.0,
            elapsed_s: end_s / f64::from(trials),
            bottleneck,
        };
        outcome.add_batches(transfer, batches);
    }
    if common.keep.loads {
        outcome.add_arrived_loads(setup, &solved);
    }
    Ok(())
}

fn time(
    setup: &mut Setup<'_>,
    common: Common<'_>,
    phase: &Phase,
    placed: &[Placed<'_>],
    (trial_ns, trials): (u64, u32),
    outcome: &mut PhaseOutcome,
) -> Result<(), Interrupted> {
    let from_ns = trial_ns / WARM_UP_DIVISOR;
    let span = Span {
        from_ns,
        until_ns: from_ns.saturating_add(trial_ns.saturating_mul(u64::from(trials))),
    };
    let solved = match setup.parameters.sharing {
        Sharing::MaxMin => {
            let capacities = setup.capacities();
            setup.solver.rates(&capacities, &setup.transfers)
        }
        Sharing::Reno => reno::rates(setup, placed, span, common.stop)?,
    };
    let trial_s = trial_ns as f64 / 1e9;
    let warm_up_s = from_ns as f64 / 1e9;
    let framing = setup.framing();
    for one in placed {
        let (transfer, path) = (one.transfer, &one.path);
        let bits_per_s = one.sum(&solved.bits_per_s) / framing.expansion(path.mtu_bytes);
        let messages_per_s = bits_per_s / 8.0 / phase.size_bytes as f64;
        let messages = (messages_per_s * trial_s).round().min(f64::from(i32::MAX));
        let batches = Batches {
            count: trials,
            size_bytes: phase.size_bytes,
            messages: messages as u32,
            start_s: warm_up_s,
            elapsed_s: match messages > 0.0 {
                // A whole message more or less is much of a short trial, and the same for all.
                true => messages / messages_per_s,
                false => trial_s,
            },
            bottleneck: solved.bottleneck[one.first()],
        };
        outcome.add_batches(transfer, batches);
    }
    outcome.events = 1;
    outcome.span_s = warm_up_s + f64::from(trials) * trial_s;
    if common.keep.loads {
        outcome.add_loads(setup, |index| solved.bits_per_s[index], 1.0);
    }
    Ok(())
}
