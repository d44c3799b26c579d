//! A link in the middle of a multi-drop chain: it forwards what it receives, a chunk at a time.

use std::io;

use crate::system::memory::memory;

use memmap2::MmapMut;

use super::super::event_loop::line::Line;
use super::super::event_loop::reactor::{Interest, Reactor};
use super::shared::{Served, Shared, TURN_BYTES};

use crate::system::clock::now_ns;

/// Chunks that may wait to be forwarded; when there are more, nothing is read, and TCP slows the predecessor down.
const CHUNKS: u64 = 4;

/// Bytes on their way through, by their offset in the image.
pub struct Ring {
    memory: MmapMut,
    chunk_bytes: u64,
    received_bytes: u64,
    sent_bytes: u64,
}

impl Ring {
    pub fn new(chunk_bytes: u64) -> io::Result<Ring> {
        Ok(Ring {
            memory: memory(CHUNKS * chunk_bytes)?,
            chunk_bytes,
            received_bytes: 0,
            sent_bytes: 0,
        })
    }

    fn capacity(&self) -> u64 {
        self.memory.len() as u64
    }

    /// Where the next bytes of an image of `total_bytes` go, in one piece; empty when there is no room.
    fn space(&mut self, total_bytes: u64) -> &mut [u8] {
        let room = self.capacity() - (self.received_bytes - self.sent_bytes);
        let start = self.received_bytes % self.capacity();
        let length = room
            .min(self.capacity() - start)
            .min(total_bytes - self.received_bytes);
        &mut self.memory[start as usize..(start + length) as usize]
    }

    /// What may be forwarded, in one piece: whole chunks and the image's end.
    fn ready(&self, total_bytes: u64) -> &[u8] {
        let whole = if self.received_bytes == total_bytes {
            total_bytes
        } else {
            self.received_bytes / self.chunk_bytes * self.chunk_bytes
        };
        let start = self.sent_bytes % self.capacity();
        let length = whole
            .saturating_sub(self.sent_bytes)
            .min(self.capacity() - start);
        &self.memory[start as usize..(start + length) as usize]
    }
}

/// A predecessor, a successor and the ring between them.
pub struct Relay {
    pub input: Option<Line>,
    pub output: Option<Line>,
    ring: Ring,
    total_bytes: u64,
    tally: usize,
    pub src: u32,
    dst: u32,
}

impl Relay {
    pub fn new(ring: Ring, total_bytes: u64, tally: usize, src: u32, dst: u32) -> Relay {
        Relay {
            input: None,
            output: None,
            ring,
            total_bytes,
            tally,
            src,
            dst,
        }
    }

    pub fn nodes(&self) -> [Option<u32>; 2] {
        [
            self.input.as_ref().map(|_| self.src),
            self.output.as_ref().map(|_| self.dst),
        ]
    }

    /// Without a predecessor there is nothing to forward.
    pub fn has_work(&self) -> bool {
        self.input.is_some()
    }

    /// Receive and forward until something has to be waited for, or it is another's turn.
    pub fn serve(&mut self, shared: &mut Shared, reactor: &Reactor) -> io::Result<Served> {
        let turn_end = self.ring.received_bytes + TURN_BYTES;
        while self.ring.received_bytes < turn_end {
            let received = self.receive(shared);
            if let Err(error) = received {
                // The successor notices that its image is incomplete when this end closes.
                shared.fail(self.src, shared.node, &error.to_string());
                return Ok(Served::Finished);
            }
            if let Err(error) = self.send(shared) {
                shared.fail(shared.node, self.dst, &error.to_string());
                self.output = None;
            }
            if !matches!(received, Ok(true)) {
                break;
            }
        }
        self.settle(reactor)
    }

    /// True when something came.
    fn receive(&mut self, shared: &mut Shared) -> io::Result<bool> {
        let Some(input) = &self.input else {
            return Ok(false);
        };
        let offset = self.ring.received_bytes;
        let space = self.ring.space(self.total_bytes);
        if space.is_empty() {
            return Ok(false);
        }
        match input.read(space)? {
            None => return Ok(false),
            Some(0) => return Err(self.ended()),
            Some(count) => {
                shared.payload.check(&space[..count], offset)?;
                self.ring.received_bytes += count as u64;
                shared.moved.received_bytes += count as u64;
                shared.tallies[self.tally].count(count as u64);
            }
        }
        if self.ring.received_bytes == self.total_bytes {
            shared.tallies[self.tally].end_trial(0, now_ns());
            self.input = None;
        }
        Ok(true)
    }

    fn send(&mut self, shared: &mut Shared) -> io::Result<()> {
        let Some(output) = &self.output else {
            // The next node takes no more, but this one still gets its image.
            self.ring.sent_bytes = self.ring.received_bytes;
            return Ok(());
        };
        loop {
            let ready = self.ring.ready(self.total_bytes);
            if ready.is_empty() {
                return Ok(());
            }
            let Some(count) = output.write(ready)? else {
                return Ok(());
            };
            self.ring.sent_bytes += count as u64;
            shared.moved.sent_bytes += count as u64;
        }
    }

    /// Wait for what can happen next.
    fn settle(&mut self, reactor: &Reactor) -> io::Result<Served> {
        if self.input.is_none() && self.ring.sent_bytes == self.total_bytes {
            if let Some(output) = &self.output {
                output.finish();
            }
            return Ok(Served::Finished);
        }
        let has_room = !self.ring.space(self.total_bytes).is_empty();
        if let Some(input) = &mut self.input {
            input.want(interest(has_room, Interest::Read), reactor)?;
        }
        let is_ready = !self.ring.ready(self.total_bytes).is_empty();
        if let Some(output) = &mut self.output {
            output.want(interest(is_ready, Interest::Write), reactor)?;
        }
        Ok(Served::Ongoing)
    }

    fn ended(&self) -> io::Error {
        let missing = self.total_bytes - self.ring.received_bytes;
        io::Error::new(
            io::ErrorKind::UnexpectedEof,
            format!("the connection ended {missing} bytes early"),
        )
    }
}

fn interest(is_wanted: bool, interest: Interest) -> Interest {
    if is_wanted {
        interest
    } else {
        Interest::Nothing
    }
}
