//! Messages until they take the same time again and again.

use crate::engine::{Exchange, Failure, Pair, Stage, Tally, Unwatched, Watch};
use crate::machine::Machine;

/// Of a steady state.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    /// From one message to the next; with answers, a round trip.
    pub period_ps: f64,
    pub messages: u64,
    /// What each node was busy with meanwhile.
    pub tallies: [Tally; 2],
    /// Where a message's time went, mean over messages; with answers, of both ways together.
    pub budget_ps: [f64; Stage::ALL.len()],
    pub events: u64,
    /// Of all events, from the first.
    pub fingerprint: u64,
}

/// Batches over which the interval is taken, at least and at most.
const LEAST_BATCHES: usize = 5;
const MOST_BATCHES: usize = 40;
/// Enough when the interval reaches no further than this part of the mean to each side.
const TIGHT: f64 = 1e-3;
/// The same with caches, where round trips differ by what happens to be in them.
const TIGHT_CACHES: f64 = 5e-3;
/// A message of megabytes touches a million lines.
const MOST_BATCHES_CACHES: usize = 8;
/// Student's t at 95 % for `LEAST_BATCHES`; a little too careful for more.
const STUDENT_T: f64 = 2.776;
/// More tiny messages than a send buffer holds segments.
const MOST_BATCH_MESSAGES: u64 = 2048;
/// Of small frames a ring may hold very many.
const MOST_RING_MESSAGES: u64 = 64;
/// A batch of a stream is so many receive buffers long, so that windows and coalescing come round in it.
const BATCH_BUFFERS: u64 = 4;

/// Carries out an exchange until the mean time of batches of messages is known closely, warm-up left out.
pub fn measure(machine: &Machine, exchange: Exchange) -> Result<Measured, Failure> {
    observe(machine, exchange, Unwatched).map(|(measured, _)| measured)
}

/// The same with an observer, which changes nothing.
pub fn observe<W: Watch>(
    machine: &Machine,
    exchange: Exchange,
    watch: W,
) -> Result<(Measured, W), Failure> {
    let mut pair = Pair::watched(machine, exchange, watch);
    let reader = match exchange.answer_bytes {
        0 => 1,
        _ => 0,
    };
    let batch = batch_messages(machine, exchange);
    let (tight, most) = match machine.memory.caches() {
        Some(_) => (TIGHT_CACHES, MOST_BATCHES_CACHES),
        None => (TIGHT, MOST_BATCHES),
    };
    run_batch(&mut pair, reader, batch)?;
    let before = [pair.tally(0), pair.tally(1)];
    let mut budget = [0u64; Stage::ALL.len()];
    let mut batches_ps = Vec::with_capacity(MOST_BATCHES);
    let began_ps = before[0].elapsed_ps;
    let mut ended_ps = began_ps;
    while batches_ps.len() < most && !is_enough(&batches_ps, exchange, tight) {
        pair.reset_budget();
        let end_ps = run_batch(&mut pair, reader, batch)?;
        batches_ps.push((end_ps - ended_ps) as f64);
        ended_ps = end_ps;
        let parts = pair.budget_ps();
        budget
            .iter_mut()
            .zip(parts)
            .for_each(|(sum, part)| *sum += part);
    }
    let messages = batch * batches_ps.len() as u64;
    let tallies = [0, 1].map(|at| pair.tally(at).since(&before[at]));
    let measured = Measured {
        period_ps: (ended_ps - began_ps) as f64 / messages as f64,
        messages,
        tallies,
        budget_ps: budget.map(|part| part as f64 / messages as f64),
        events: pair.events(),
        fingerprint: pair.fingerprint(),
    };
    Ok((measured, pair.into_watch()))
}

fn run_batch<W: Watch>(
    pair: &mut Pair<'_, W>,
    reader: usize,
    messages: u64,
) -> Result<u64, Failure> {
    let mut end_ps = 0;
    for _ in 0..messages {
        end_ps = pair.next_message(reader)?;
    }
    Ok(end_ps)
}

/// Round trips follow one another; messages of a stream overlap. Caches remember where in the ring a frame lay, so that
/// with them it goes round in a batch.
pub fn batch_messages(machine: &Machine, exchange: Exchange) -> u64 {
    if exchange.answer_bytes > 0 {
        let mtu_bytes = u64::from(machine.nic.mtu_bytes);
        let slots = machine.nic.ring_bytes / mtu_bytes;
        let frames = exchange.message_bytes.div_ceil(mtu_bytes);
        return match machine.memory.caches() {
            Some(_) => slots.div_ceil(frames).clamp(1, MOST_RING_MESSAGES),
            None => 1,
        };
    }
    let bytes = BATCH_BUFFERS * machine.sockets.receive_bytes;
    bytes
        .div_ceil(exchange.message_bytes)
        .clamp(1, MOST_BATCH_MESSAGES)
}

/// Round trips do not overlap: two that take the same time to the picosecond repeat for ever.
fn is_enough(batches_ps: &[f64], exchange: Exchange, tight: f64) -> bool {
    match batches_ps {
        [.., one, other] if exchange.answer_bytes > 0 && one == other => true,
        _ => batches_ps.len() >= LEAST_BATCHES && is_within(batches_ps, tight),
    }
}

/// Whether the interval of the mean reaches no further than a part of it to each side.
pub fn is_within(batches_ps: &[f64], part: f64) -> bool {
    let count = batches_ps.len();
    let mean = batches_ps.iter().sum::<f64>() / count as f64;
    let squares: f64 = batches_ps.iter().map(|one| (one - mean).powi(2)).sum();
    let error = (squares / (count - 1) as f64 / count as f64).sqrt();
    STUDENT_T * error <= part * mean
}
