//! Watches a connection from beside the timed loop, which so needs no time-outs of its own: a receive with a
//! time-out arms a timer in the kernel every time it sleeps, and that is part of what would be measured.

use std::io;
use std::net::{Shutdown, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::system::{descriptors, socket_option};

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
    fired: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Watchdog {
    /// Watch from a thread that shares nothing with the caller's descriptors.
    pub fn watch(watched: impl Watched, patience: Duration) -> io::Result<Watchdog> {
        let stop = Arc::new(AtomicBool::new(false));
        let fired = Arc::new(AtomicBool::new(false));
        let (stopping, firing) = (stop.clone(), fired.clone());
        let thread =
            thread::Builder::new().stack_size(64 << 10).spawn(move || {
                match wait_for_end(&watched, patience, &stopping) {
                    End::Silence => {
                        firing.store(true, Ordering::Release);
                        watched.cut();
                    }
                    End::Gone => watched.cut(),
                    End::Stopped => {}
                }
            })?;
        descriptors::detach()?;
        Ok(Watchdog {
            stop,
            fired,
            thread: Some(thread),
        })
    }

    /// What a failed transfer really was: a shut connection is silence when this watchdog shut it.
    pub fn explain(&self, error: io::Error) -> io::Error {
        if self.fired.load(Ordering::Acquire) {
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
    let info = socket_option::get::<libc::tcp_info>(socket, libc::IPPROTO_TCP, libc::TCP_INFO);
    info.map_or(0, |info| info.tcpi_bytes_acked + info.tcpi_bytes_received)
}
