//! What is known to happen later, in order of time; of equal times the first that was noted.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// An event's time, its number and what it is, in one number: bits of floating-point numbers that are not negative are
/// in the order of the numbers.
type Key = Reverse<(u64, u64)>;

/// Something that happens at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// A processor has done what it did.
    Done { processor: u32 },
    /// A message is whole at its destination.
    Arrived { send: u32 },
    /// An interface or a connection may let the next message out.
    Free { outlet: u32 },
}

/// The events to come.
#[derive(Debug, Default)]
pub struct Events {
    heap: BinaryHeap<Key>,
    count: u64,
}

/// Kinds take the lowest bits, the things that they are of the next ones; the number of the event stands above.
const KINDS: u64 = 4;
const THING_BITS: u32 = 34;

impl Events {
    pub fn add(&mut self, at_s: f64, event: Event) {
        let (kind, thing) = match event {
            Event::Done { processor } => (0, processor),
            Event::Arrived { send } => (1, send),
            Event::Free { outlet } => (2, outlet),
        };
        let what = u64::from(thing) * KINDS + kind;
        // Beyond 2^30 events numbers begin anew, which only changes the order of what is at the same time.
        self.heap
            .push(Reverse((at_s.to_bits(), self.count << THING_BITS | what)));
        self.count += 1;
    }

    pub fn next_s(&self) -> f64 {
        let next = self.heap.peek();
        next.map_or(f64::INFINITY, |next| f64::from_bits(next.0.0))
    }

    /// Takes the next one, if it is not after a time.
    pub fn take(&mut self, until_s: f64) -> Option<(f64, Event)> {
        let at_s = self.next_s();
        if at_s > until_s {
            return None;
        }
        let what = self.heap.pop()?.0.1 & ((1 << THING_BITS) - 1);
        let thing = (what / KINDS) as u32;
        let event = match what % KINDS {
            0 => Event::Done { processor: thing },
            1 => Event::Arrived { send: thing },
            _ => Event::Free { outlet: thing },
        };
        Some((at_s, event))
    }
}
