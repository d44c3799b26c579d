//! Batches with a synchronised start: the coordinator says what to send when, so that several pairs do the same at the same time.

use std::io;

use crate::system::memory::memory;
use std::sync::mpsc::Receiver;

use rustix::io::retry_on_intr;
use rustix::thread::{ClockId, clock_nanosleep_absolute};
use rustix::time::Timespec;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use weft_plan::Pattern;

use crate::evidence::ServingEnd;
use crate::pair::batch;
use crate::pair::pattern::Unchecked;
use crate::transport::batches::Timing;
use crate::transport::channel::Channel;
use crate::transport::order::{END, Order};

/// What the coordinator says while a pair is together with others.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Next {
    Batch {
        size_bytes: u64,
        messages: u32,
        phase: u32,
        /// Its number, none of which follows another; none of one that does not count.
        batch: Option<u32>,
        /// When to begin, on CLOCK_MONOTONIC; at once where that is over.
        start_ns: u64,
    },
    /// There are no more; the peer is released.
    Over,
}

/// Run batches as they are asked for and tell the time of each.
pub fn follow<C: Channel>(
    pattern: &Pattern,
    mut channel: C,
    largest_bytes: u64,
    requests: &Receiver<Vec<u8>>,
    evidence: &mut ServingEnd,
    mut tell: impl FnMut(Timing) -> io::Result<()>,
) -> io::Result<()> {
    let mut memory = memory(batch::memory_bytes(pattern, largest_bytes))?;
    loop {
        let Next::Batch {
            size_bytes,
            messages,
            phase,
            batch,
            start_ns,
        } = next(requests)?
        else {
            evidence.before(Order::unrecorded(0, 0, 0))?;
            return channel.send(&END);
        };
        if size_bytes == 0 || size_bytes > largest_bytes || messages == 0 {
            return Err(wrong("a batch that the step does not have"));
        }
        let order = Order {
            size_bytes,
            messages,
            phase,
            batch,
        };
        evidence.before(order)?;
        order.announce(&mut channel)?;
        sleep_until(start_ns)?;
        let message = batch::message_in(pattern, &mut memory, size_bytes);
        let timing = batch::time(pattern, &mut channel, &mut Unchecked, message, messages)?;
        evidence.after();
        tell(timing)?;
    }
}

/// What the coordinator says next.
pub fn next<T: DeserializeOwned>(requests: &Receiver<Vec<u8>>) -> io::Result<T> {
    let payload = requests
        .recv()
        .map_err(|_| wrong("nothing more from the coordinator"))?;
    serde_json::from_slice(&payload).map_err(|error| wrong(&error.to_string()))
}

/// Sleep until a moment; the kernel may wake a process up to 50 us late unless it asks for better.
fn sleep_until(start_ns: u64) -> io::Result<()> {
    let until = Timespec {
        tv_sec: (start_ns / 1_000_000_000) as i64,
        tv_nsec: (start_ns % 1_000_000_000) as i64,
    };
    Ok(retry_on_intr(|| {
        clock_nanosleep_absolute(ClockId::Monotonic, &until)
    })?)
}

pub fn wrong(message: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, message)
}
