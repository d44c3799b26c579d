//! Watches a connection from beside the timed loop, which so needs no time-outs of its own: a receive with a
//! time-out arms a timer in the kernel every time it sleeps, and that is part of what would be measured.

use std::io;
use std::net::{Shutdown, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::pair::stall::{self, Stall};
use crate::system::{descriptors, socket_option};

/// Looks during one patience.
const LOOKS: u32 = 10;
/// The state of a connection that the peer has closed and this end has not.
const CLOSE_WAIT: u8 = 8;

/// What a watchdog looks after.
pub trait Watched: Send + 'static {
    /// Grows with every sign of life of the peer.
    fn moved(&self) -> u64;

    /// Whether the peer is known to be gone, where a waiting channel would not notice it by itself.
    fn has_ended(&self) -> bool {
        false
    }

    /// What is known of the connection while nothing moves; asks the peer's kernel whether it is there meanwhile.
    fn stall(&self) -> Option<Stall> {
        None
    }

    /// It moves again.
    fn resume(&self) {}

    /// End all waiting.
    fn cut(&self);
}

impl Watched for TcpStream {
    fn moved(&self) -> u64 {
        moved_bytes(self)
    }

    /// A write that nothing takes does not notice it.
    fn has_ended(&self) -> bool {
        tcp_info(self)
            .is_some_and(|info| info.tcpi_state == CLOSE_WAIT && info.tcpi_retransmits > 0)
    }

    fn stall(&self) -> Option<Stall> {
        stall::probe(self, true);
        tcp_info(self).map(|info| Stall::of(&info))
    }

    fn resume(&self) {
        stall::probe(self, false);
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

    fn has_ended(&self) -> bool {
        self.iter().any(Watched::has_ended)
    }

    /// That of the connection with the most resends.
    fn stall(&self) -> Option<Stall> {
        let stalls = self.iter().filter_map(Watched::stall);
        stalls.max_by_key(|one| one.resends)
    }

    fn resume(&self) {
        self.iter().for_each(Watched::resume);
    }

    fn cut(&self) {
        self.iter().for_each(Watched::cut);
    }
}

/// Cuts a connection when nothing has moved on it for longer than the patience.
pub struct Watchdog {
    stop: Arc<AtomicBool>,
    fired: Arc<AtomicBool>,
    thread: Option<JoinHandle<Option<Stall>>>,
}

impl Watchdog {
    /// Watch from a thread that shares nothing with the caller's descriptors.
    pub fn watch(watched: impl Watched, patience: Duration) -> io::Result<Watchdog> {
        let stop = Arc::new(AtomicBool::new(false));
        let fired = Arc::new(AtomicBool::new(false));
        let (stopping, firing) = (stop.clone(), fired.clone());
        let thread = thread::Builder::new().stack_size(64 << 10).spawn(move || {
            let (end, stall) = wait_for_end(&watched, patience, &stopping);
            firing.store(matches!(end, End::Silence), Ordering::Release);
            if !matches!(end, End::Stopped) {
                watched.cut();
            }
            stall
        })?;
        descriptors::detach()?;
        Ok(Watchdog {
            stop,
            fired,
            thread: Some(thread),
        })
    }

    /// What a failed transfer really was: a shut connection is silence when this watchdog shut it. Ends the watch.
    pub fn explain(mut self, error: io::Error) -> io::Error {
        let stall = self.end();
        let silence = "the peer has sent and taken nothing for too long";
        let error = match self.fired.load(Ordering::Acquire) {
            true => io::Error::new(io::ErrorKind::TimedOut, silence),
            false => error,
        };
        stall::with_stall(error, stall)
    }

    fn end(&mut self) -> Option<Stall> {
        self.stop.store(true, Ordering::Release);
        let thread = self.thread.take()?;
        thread.thread().unpark();
        thread.join().ok()?
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        self.end();
    }
}

/// Why a watch is over.
enum End {
    Silence,
    Gone,
    Stopped,
}

/// Look until nothing has moved for the patience, the peer is gone, or it is told to stop; says how it stalled.
fn wait_for_end(
    watched: &impl Watched,
    patience: Duration,
    stop: &AtomicBool,
) -> (End, Option<Stall>) {
    let mut seen = watched.moved();
    let mut since = Instant::now();
    let mut stall = None;
    loop {
        thread::park_timeout(patience / LOOKS);
        if stop.load(Ordering::Acquire) {
            return (End::Stopped, stall);
        }
        if watched.has_ended() {
            return (End::Gone, stall);
        }
        let now = watched.moved();
        if now == seen {
            stall = watched.stall();
            if since.elapsed() > patience {
                return (End::Silence, stall);
            }
            continue;
        }
        (seen, since) = (now, Instant::now());
        if stall.take().is_some() {
            watched.resume();
        }
    }
}

/// Bytes that the peer has acknowledged and sent so far; 0 where the kernel does not say.
fn moved_bytes(socket: &TcpStream) -> u64 {
    tcp_info(socket).map_or(0, |info| info.tcpi_bytes_acked + info.tcpi_bytes_received)
}

fn tcp_info(socket: &TcpStream) -> Option<libc::tcp_info> {
    socket_option::get(socket, libc::IPPROTO_TCP, libc::TCP_INFO).ok()
}
