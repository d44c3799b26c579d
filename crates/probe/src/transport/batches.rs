//! The batches of a step as its driving end sees them, whatever carries the messages.

use std::io;

use super::delivery::Delivery;
use super::order::Order;

/// When a batch started (CLOCK_MONOTONIC) and how long it took.
#[derive(Clone, Copy, Debug)]
pub struct Timing {
    pub start_ns: u64,
    pub elapsed_ns: u64,
}

/// What came of one batch.
#[derive(Clone, Copy, Debug)]
pub struct Outcome {
    pub timing: Timing,
    /// The messages that the time is of: where some may be lost, those that were not.
    pub messages: u32,
    /// Where messages may be lost: what became of them, and how long they were sent.
    pub delivery: Option<(Delivery, u64)>,
}

/// A connection over which batches are run.
pub trait Batches {
    /// Get ready for messages of another size; gives what one takes, where that is known before the first batch.
    fn begin_phase(&mut self, _size_bytes: u64) -> io::Result<Option<u64>> {
        Ok(None)
    }

    /// Announce and time a batch.
    fn batch(&mut self, order: Order) -> io::Result<Outcome>;

    /// Release the peer.
    fn end(&mut self) -> io::Result<()>;
}
