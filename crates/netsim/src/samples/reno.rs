//! What a phase's transfers get of TCP Reno, carried out frame by frame.

use std::ops::Range;
use std::sync::atomic::AtomicBool;

use weft_plan::{Phase, Reach, Step, StopRule, Transfer, Work};

use crate::network::{Flow, Network, Path};
use crate::packets::{Carried, Connection, ENDLESS, Limit, Span, carry, complete};
use crate::simulate::{Interrupted, NOTHING, Rates, Solution};
use weft_fabric::Framing;

use super::outcome::PhaseOutcome;
use super::parameters::{Parameters, Sharing};
use super::placed::Placed;
use super::setup::{Setup, flow_of, narrowest, streams_of};

/// When connections begin changes what they share, as in a network: rates are the mean over so many beginnings.
const BEGINNINGS: u64 = 8;
/// What would take about half an hour on one core.
const MOST_FRAMES: f64 = 2e10;
const FRAMES_PER_S: f64 = 1e7;
const COMMON_FRAME_BITS: f64 = 1538.0 * 8.0;
/// Acknowledgements beside full frames, at most one each for two.
const ACKS_PER_FRAME: f64 = 0.5;

/// The rates of the transfers that are set up, each with its path, on the wire.
pub fn rates(
    setup: &Setup<'_>,
    placed: &[Placed<'_>],
    span: Span,
    stop: &AtomicBool,
) -> Result<Rates, Interrupted> {
    let limits = limits_now(setup);
    let connections: Vec<Vec<Connection>> = placed
        .iter()
        .map(|one| connections(setup, one.transfer, one.path, None))
        .collect();
    let all = connections.concat();
    let launches = (0..BEGINNINGS).map(|seed| carry(&limits, &all, span, seed, stop));
    let launches: Vec<Carried> = launches.collect::<Result<_, _>>()?;
    let counted_s = (span.until_ns - span.from_ns) as f64 / 1e9;
    let mut found = Rates::default();
    let mut first = 0;
    for (index, own) in connections.iter().enumerate() {
        let streams = first..first + own.len();
        first = streams.end;
        let bits_per_s = wire_bits(own, &launches, streams.clone()) / counted_s;
        let cap = setup.transfers.demand(index).cap_bits_per_s;
        found.bits_per_s.push(bits_per_s.min(cap));
        let lost = launches.iter().flat_map(|one| &one.lost[streams.clone()]);
        let route = setup.transfers.route(index);
        found.bottleneck.push(bottleneck(setup, route, lost));
    }
    Ok(found)
}

/// When the transfers that are set up end, each of its bytes on the wire: a transfer ends with the last of its streams.
/// Hosts begin within the time of the barrier, which differs with the phase; a step has many.
pub fn ends(
    setup: &Setup<'_>,
    placed: &[Placed<'_>],
    outcome: &mut PhaseOutcome,
    stop: &AtomicBool,
) -> Result<Solution, Interrupted> {
    let limits = limits_now(setup);
    let bits = |index| setup.transfers.demand(index).bits;
    let connections: Vec<Vec<Connection>> = placed
        .iter()
        .enumerate()
        .map(|(index, one)| connections(setup, one.transfer, one.path, Some(bits(index))))
        .map(|own| {
            if reaches(&limits, &own) {
                own
            } else {
                Vec::new()
            }
        })
        .collect();
    let within_ns = (outcome.barrier_s * 1e9) as u64 + 1;
    let seed = u64::from(outcome.index);
    let done = complete(&limits, &connections.concat(), within_ns, seed, stop)?;
    let mut found = Solution {
        events: done.frames,
        ..Solution::default()
    };
    let mut first = 0;
    for (index, own) in connections.iter().enumerate() {
        let streams = first..first + own.len();
        first = streams.end;
        let took_ns = done.took_ns[streams.clone()].iter().max();
        let is_here = placed[index].transfer.src == placed[index].transfer.dst;
        let nothing_s = if is_here { 0.0 } else { f64::INFINITY };
        let took_s = took_ns.map_or(nothing_s, |ns| *ns as f64 / 1e9);
        let demand = setup.transfers.demand(index);
        found
            .end_s
            .push(took_s.max(demand.bits / demand.cap_bits_per_s));
        let route = setup.transfers.route(index);
        found
            .bottleneck
            .push(bottleneck(setup, route, done.lost[streams].iter()));
    }
    outcome.note(&found);
    Ok(found)
}

/// Whether nothing on the path there and back is dead.
fn reaches(limits: &[Limit], connections: &[Connection]) -> bool {
    let mut crossed = connections
        .iter()
        .flat_map(|one| one.there.iter().chain(&one.back));
    crossed.all(|at| limits[*at as usize].bits_per_s > 0.0)
}

/// What the streams of a transfer carried, the mean over beginnings; infinite where it crosses nothing.
fn wire_bits(own: &[Connection], launches: &[Carried], streams: Range<usize>) -> f64 {
    let Some(one) = own.first() else {
        return f64::INFINITY;
    };
    let segments = launches
        .iter()
        .flat_map(|one| &one.segments[streams.clone()]);
    (segments.sum::<u64>() * one.frame_bytes * 8) as f64 / launches.len() as f64
}

/// Where most of a transfer's frames were lost; where none were, what carries least.
fn bottleneck<'a>(
    setup: &Setup<'_>,
    route: &[u32],
    lost: impl Iterator<Item = &'a Vec<u64>> + Clone,
) -> u32 {
    // Streams may take paths of different lengths.
    let lost_at = |step: &usize| lost.clone().filter_map(|one| one.get(*step)).sum::<u64>();
    let most = (0..route.len()).max_by_key(|step| (lost_at(step), usize::MAX - step));
    match most.filter(|step| lost_at(step) > 0) {
        Some(step) => route[step],
        None if route.is_empty() => NOTHING,
        None => narrowest(setup, route),
    }
}

/// One for each stream; none to oneself. Streams share the bits of the transfer on the wire, where these are counted.
fn connections(
    setup: &Setup<'_>,
    transfer: &Transfer,
    path: Path,
    bits: Option<f64>,
) -> Vec<Connection> {
    let (src, dst) = (transfer.src as usize, transfer.dst as usize);
    if src == dst {
        return Vec::new();
    }
    let route = |flow| {
        let mut route = Vec::new();
        setup.network.hops(flow, &mut route);
        route
    };
    let framing = setup.framing();
    let segment_bytes = framing.segment_bytes(path.mtu_bytes);
    let window_bytes = setup.parameters.window_bytes;
    let most = window_bytes.map_or(u64::from(u32::MAX), |bytes| bytes.div_ceil(segment_bytes));
    let frame_bytes = framing.wire_bytes(segment_bytes, path.mtu_bytes);
    let frames_of = |bits: f64| bits / 8.0 / f64::from(transfer.streams) / frame_bytes as f64;
    let one = |flow: Flow| Connection {
        src,
        dst,
        there: route(flow),
        back: route(flow.back()),
        frame_bytes,
        ack_bytes: framing.wire_bytes(0, path.mtu_bytes),
        segments_per_ack: setup.parameters.segments_per_ack,
        most_segments: most.min(u64::from(u32::MAX)) as u32,
        segments: bits.map_or(ENDLESS, |bits| frames_of(bits).ceil().max(1.0) as u64),
    };
    let each = streams_of(setup.network, transfer);
    each.map(|stream| one(flow_of(&stream))).collect()
}

/// Why a step cannot be carried out frame by frame, if it cannot; only where that is asked for.
pub fn refusal(network: &dyn Network, parameters: Parameters, step: &Step) -> Option<String> {
    if parameters.sharing != Sharing::Reno {
        return None;
    }
    let why = match limits_of(network) {
        Err(why) => why,
        Ok(_) if parameters.segments_per_ack == 0 => {
            "segments_per_ack is 0, and without acknowledgements Reno sends nothing".to_owned()
        }
        Ok(limits) => why_not(network, &limits, step)?,
    };
    Some(format!("sharing=reno: {why}"))
}

/// All limits of a network with the queues before them, if they are known.
fn known_limits(network: &dyn Network) -> Option<Vec<Limit>> {
    let constraints = 0..network.capacities().len();
    constraints.map(|at| network.limit(at)).collect()
}

/// The same with what they carry while the transfers that were added run; networks without are refused before.
fn limits_now(setup: &Setup<'_>) -> Vec<Limit> {
    let mut limits = known_limits(setup.network).unwrap_or_default();
    for (limit, bits_per_s) in limits.iter_mut().zip(setup.capacities().iter()) {
        limit.bits_per_s = *bits_per_s;
    }
    limits
}

/// The same where something holds every host back.
fn limits_of(network: &dyn Network) -> Result<Vec<Limit>, String> {
    let limits = known_limits(network).filter(|_| network.framing() != Framing::Bare);
    let limits = limits.ok_or_else(|| {
        format!(
            "nothing is known of the queues of {}; only fabric files say how many frames wait",
            network.name()
        )
    })?;
    match own_lines(network).find(|at| limits[*at].bits_per_s.is_infinite()) {
        Some(at) => Err(format!(
            "{} has no rate, so that nothing holds its host back; give it one",
            network.constraint_name(at)
        )),
        None => Ok(limits),
    }
}

/// What each host's frames pass first.
fn own_lines(network: &dyn Network) -> impl Iterator<Item = usize> {
    let hosts = network.hosts();
    let of = move |host, number| {
        let mut route = Vec::new();
        let flow = Flow {
            network: number,
            ..Flow::between(host, (host + 1) % hosts)
        };
        network.hops(flow, &mut route);
        route.first().map(|at| *at as usize)
    };
    let numbers = 0..network.networks();
    numbers.flat_map(move |number| (0..hosts).filter_map(move |host| of(host, number)))
}

fn why_not(network: &dyn Network, limits: &[Limit], step: &Step) -> Option<String> {
    let name = &step.name;
    // Phases that are chosen on the path are streams.
    let first = step.some_phases(network.hosts() as u32, Reach::SIMULATOR, 0..1);
    let first = first.unwrap_or_default();
    if step.pattern.is_pair() || first.iter().any(|one| one.work != Work::Stream) {
        return Some(format!(
            "step {name:?} is {}; only streams between many nodes are carried out frame by frame",
            step.pattern.name()
        ));
    }
    let (frames, shorter) = match step.stop {
        StopRule::Time {
            trial_ns, trials, ..
        } => {
            let trials = f64::from(trials) + 1.0 / WARM_UP_DIVISOR as f64;
            let frames = most_frames(limits, trial_ns as f64 / 1e9 * trials);
            (frames, "stop.trial, or take lower rates (--scale)")
        }
        StopRule::Count {
            repeats, trials, ..
        } => {
            let largest = step.sizes.sizes().iter().max().copied().unwrap_or(0);
            let bytes = largest as f64 * f64::from(repeats) * f64::from(trials);
            let frames: f64 = first.iter().map(|phase| crossings(network, phase)).sum();
            (frames * bytes * 8.0 / COMMON_FRAME_BITS, "the blocks")
        }
    };
    let frames = frames * (1.0 + ACKS_PER_FRAME);
    (frames > MOST_FRAMES).then(|| {
        format!(
            "a phase of step {name:?} is up to {:.1e} frames through limits, about {:.0} minutes; shorten {shorter}",
            frames,
            frames / FRAMES_PER_S / 60.0
        )
    })
}

/// What limits let through in so long, over all beginnings.
fn most_frames(limits: &[Limit], seconds: f64) -> f64 {
    let full = limits
        .iter()
        .map(|limit| limit.bits_per_s / COMMON_FRAME_BITS);
    let full = full.filter(|frames| frames.is_finite());
    full.sum::<f64>() * seconds * BEGINNINGS as f64
}

/// How many limits a byte of each transfer passes, added up.
fn crossings(network: &dyn Network, phase: &Phase) -> f64 {
    let mut route = Vec::new();
    for transfer in &phase.transfers {
        network.hops(flow_of(transfer), &mut route);
    }
    route.len() as f64
}

/// Warm-up of a timed stream, as a part of a trial: the agents' own.
pub const WARM_UP_DIVISOR: u64 = 4;
