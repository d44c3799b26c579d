//! What is timed of a member's part, and whether the member has been stopped.

use std::collections::HashMap;

use serde::Serialize;
use weft_plan::program::Own;

use super::super::channels::Done;
use super::activity::Span;

/// A stretch of a member's time, in ns on the run's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Lap {
    /// Its number among those of the member.
    pub lap: u32,
    pub begin_ns: i64,
    pub end_ns: i64,
    /// What came meanwhile, where the member was stopped.
    pub received_bytes: u64,
}

/// One execution.
pub struct Laps<'a> {
    own: &'a Own,
    /// By operation that a lap begins or ends with.
    ended_ns: HashMap<u32, u64>,
    stopped_ns: Option<u64>,
    /// Operations that had not ended when it was stopped, and when the last one had.
    left: usize,
    last_ns: u64,
    received_bytes: u64,
}

impl<'a> Laps<'a> {
    /// All memory is reserved here.
    pub fn new(own: &'a Own) -> Laps<'a> {
        let ends = own.laps().iter().flat_map(|lap| [lap.begin, lap.end]);
        Laps {
            own,
            ended_ns: ends.map(|operation| (operation, 0)).collect(),
            stopped_ns: None,
            left: own.operations().len(),
            last_ns: 0,
            received_bytes: 0,
        }
    }

    /// Whether what is sent now is to be empty.
    pub fn cuts(&self) -> bool {
        self.stopped_ns.is_some()
    }

    /// A message has come or gone.
    pub fn moved(&mut self, done: &Done) {
        let is_stop = self.own.stop() == Some(done.token);
        match &done.message {
            Some(message) if !is_stop && !self.cuts() => self.received_bytes += message.bytes,
            _ => {}
        }
    }

    /// An operation has ended.
    pub fn ended(&mut self, operation: u32, at_ns: u64) {
        if self.own.stop() == Some(operation) {
            self.stopped_ns = Some(at_ns);
        } else if !self.cuts() {
            (self.left, self.last_ns) = (self.left - 1, at_ns);
        }
        if let Some(ended_ns) = self.ended_ns.get_mut(&operation) {
            *ended_ns = at_ns;
        }
    }

    /// All of them; of a member that was stopped, its time until then, or until it had nothing more to do.
    pub fn all(&self, start_ns: u64, shift_ns: i64) -> Vec<Lap> {
        let lap = |lap, (begin_ns, end_ns): Span, received_bytes| Lap {
            lap,
            begin_ns: begin_ns as i64 + shift_ns,
            end_ns: end_ns as i64 + shift_ns,
            received_bytes,
        };
        if let Some(stopped_ns) = self.stopped_ns {
            // The stop itself has not been counted.
            let has_done_all = self.left == 1;
            let end_ns = if has_done_all {
                self.last_ns
            } else {
                stopped_ns
            };
            return vec![lap(0, (start_ns, end_ns), self.received_bytes)];
        }
        let laps = (0..).zip(self.own.laps());
        laps.map(|(number, one)| {
            let span = (self.ended_ns[&one.begin], self.ended_ns[&one.end]);
            lap(number, span, 0)
        })
        .collect()
    }
}

#[cfg(test)]
mod tests {
    use weft_plan::program::{Action, Message, Node};

    use super::super::super::channels::Taken;
    use super::*;

    fn came(token: u32, at_ns: u64, bytes: u64) -> Done {
        let message = Taken {
            src: 0,
            bytes,
            is_announced: false,
            began_ns: 0,
        };
        Done {
            message: Some(message),
            ..Done::sent(token, at_ns)
        }
    }

    /// Sends twice, receives, and is stopped by operation 3.
    fn stopped() -> Own {
        let message = Message {
            peer: 0,
            bytes: 9,
            tag: 0,
        };
        let mut node = Node::default();
        node.add(Action::Send(message));
        node.add(Action::Send(message));
        node.add(Action::Receive(message));
        node.stop = Some(node.add(Action::Receive(message)));
        Own::of(node)
    }

    #[test]
    fn a_member_is_timed_until_it_is_stopped_or_has_done_all() {
        let own = stopped();
        for (is_late, end_ns) in [(true, 140), (false, 130)] {
            let mut laps = Laps::new(&own);
            let mut take = |done: Done| {
                laps.moved(&done);
                laps.ended(done.token, done.at_ns);
            };
            take(Done::sent(0, 110));
            take(came(2, 120, 9));
            if !is_late {
                take(Done::sent(1, 130));
            }
            take(came(3, 140, 1));
            if is_late {
                take(Done::sent(1, 150));
            }
            assert!(laps.cuts());
            let right = Lap {
                lap: 0,
                begin_ns: 95,
                end_ns: end_ns - 5,
                received_bytes: 9,
            };
            assert_eq!(laps.all(100, -5), [right]);
        }
    }
}
