//! What the flows of a phase share: memory, counters and what went wrong.

use std::io;

use super::super::payload::Payload;
use super::super::reply::FailedTransfer;
use super::round_trips::RoundTrips;
use super::tally::Tally;
use crate::evidence::Moved;

/// The most that a flow moves before it is another's turn.
pub const TURN_BYTES: u64 = 1 << 20;

/// Shared by all flows; only one is served at a time.
pub struct Shared {
    pub node: u32,
    pub payload: Payload,
    pub tallies: Vec<Tally>,
    pub trips: Vec<RoundTrips>,
    pub moved: Moved,
    pub failed: Vec<FailedTransfer>,
}

impl Shared {
    pub fn new(node: u32, verify: bool) -> io::Result<Shared> {
        Ok(Shared {
            node,
            payload: Payload::new(verify)?,
            tallies: Vec::new(),
            trips: Vec::new(),
            moved: Moved::default(),
            failed: Vec::new(),
        })
    }

    /// Forget the phase before.
    pub fn clear(&mut self) {
        self.tallies.clear();
        self.trips.clear();
        self.failed.clear();
    }

    pub fn reserve_trips(&mut self, count: usize) {
        self.trips = (0..count).map(|_| RoundTrips::new()).collect();
    }

    /// Record a failed transfer, once for all its streams.
    pub fn fail(&mut self, src: u32, dst: u32, reason: &str) {
        if dst == self.node {
            let broken = self.tallies.iter_mut().filter(|tally| tally.src == src);
            broken.for_each(|tally| tally.is_broken = true);
        }
        let is_known = |one: &FailedTransfer| (one.src, one.dst) == (src, dst);
        if !self.failed.iter().any(is_known) {
            self.failed.push(FailedTransfer {
                src,
                dst,
                reason: reason.to_owned(),
            });
        }
    }
}

/// What a flow came to when it was served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Served {
    Ongoing,
    Finished,
}
