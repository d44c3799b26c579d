//! Watches a connection from beside the timed loop, which so needs no time-outs of its own: a receive with a
//! time-out arms a timer in the kernel every time it sleeps, and that is part of what would be measured.

use std::io;
use std::mem;
use std::net::{Shutdown, TcpStream};
use std::os::fd::AsRawFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::descriptors;

/// Looks during one patience.
const LOOKS: u32 = 10;

/// Shuts a connection down when nothing has moved on it for longer than the patience.
pub struct Watchdog {
    stop: Arc<AtomicBool>,
    barked: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Watchdog {
    /// Watch from a thread that shares nothing with the caller's descriptors.
    pub fn watch(socket: &TcpStream, patience: Duration) -> io::Result<Watchdog> {
        let socket = socket.try_clone()?;
        let stop = Arc::new(AtomicBool::new(false));
        let barked = Arc::new(AtomicBool::new(false));
        let (stopping, barking) = (stop.clone(), barked.clone());
        let thread = thread::Builder::new().stack_size(64 << 10).spawn(move || {
            if wait_for_silence(&socket, patience, &stopping) {
                barking.store(true, Ordering::Release);
                let _ = socket.shutdown(Shutdown::Both);
            }
        })?;
        descriptors::detach()?;
        Ok(Watchdog {
            stop,
            barked,
            thread: Some(thread),
        })
    }

    /// What a failed transfer really was: a shut connection is silence when this watchdog shut it.
    pub fn explain(&self, error: io::Error) -> io::Error {
        if self.barked.load(Ordering::Acquire) {
            return io::Error::new(
                io::ErrorKind::TimedOut,
                "the peer has sent and taken nothing for too long",
            );
        }
        error
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Release);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            let _ = thread.join();
        }
    }
}

/// True when no byte was acknowledged or received for the patience; false when told to stop.
fn wait_for_silence(socket: &TcpStream, patience: Duration, stop: &AtomicBool) -> bool {
    let mut seen = moved_bytes(socket);
    let mut since = Instant::now();
    while !stop.load(Ordering::Acquire) {
        thread::park_timeout(patience / LOOKS);
        let now = moved_bytes(socket);
        if now != seen {
            (seen, since) = (now, Instant::now());
        } else if since.elapsed() > patience {
            return !stop.load(Ordering::Acquire);
        }
    }
    false
}

/// Bytes that the peer has acknowledged and sent so far; 0 where the kernel does not say.
fn moved_bytes(socket: &TcpStream) -> u64 {
    // SAFETY: tcp_info is plain data for which zero is a valid value.
    let mut info: libc::tcp_info = unsafe { mem::zeroed() };
    let mut length = mem::size_of::<libc::tcp_info>() as libc::socklen_t;
    // SAFETY: the pointer and length describe `info`, which the kernel fills up to that length.
    let outcome = unsafe {
        libc::getsockopt(
            socket.as_raw_fd(),
            libc::IPPROTO_TCP,
            libc::TCP_INFO,
            (&raw mut info).cast(),
            &raw mut length,
        )
    };
    if outcome == 0 {
        info.tcpi_bytes_acked + info.tcpi_bytes_received
    } else {
        0
    }
}
