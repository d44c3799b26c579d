//! What messages carry, and where it lies.

use std::io;
use std::ops::Range;

use memmap2::MmapMut;

use super::super::payload::Payload;
use super::header::Header;
use crate::system::memory::memory;

/// The bytes of a message, at one of its ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// Bytes that both ends know: only their number matters.
    Generated { bytes: u64 },
    /// A part of the session's memory.
    Stored { at: u64, bytes: u64 },
}

/// A receive that has begun.
#[derive(Clone, Copy, Debug)]
pub struct Receive {
    pub token: u32,
    pub content: Content,
}

impl Content {
    pub fn bytes(self) -> u64 {
        match self {
            Content::Generated { bytes } | Content::Stored { bytes, .. } => bytes,
        }
    }

    pub fn is_generated(self) -> bool {
        matches!(self, Content::Generated { .. })
    }
}

/// What becomes of a message that comes in.
#[derive(Debug)]
pub struct Sink {
    /// The receive that is over with its last byte, where one has begun.
    pub ends: Option<u32>,
    pub way: Way,
}

/// Where the bytes of a message go.
#[derive(Debug)]
pub enum Way {
    /// They are looked at, and forgotten.
    Known,
    /// They are of no use here.
    Dropped,
    /// Into memory, from here on.
    Stored { at: u64 },
    /// Aside, until a receive begins.
    Aside(Vec<u8>),
}

impl Sink {
    /// For a receive.
    pub fn of(receive: Receive, header: Header) -> Sink {
        let way = match (header.is_generated, receive.content) {
            (true, _) => Way::Known,
            (false, Content::Generated { .. }) => Way::Dropped,
            (false, Content::Stored { at, .. }) => Way::Stored { at },
        };
        Sink {
            ends: Some(receive.token),
            way,
        }
    }

    /// For a message whose receive has not begun.
    pub fn aside(header: Header) -> Sink {
        let way = match header.is_generated {
            true => Way::Known,
            false => Way::Aside(Vec::with_capacity(header.bytes as usize)),
        };
        Sink { ends: None, way }
    }

    /// What has been kept aside.
    pub fn kept(self) -> Vec<u8> {
        match self.way {
            Way::Aside(kept) => kept,
            _ => Vec::new(),
        }
    }
}

/// The memory that messages come from and go to.
pub struct Memory {
    pub payload: Payload,
    stored: MmapMut,
}

impl Memory {
    pub fn new(verify: bool) -> io::Result<Memory> {
        Ok(Memory {
            payload: Payload::new(verify)?,
            stored: memory(1)?,
        })
    }

    /// Have at least so many bytes; what was there is lost where they were fewer.
    pub fn reserve(&mut self, bytes: u64) -> io::Result<()> {
        if (self.stored.len() as u64) < bytes {
            self.stored = memory(bytes)?;
        }
        Ok(())
    }

    pub fn stored(&self, range: Range<u64>) -> &[u8] {
        &self.stored[range.start as usize..range.end as usize]
    }

    /// Copy one part to where another begins, which it does not touch.
    pub fn copy(&mut self, from: Range<u64>, to: u64) {
        self.stored
            .copy_within(from.start as usize..from.end as usize, to as usize);
    }

    /// Add one part to another that begins elsewhere and does not touch it, byte by byte and modulo 256.
    pub fn add(&mut self, from: Range<u64>, to: u64) {
        let bytes = (from.end - from.start) as usize;
        let (from, to) = (from.start as usize, to as usize);
        let (low, high) = self.stored.split_at_mut(from.max(to));
        let (source, sum) = match from < to {
            true => (&low[from..from + bytes], &mut high[..bytes]),
            false => (&high[..bytes], &mut low[to..to + bytes]),
        };
        sum.iter_mut()
            .zip(source)
            .for_each(|(sum, one)| *sum = sum.wrapping_add(*one));
    }

    pub fn stored_mut(&mut self, range: Range<u64>) -> &mut [u8] {
        &mut self.stored[range.start as usize..range.end as usize]
    }

    /// What to send from an offset of a message on; as much as one call moves, not more.
    #[inline]
    pub fn piece(&self, content: Content, offset: u64) -> &[u8] {
        let left = content.bytes() - offset;
        match content {
            Content::Generated { .. } => self.payload.piece(offset, left),
            Content::Stored { at, .. } => {
                let from = at + offset;
                self.stored(from..from + left)
            }
        }
    }

    /// Take bytes that have come at an offset of a message.
    pub fn keep(&mut self, way: &mut Way, offset: u64, bytes: &[u8]) -> io::Result<()> {
        match way {
            Way::Known => return self.payload.check(bytes, offset),
            Way::Dropped => {}
            Way::Stored { at } => {
                let from = *at + offset;
                let range = from..from + bytes.len() as u64;
                self.stored_mut(range).copy_from_slice(bytes);
            }
            Way::Aside(kept) => kept.extend_from_slice(bytes),
        }
        Ok(())
    }
}
