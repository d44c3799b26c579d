//! The sending end of a stream.

use std::io;

use super::super::event_loop::line::Line;
use super::shared::{Served, Shared, TURN_BYTES};

/// Writes until all is written or its time is up.
pub struct Sender {
    line: Line,
    pub dst: u32,
    /// Bytes to go; none when a time ends it.
    left_bytes: Option<u64>,
    sent_bytes: u64,
    /// Whether either end closes by a reset when its time is up, which frees the port at once.
    may_reset: bool,
}

impl Sender {
    pub fn new(line: Line, dst: u32, left_bytes: Option<u64>, may_reset: bool) -> Sender {
        Sender {
            line,
            dst,
            left_bytes,
            sent_bytes: 0,
            may_reset,
        }
    }

    /// Write what the kernel takes.
    #[inline]
    pub fn serve(&mut self, shared: &mut Shared) -> io::Result<Served> {
        let turn_end = self.sent_bytes + TURN_BYTES;
        while self.sent_bytes < turn_end && self.left_bytes != Some(0) {
            let piece = shared
                .payload
                .piece(self.sent_bytes, self.left_bytes.unwrap_or(u64::MAX));
            let asked = piece.len();
            let count = match self.line.write(piece) {
                Err(error) if self.may_reset && is_reset(&error) => return Ok(Served::Finished),
                Err(error) => return Err(error),
                Ok(None) => break,
                Ok(Some(count)) => count,
            };
            self.count(shared, count as u64);
            if count < asked {
                break;
            }
        }
        if self.left_bytes != Some(0) {
            return Ok(Served::Ongoing);
        }
        self.finish();
        Ok(Served::Finished)
    }

    /// Say that nothing more will come; the kernel delivers what it has.
    pub fn finish(&mut self) {
        self.line.finish();
    }

    #[inline]
    fn count(&mut self, shared: &mut Shared, count: u64) {
        shared.moved.sent_bytes += count;
        self.sent_bytes += count;
        self.left_bytes = self.left_bytes.map(|left| left - count);
    }
}

fn is_reset(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionReset | io::ErrorKind::BrokenPipe
    )
}
