//! Bytes that both ends of a connection know, and room to receive such bytes.

use std::io;

use memmap2::MmapMut;

use crate::system::memory::memory;
use crate::transport::payload;

/// The most that one system call moves.
pub const PIECE_BYTES: usize = 256 << 10;
/// The payload repeats after this many bytes, see `payload`.
const PERIOD_BYTES: u64 = 65521;

/// What is sent where only the number of bytes matters.
pub struct Payload {
    verify: bool,
    bytes: MmapMut,
    scratch: MmapMut,
}

impl Payload {
    pub fn new(verify: bool) -> io::Result<Payload> {
        let mut bytes = memory(PERIOD_BYTES + PIECE_BYTES as u64)?;
        payload::fill(&mut bytes, 0);
        Ok(Payload {
            verify,
            bytes,
            scratch: memory(PIECE_BYTES as u64)?,
        })
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
        &self.bytes[start..start + bytes.min(PIECE_BYTES as u64) as usize]
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
}
