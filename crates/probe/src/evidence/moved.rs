//! What a session itself has sent and received: what else its interface carried is of others.

use std::cell::Cell;
use std::rc::Rc;

use super::source::{Counter, Source, Value};

/// Payload so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moved {
    pub sent_bytes: u64,
    pub received_bytes: u64,
}

impl Moved {
    /// Both directions together.
    pub fn bytes(&self) -> u64 {
        self.sent_bytes + self.received_bytes
    }

    pub fn and(self, other: Moved) -> Moved {
        Moved {
            sent_bytes: self.sent_bytes + other.sent_bytes,
            received_bytes: self.received_bytes + other.received_bytes,
        }
    }
}

/// As the session says itself.
pub struct MovedBytes(pub Rc<Cell<Moved>>);

impl Source for MovedBytes {
    fn counters(&self) -> Vec<Counter> {
        vec![
            Counter::new("session_sent_bytes"),
            Counter::new("session_received_bytes"),
        ]
    }

    fn read(&mut self, values: &mut [Value]) {
        let moved = self.0.get();
        values.copy_from_slice(&[Some(moved.sent_bytes), Some(moved.received_bytes)]);
    }
}
