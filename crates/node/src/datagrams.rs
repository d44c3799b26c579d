//! Streams of datagrams, batch by batch as an agent sends them: how many arrive, and where the others are lost.

use weft_netsim::samples::{Batches, PhaseOutcome, Timed};
use weft_netsim::table;
use weft_plan::{Phase, Rate, Step};

use crate::engine::{Exchange, Failure, Pair, Place, Sent, Tally, Watch};
use crate::machine::Machine;

/// What is sent to find out the achievable rate: first a few, then for about as long as queues need to fill.
const FEW_MESSAGES: u64 = 64;
const PROBE_PS: f64 = 1e11;
/// No batch has more.
const MOST_MESSAGES: u64 = 1_000_000;

/// One batch.
#[derive(Debug, Clone)]
pub struct Streamed {
    pub sent: Sent,
    /// By place.
    pub lost: [u64; Place::ALL.len()],
    /// What each node was busy with meanwhile.
    pub tallies: [Tally; 2],
    pub events: u64,
    pub fingerprint: u64,
}

table! {
    /// What became of messages that may be lost, by column: a row for each batch.
    pub struct Deliveries {
        phase: i64,
        batch: i64,
        sent: i64,
        received: i64,
        ring: i64,
        backlog: i64,
        overrun: i64,
        jitter_ns: i64,
        span_ns: i64,
        sending_ns: i64,
    }
}

/// Sends a batch at the step's rate, once it is known how long one takes.
pub fn stream<W: Watch>(
    machine: &Machine,
    exchange: Exchange,
    step: &Step,
    watch: W,
) -> Result<(Streamed, W), Failure> {
    let mut pair = Pair::watched(machine, exchange, watch);
    let few_ps = each_ps(&pair.send_datagrams(FEW_MESSAGES, 0)?);
    let gap_ps = match step.options.rate {
        None => 0.0,
        Some(Rate::BitsPerS(rate)) => exchange.message_bytes as f64 * 8e12 / rate as f64,
        Some(Rate::Percent(share)) => {
            let messages = (PROBE_PS / few_ps) as u64;
            let messages = messages.clamp(FEW_MESSAGES, MOST_MESSAGES);
            each_ps(&pair.send_datagrams(messages, 0)?) * 100.0 / f64::from(share)
        }
    };
    let each_s = few_ps.max(gap_ps) / 1e12;
    let messages = u64::from(Timed::alone(each_s).messages(&step.stop)).min(MOST_MESSAGES);
    let before = [pair.tally(0), pair.tally(1)];
    let lost_before = pair.lost(1);
    pair.reset_budget();
    let sent = pair.send_datagrams(messages, gap_ps as u64)?;
    let lost = pair.lost(1);
    let streamed = Streamed {
        sent,
        lost: std::array::from_fn(|place| lost[place] - lost_before[place]),
        tallies: [0, 1].map(|at| pair.tally(at).since(&before[at])),
        events: pair.events(),
        fingerprint: pair.fingerprint(),
    };
    Ok((streamed, pair.into_watch()))
}

fn each_ps(sent: &Sent) -> f64 {
    sent.elapsed_ps() / sent.received.max(1) as f64
}

impl Streamed {
    /// A message that arrived, in seconds; all of it where none did.
    pub fn each_s(&self) -> f64 {
        each_ps(&self.sent) / 1e12
    }

    /// The batch again and again, as the step wants it.
    pub fn add_rows(&self, step: &Step, phase: &Phase, bottleneck: u32, rows: &mut PhaseOutcome) {
        let elapsed_s = self.sent.elapsed_ps() / 1e12;
        let batches = Batches {
            count: step.stop.trials_within((elapsed_s * 1e9) as u64),
            size_bytes: phase.size_bytes,
            messages: self.sent.received as u32,
            start_s: 0.0,
            elapsed_s,
            bottleneck,
        };
        rows.add_batches(&phase.transfers[0], batches);
    }
}

impl Deliveries {
    /// Adds the batches of a stream.
    pub fn add_stream(&mut self, phase: &PhaseOutcome, streamed: &Streamed) {
        let sent = &streamed.sent;
        let [ring, backlog, overrun] = streamed.lost;
        for batch in 0..phase.rows.len() {
            self.phase.push(i64::from(phase.index));
            self.batch.push(batch as i64);
            self.sent.push(sent.messages as i64);
            self.received.push(sent.received as i64);
            self.ring.push(ring as i64);
            self.backlog.push(backlog as i64);
            self.overrun.push(overrun as i64);
            self.jitter_ns.push((sent.jitter_ps / 1e3) as i64);
            self.span_ns.push((sent.span_ps() / 1000) as i64);
            self.sending_ns.push((sent.sending_ps() / 1000) as i64);
        }
    }

    /// Adds the batches of a ping-pong, of which nothing was lost: else there would be none.
    pub fn add_round_trips(&mut self, phase: &PhaseOutcome) {
        for (batch, messages) in phase.rows.messages.iter().enumerate() {
            let elapsed_ns = phase.rows.elapsed_ns[batch];
            self.phase.push(i64::from(phase.index));
            self.batch.push(batch as i64);
            self.sent.push(i64::from(*messages));
            self.received.push(i64::from(*messages));
            self.ring.push(0);
            self.backlog.push(0);
            self.overrun.push(0);
            self.jitter_ns.push(0);
            self.span_ns.push(elapsed_ns);
            self.sending_ns.push(elapsed_ns);
        }
    }
}
