//! Standard output, which the coordinator reads: frames wait here when it is slow to.

use std::io::{self, StdoutLock, Write};
use std::time::Duration;

use rustix::event::PollFlags;
use serde::Serialize;

use crate::system::poll::poll;
use crate::wire::frame::{self, Kind};

/// What a pipe that polls as writable takes without blocking (PIPE_BUF).
const SURE_BYTES: usize = 4096;

/// Frames for the coordinator.
///
/// Standard output stays a blocking descriptor, because it may share its description with standard input.
pub struct Outbox {
    output: StdoutLock<'static>,
    waiting: Vec<u8>,
    written: usize,
}

impl Outbox {
    pub fn new() -> Outbox {
        Outbox {
            output: io::stdout().lock(),
            waiting: Vec::with_capacity(64 << 10),
            written: 0,
        }
    }

    /// Say something now, however long the coordinator takes to read it.
    pub fn say(&mut self, reply: &impl Serialize) -> io::Result<()> {
        self.put(reply)?;
        self.flush()
    }

    /// Queue a message.
    pub fn put(&mut self, reply: &impl Serialize) -> io::Result<()> {
        self.put_frame(Kind::Json, &serde_json::to_vec(reply)?)
    }

    /// Queue a frame.
    pub fn put_frame(&mut self, kind: Kind, payload: &[u8]) -> io::Result<()> {
        frame::write(&mut self.waiting, kind, payload)
    }

    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Write what the coordinator takes without making us wait.
    pub fn pump(&mut self) -> io::Result<()> {
        while !self.is_empty() && self.is_writable()? {
            let end = self.waiting.len().min(self.written + SURE_BYTES);
            self.output.write_all(&self.waiting[self.written..end])?;
            self.output.flush()?;
            self.written = end;
            self.tidy();
        }
        Ok(())
    }

    /// Write everything.
    pub fn flush(&mut self) -> io::Result<()> {
        self.output.write_all(&self.waiting[self.written..])?;
        self.output.flush()?;
        self.written = self.waiting.len();
        self.tidy();
        Ok(())
    }

    fn is_writable(&self) -> io::Result<bool> {
        poll([(&self.output, PollFlags::OUT)], Some(Duration::ZERO))
    }

    fn tidy(&mut self) {
        if self.written == self.waiting.len() {
            self.waiting.clear();
            self.written = 0;
        }
    }
}
