//! What the flows of a phase share: memory, counters and what went wrong.

use std::io;

use memmap2::MmapMut;

use super::super::reply::FailedTransfer;
use super::round_trips::RoundTrips;
use super::tally::Tally;
use crate::system::memory::memory;
use crate::transport::payload;

/// The most that one system call moves.
pub const PIECE_BYTES: usize = 256 << 10;
/// The most that a flow moves before it is another's turn.
pub const TURN_BYTES: u64 = 1 << 20;
/// The payload repeats after this many bytes, see `payload`.
const PERIOD_BYTES: u64 = 65521;

/// Shared by all flows; only one is served at a time.
pub struct Shared {
    pub node: u32,
    verify: bool,
    payload: MmapMut,
    scratch: MmapMut,
    pub tallies: Vec<Tally>,
    pub trips: Vec<RoundTrips>,
    pub moved_bytes: u64,
    pub failed: Vec<FailedTransfer>,
}

impl Shared {
    pub fn new(node: u32, verify: bool) -> io::Result<Shared> {
        let mut payload = memory(PERIOD_BYTES + PIECE_BYTES as u64)?;
        payload::fill(&mut payload, 0);
        Ok(Shared {
            node,
            verify,
            payload,
            scratch: memory(PIECE_BYTES as u64)?,
            tallies: Vec::new(),
            trips: Vec::new(),
            moved_bytes: 0,
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

    /// What to send at an offset of a stream, at most `bytes`. Without a check it need not be what belongs there, and
    /// starts on a page.
    #[inline]
    pub fn piece(&self, offset: u64, bytes: u64) -> &[u8] {
        let start = if self.verify {
            (offset % PERIOD_BYTES) as usize
        } else {
            0
        };
        &self.payload[start..start + bytes.min(PIECE_BYTES as u64) as usize]
    }

    /// Where to receive at most `bytes`.
    #[inline]
    pub fn scratch(&mut self, bytes: u64) -> &mut [u8] {
        &mut self.scratch[..bytes.min(PIECE_BYTES as u64) as usize]
    }

    /// Compare what came into the scratch memory with what belongs at that offset.
    #[inline]
    pub fn check_scratch(&self, offset: u64, count: usize) -> io::Result<()> {
        if self.verify {
            return self.check(&self.scratch[..count], offset);
        }
        Ok(())
    }

    /// Compare bytes with what belongs at that offset of a stream, if that was asked for.
    pub fn check(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        if !self.verify || bytes == self.piece(offset, bytes.len() as u64) {
            return Ok(());
        }
        let expected = self.piece(offset, bytes.len() as u64);
        let wrong = bytes
            .iter()
            .zip(expected)
            .take_while(|(a, b)| a == b)
            .count();
        Err(io::Error::new(
            io::ErrorKind::InvalidData,
            format!("byte {} of a stream is damaged", offset + wrong as u64),
        ))
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
