//! Round trips of many pairs at a time. Each is as long as on an idle network: one message is on its way at a time, and
//! pairs of a phase are disjoint, so that they rarely meet.

use weft_plan::{Phase, StopRule, Transfer};

use super::amount::Amount;
use super::outcome::{Batches, PhaseOutcome};
use super::setup::{Setup, narrowest};

/// A timed phase of tiny messages would have millions.
const MOST_TRIPS: u64 = 10_000;

pub fn run(
    setup: &mut Setup<'_>,
    phase: &Phase,
    rule: StopRule,
    transfers: &[Transfer],
    outcome: &mut PhaseOutcome,
) {
    for transfer in transfers {
        match round_trip(setup, transfer, phase.size_bytes) {
            Some((trip_s, bottleneck)) => {
                let batches = Batches {
                    count: trips(rule, trip_s),
                    size_bytes: phase.size_bytes,
                    messages: 1,
                    start_s: 0.0,
                    elapsed_s: trip_s,
                    bottleneck,
                };
                outcome.add_batches(transfer, batches);
            }
            None => outcome.fail(transfer),
        }
    }
    outcome.events = 1;
}

/// How long a message takes there and back, and the narrowest constraint on the path there.
pub fn round_trip(
    setup: &mut Setup<'_>,
    transfer: &Transfer,
    size_bytes: u64,
) -> Option<(f64, u32)> {
    let (there_s, bottleneck) = one_way(setup, transfer, size_bytes)?;
    let back = Transfer {
        src: transfer.dst,
        dst: transfer.src,
        ..*transfer
    };
    let (back_s, _) = one_way(setup, &back, size_bytes)?;
    Some((there_s + back_s, bottleneck))
}

/// How long a message takes that is alone, and the narrowest constraint on its way.
pub fn one_way(setup: &mut Setup<'_>, transfer: &Transfer, size_bytes: u64) -> Option<(f64, u32)> {
    setup.clear();
    let path = setup.add(transfer, Amount::Bytes(size_bytes), size_bytes)?;
    let bottleneck = narrowest(setup, setup.transfers.route(0));
    let capacities = setup.network.capacities();
    let mut route = setup.transfers.route(0).iter();
    let is_dead = route.any(|at| capacities[*at as usize] == 0.0);
    (!is_dead).then(|| (setup.isolated_s(&path, size_bytes), bottleneck))
}

/// How many round trips a rule asks for.
fn trips(rule: StopRule, trip_s: f64) -> u32 {
    let trips = match rule {
        StopRule::Count {
            repeats,
            trials,
            at_most_ns,
        } => {
            let fitting = at_most_ns.map_or(u64::MAX, |most| fitting(most, trip_s));
            fitting.min(u64::from(repeats) * u64::from(trials))
        }
        StopRule::Time {
            trial_ns, trials, ..
        } => fitting(trial_ns * u64::from(trials), trip_s),
    };
    trips.clamp(1, MOST_TRIPS) as u32
}

/// How many round trips begin in a time.
fn fitting(time_ns: u64, trip_s: f64) -> u64 {
    (time_ns as f64 / 1e9 / trip_s).ceil() as u64
}
