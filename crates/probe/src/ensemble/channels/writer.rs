//! What a channel has still to send.

use std::collections::VecDeque;
use std::io;

use super::super::event_loop::line::Line;
use super::content::{Content, Memory};
use super::done::Done;
use super::header::{HEADER_BYTES, Header};
use crate::system::clock::now_ns;

/// A header and what follows it.
struct Frame {
    header: [u8; HEADER_BYTES],
    content: Content,
    /// Whose send is over when it has left.
    ends: Option<u32>,
}

impl Frame {
    fn bytes(&self) -> u64 {
        HEADER_BYTES as u64 + self.content.bytes()
    }
}

/// Frames in the order in which they were asked for.
#[derive(Default)]
pub struct Writer {
    frames: VecDeque<Frame>,
    /// Of the first.
    written: u64,
}

impl Writer {
    pub fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }

    /// A header alone.
    pub fn put_header(&mut self, header: Header) {
        self.put(header, Content::Generated { bytes: 0 }, None);
    }

    /// A header and the message behind it; with its last byte a send is over.
    pub fn put_message(&mut self, header: Header, content: Content, ends: u32) {
        self.put(header, content, Some(ends));
    }

    fn put(&mut self, header: Header, content: Content, ends: Option<u32>) {
        let header = header.to_wire();
        self.frames.push_back(Frame {
            header,
            content,
            ends,
        });
    }

    /// Write what the kernel takes, up to a limit that is fair to others; returns how many bytes it took.
    pub fn write(
        &mut self,
        line: &Line,
        memory: &Memory,
        done: &mut VecDeque<Done>,
        most_bytes: u64,
    ) -> io::Result<u64> {
        let mut taken = 0;
        while taken < most_bytes {
            let Some(frame) = self.frames.front() else {
                break;
            };
            let Some(count) = write_some(line, frame, self.written, memory)? else {
                break;
            };
            taken += count;
            self.written += count;
            if self.written == frame.bytes() {
                done.extend(frame.ends.map(|token| Done::sent(token, now_ns())));
                self.frames.pop_front();
                self.written = 0;
            }
        }
        Ok(taken)
    }
}

/// The rest of a header goes with the first piece behind it, so that a short message is one packet.
fn write_some(
    line: &Line,
    frame: &Frame,
    written: u64,
    memory: &Memory,
) -> io::Result<Option<u64>> {
    let header = frame.header.get(written as usize..).unwrap_or(&[]);
    let offset = written.saturating_sub(HEADER_BYTES as u64);
    let piece = memory.piece(frame.content, offset);
    let count = if header.is_empty() {
        line.write(piece)?
    } else {
        line.write_both(header, piece)?
    };
    Ok(count.map(|count| count as u64))
}
