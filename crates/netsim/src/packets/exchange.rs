//! Connections that all send at once: every frame from its host through each limit on its way, and what is sent back.

use std::sync::atomic::{AtomicBool, Ordering};

use weft_fabric::queue::Schedule;

use crate::simulate::Interrupted;
use weft_fabric::hash::mixed;

use super::connection::{Carried, Completed, Connection, Span};
use super::queue::{Limit, Queue};
use super::receiver::{Acknowledgement, Answer, Receiver};
use super::sender::Sender;

/// Connections begin within so long, as agents do that wait for the same barrier.
const BEGIN_WITHIN_NS: u64 = 50_000_000;
/// How long Linux waits at least for a second segment to acknowledge.
const DELAYED_ACK_NS: u64 = 40_000_000;
/// After so long a host tries again that threw away a frame of its own.
const OWN_DROP_NS: u64 = 40_000_000;
/// So many frames are in the host's card, full ones; with those the kernel has nothing more to do.
const RING_FRAMES: u64 = 2;
/// Ranges behind a gap: so many fit into the header beside time stamps (RFC 2018), and what they take there.
const MOST_RANGES: usize = 3;
const RANGES_BYTES: u64 = 4;
const RANGE_BYTES: u64 = 8;
/// Looking whether to stop costs more than a frame does.
const FRAMES_PER_LOOK: u64 = 4096;

/// Carries connections from their beginning to the end of a span. When exactly each begins follows from `seed`.
pub fn carry(
    limits: &[Limit],
    connections: &[Connection],
    span: Span,
    seed: u64,
    stop: &AtomicBool,
) -> Result<Carried, Interrupted> {
    let mut exchange = Exchange::new(limits, connections);
    exchange.begin(seed, BEGIN_WITHIN_NS);
    exchange.run(span.from_ns, stop)?;
    let before = exchange.arrived();
    exchange.run(span.until_ns, stop)?;
    let after = exchange.arrived().into_iter();
    Ok(Carried {
        segments: after
            .zip(before)
            .map(|(after, before)| after - before)
            .collect(),
        lost: exchange.ends.into_iter().map(|end| end.lost).collect(),
        frames: exchange.frames,
    })
}

/// Carries connections of a number of segments each until the last has arrived. They begin within so long.
pub fn complete(
    limits: &[Limit],
    connections: &[Connection],
    within_ns: u64,
    seed: u64,
    stop: &AtomicBool,
) -> Result<Completed, Interrupted> {
    let mut exchange = Exchange::new(limits, connections);
    let begins_ns = exchange.begin(seed, within_ns);
    exchange.run(u64::MAX, stop)?;
    let ends = exchange.ends.iter().zip(begins_ns);
    Ok(Completed {
        took_ns: ends.map(|(end, begin_ns)| end.done_ns - begin_ns).collect(),
        lost: exchange.ends.into_iter().map(|end| end.lost).collect(),
        frames: exchange.frames,
    })
}

struct Exchange<'a> {
    connections: &'a [Connection],
    ends: Vec<Ends>,
    /// Connections whose last segment has not arrived.
    unfinished: usize,
    queues: Vec<Queue>,
    schedule: Schedule<Event>,
    frames: u64,
}

/// What both ends of a connection share.
struct Ends {
    sender: Sender,
    receiver: Receiver,
    /// When the sender's next alarm is in the schedule: an earlier one than is due is put off when it comes.
    alarm_ns: u64,
    /// The same of the receiver's delayed answer, and when that is really due.
    answer_ns: u64,
    answer_due_ns: u64,
    /// When the last segment arrived.
    done_ns: u64,
    lost: Vec<u64>,
}

struct Event {
    connection: usize,
    what: What,
}

/// `step` is how many limits a frame has passed.
enum What {
    Begin,
    LeftHost,
    Segment { segment: u64, step: usize },
    Answer { said: Acknowledgement, step: usize },
    Alarm,
    DelayedAnswer,
}

impl<'a> Exchange<'a> {
    fn new(limits: &[Limit], connections: &'a [Connection]) -> Self {
        let frames = connections.iter().map(|connection| connection.frame_bytes);
        let largest = frames.max().unwrap_or(0);
        let ends = |connection: &Connection| Ends {
            sender: Sender::new(connection.segments, connection.most_segments),
            receiver: Receiver::default(),
            alarm_ns: u64::MAX,
            answer_ns: u64::MAX,
            answer_due_ns: u64::MAX,
            done_ns: 0,
            lost: vec![0; connection.there.len()],
        };
        Self {
            connections,
            ends: connections.iter().map(ends).collect(),
            unfinished: connections.len(),
            queues: limits
                .iter()
                .map(|limit| Queue::new(*limit, largest))
                .collect(),
            schedule: Schedule::new(),
            frames: 0,
        }
    }

    /// Lets each connection begin at a time within so long; gives those times.
    fn begin(&mut self, seed: u64, within_ns: u64) -> Vec<u64> {
        let begin_ns = |connection| mixed(mixed(seed) ^ connection as u64) % within_ns;
        let begins_ns: Vec<_> = (0..self.connections.len()).map(begin_ns).collect();
        for (connection, at_ns) in begins_ns.iter().enumerate() {
            self.plan(*at_ns, connection, What::Begin);
        }
        begins_ns
    }

    fn arrived(&self) -> Vec<u64> {
        let ends = self.ends.iter();
        ends.map(|ends| ends.receiver.segments()).collect()
    }

    fn run(&mut self, until_ns: u64, stop: &AtomicBool) -> Result<(), Interrupted> {
        let mut looked_at = 0;
        while self.unfinished > 0
            && let Some((now_ns, event)) = self.schedule.take_due(until_ns)
        {
            self.happen(now_ns, event);
            if self.frames - looked_at > FRAMES_PER_LOOK {
                looked_at = self.frames;
                if stop.load(Ordering::Relaxed) {
                    return Err(Interrupted);
                }
            }
        }
        Ok(())
    }

    fn happen(&mut self, now_ns: u64, Event { connection, what }: Event) {
        match what {
            What::Begin => self.pump(connection, now_ns),
            What::LeftHost => {
                self.ends[connection].sender.left_host();
                self.pump(connection, now_ns);
            }
            What::Segment { segment, step } => self.forward(connection, segment, step, now_ns),
            What::Answer { said, step } => self.forward_back(connection, said, step, now_ns),
            What::Alarm => self.ring(connection, now_ns),
            What::DelayedAnswer => self.answer_late(connection, now_ns),
        }
    }

    fn plan(&mut self, at_ns: u64, connection: usize, what: What) {
        self.schedule.add(at_ns, Event { connection, what });
    }

    /// Sends what the sender may send.
    fn pump(&mut self, connection: usize, now_ns: u64) {
        while let Some(segment) = self.ends[connection].sender.due() {
            self.send(connection, segment, now_ns);
        }
        self.schedule_alarm(connection);
    }

    fn send(&mut self, connection: usize, segment: u64, now_ns: u64) {
        self.ends[connection].sender.send(segment, now_ns);
        self.forward(connection, segment, 0, now_ns);
    }

    /// Takes a segment to its next limit, or to the receiver.
    fn forward(&mut self, connection: usize, segment: u64, step: usize, now_ns: u64) {
        let whole = &self.connections[connection];
        let Some(limit) = whole.there.get(step) else {
            return self.arrive(connection, segment, now_ns);
        };
        self.frames += 1;
        let passage = self.queues[*limit as usize].pass(now_ns, whole.frame_bytes, whole.src);
        let Some(passage) = passage else {
            return self.lose(connection, step, now_ns);
        };
        if step == 0 {
            let in_ring_ns = RING_FRAMES * passage.takes_ns;
            let left_ns = passage.leaves_ns.saturating_sub(in_ring_ns).max(now_ns);
            self.plan(left_ns, connection, What::LeftHost);
        }
        let step = step + 1;
        self.plan(
            passage.arrives_ns,
            connection,
            What::Segment { segment, step },
        );
    }

    fn lose(&mut self, connection: usize, step: usize, now_ns: u64) {
        self.ends[connection].lost[step] += 1;
        if step == 0 {
            // The host throws away what it sent itself: it is notified at once, and waits before it tries again.
            self.plan(now_ns + OWN_DROP_NS, connection, What::LeftHost);
        }
    }

    fn arrive(&mut self, connection: usize, segment: u64, now_ns: u64) {
        let whole = &self.connections[connection];
        let ends = &mut self.ends[connection];
        let answer = ends.receiver.take(segment, whole.segments_per_ack);
        if ends.done_ns == 0 && ends.receiver.segments() == whole.segments {
            ends.done_ns = now_ns;
            self.unfinished -= 1;
        }
        match answer {
            Answer::Now => self.answer(connection, now_ns),
            Answer::Later => {
                ends.answer_due_ns = now_ns + DELAYED_ACK_NS;
                if ends.answer_ns == u64::MAX {
                    self.schedule_answer(connection);
                }
            }
        }
    }

    fn schedule_answer(&mut self, connection: usize) {
        let ends = &mut self.ends[connection];
        let due_ns = ends.answer_due_ns;
        ends.answer_ns = due_ns;
        self.plan(due_ns, connection, What::DelayedAnswer);
    }

    fn answer(&mut self, connection: usize, now_ns: u64) {
        let ends = &mut self.ends[connection];
        let said = ends.receiver.answer();
        ends.answer_due_ns = u64::MAX;
        self.forward_back(connection, said, 0, now_ns);
    }

    fn answer_late(&mut self, connection: usize, now_ns: u64) {
        let ends = &mut self.ends[connection];
        ends.answer_ns = u64::MAX;
        if !ends.receiver.owes() {
            return;
        }
        if ends.answer_due_ns <= now_ns {
            return self.answer(connection, now_ns);
        }
        self.schedule_answer(connection);
    }

    /// Takes an acknowledgement to its next limit, or to the sender.
    fn forward_back(&mut self, connection: usize, said: Acknowledgement, step: usize, now_ns: u64) {
        let whole = &self.connections[connection];
        let Some(limit) = whole.back.get(step) else {
            self.ends[connection].sender.hear(&said, now_ns);
            return self.pump(connection, now_ns);
        };
        let ranges = said.beyond.len().min(MOST_RANGES) as u64;
        let bytes = match ranges {
            0 => whole.ack_bytes,
            _ => whole.ack_bytes + RANGES_BYTES + ranges * RANGE_BYTES,
        };
        self.frames += 1;
        let passage = self.queues[*limit as usize].pass(now_ns, bytes, whole.dst);
        if let Some(passage) = passage {
            let step = step + 1;
            self.plan(passage.arrives_ns, connection, What::Answer { said, step });
        }
    }

    fn ring(&mut self, connection: usize, now_ns: u64) {
        let ends = &mut self.ends[connection];
        if ends.alarm_ns != now_ns {
            // An earlier one took its place.
            return;
        }
        ends.alarm_ns = u64::MAX;
        if ends
            .sender
            .alarm_ns()
            .is_some_and(|due_ns| due_ns <= now_ns)
        {
            if let Some(probe) = ends.sender.ring(now_ns) {
                self.send(connection, probe, now_ns);
            }
            self.pump(connection, now_ns);
        }
        self.schedule_alarm(connection);
    }

    /// Sees to it that the schedule has an event no later than the alarm.
    fn schedule_alarm(&mut self, connection: usize) {
        let ends = &mut self.ends[connection];
        let due_ns = ends.sender.alarm_ns().unwrap_or(u64::MAX);
        if due_ns < ends.alarm_ns {
            ends.alarm_ns = due_ns;
            self.plan(due_ns, connection, What::Alarm);
        }
    }
}
