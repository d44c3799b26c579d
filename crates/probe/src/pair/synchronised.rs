//! Batches on the coordinator's beat: it says what to send when, so that several pairs do the same at the same time.

use std::io;

use crate::system::memory::memory;
use std::sync::mpsc::Receiver;

use nix::errno::Errno;
use nix::time::{ClockId, ClockNanosleepFlags, clock_nanosleep};
use serde::Deserialize;
use weft_plan::Pattern;

use crate::pair::batch;
use crate::pair::pattern::Unchecked;
use crate::system::clock::now_ns;
use crate::transport::batches::Timing;
use crate::transport::channel::Channel;
use crate::transport::order::Order;

/// What the coordinator says while a pair is together with others.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Beat {
    Batch {
        size_bytes: u64,
        messages: u32,
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
    mut tell: impl FnMut(Timing) -> io::Result<()>,
) -> io::Result<()> {
    let mut memory = memory(batch::memory_bytes(pattern, largest_bytes))?;
    loop {
        let Beat::Batch {
            size_bytes,
            messages,
            start_ns,
        } = next(requests)?
        else {
            return channel.send(&Order::END.to_wire());
        };
        if size_bytes == 0 || size_bytes > largest_bytes || messages == 0 {
            return Err(wrong("a batch that the step does not have"));
        }
        let order = Order {
            size_bytes,
            messages,
        };
        order.announce(&mut channel)?;
        sleep_until(start_ns)?;
        let message = batch::message_in(pattern, &mut memory, size_bytes);
        tell(batch::time(
            pattern,
            &mut channel,
            &mut Unchecked,
            message,
            messages,
        )?)?;
    }
}

fn next(requests: &Receiver<Vec<u8>>) -> io::Result<Beat> {
    let payload = requests
        .recv()
        .map_err(|_| wrong("nothing more from the coordinator"))?;
    serde_json::from_slice(&payload).map_err(|error| wrong(&error.to_string()))
}

/// Sleep until a moment; the kernel may wake a process up to 50 us late unless it asks for better.
fn sleep_until(start_ns: u64) -> io::Result<()> {
    while now_ns() < start_ns {
        let until = libc::timespec {
            tv_sec: (start_ns / 1_000_000_000) as libc::time_t,
            tv_nsec: (start_ns % 1_000_000_000) as libc::c_long,
        };
        let flags = ClockNanosleepFlags::TIMER_ABSTIME;
        match clock_nanosleep(ClockId::CLOCK_MONOTONIC, flags, &until.into()) {
            Ok(_) | Err(Errno::EINTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

fn wrong(message: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, message)
}
