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

use crate::system::descriptors;

/// Looks during one patience.
const LOOKS: u32 = 10;

/// What a watchdog looks after.
pub trait Watched: Send + 'static {
    /// Grows with every sign of life of the peer.
    fn moved(&self) -> u64;

    /// Whether the peer is known to be gone, where a waiting channel would not notice it by itself.
    fn has_ended(&self) -> bool {
        false
    }

    /// End all waiting.
    fn cut(&self);
}

impl Watched for TcpStream {
    fn moved(&self) -> u64 {
        moved_bytes(self)
    }

    fn cut(&self) {
        let _ = self.shutdown(Shutdown::Both);
    }
}

/// Connections that are one channel.
impl Watched for Vec<TcpStream> {
    fn moved(&self) -> u64 {
        self.iter().map(moved_bytes).sum()
    }

    fn cut(&self) {
        self.iter().for_each(Watched::cut);
    }
}

/// Cuts a connection when nothing has moved on it for longer than the patience.
pub struct Watchdog {
    stop: Arc<AtomicBool>,
    barked: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Watchdog {
    /// Watch from a thread that shares nothing with the caller's descriptors.
    pub fn watch(watched: impl Watched, patience: Duration) -> io::Result<Watchdog> {
        let stop = Arc::new(AtomicBool::new(false));
        let barked = Arc::new(AtomicBool::new(false));
        let (stopping, barking) = (stop.clone(), barked.clone());
        let thread =
            thread::Builder::new().stack_size(64 << 10).spawn(move || {
                match wait_for_end(&watched, patience, &stopping) {
                    End::Silence => {
                        barking.store(true, Ordering::Release);
                        watched.cut();
                    }
                    End::Gone => watched.cut(),
                    End::Stopped => {}
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

/// Why a watch is over.
enum End {
    Silence,
    Gone,
    Stopped,
}

/// Look until nothing has moved for the patience, the peer is gone, or it is told to stop.
fn wait_for_end(watched: &impl Watched, patience: Duration, stop: &AtomicBool) -> End {
    let mut seen = watched.moved();
    let mut since = Instant::now();
    while !stop.load(Ordering::Acquire) {
        thread::park_timeout(patience / LOOKS);
        let now = watched.moved();
        if watched.has_ended() {
            return End::Gone;
        }
        if now != seen {
            (seen, since) = (now, Instant::now());
        } else if since.elapsed() > patience && !stop.load(Ordering::Acquire) {
            return End::Silence;
        }
    }
    End::Stopped
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
