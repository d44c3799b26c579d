//! What a node did with its time, and how far it is.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use serde::Serialize;

/// Networks that a cast may use.
pub const MOST_NETWORKS: usize = 2;

/// Nanoseconds that threads have spent; those of several networks add up.
#[derive(Debug, Default)]
pub struct Times {
    pub read: Clock,
    pub receive: Clock,
    pub write: Clock,
    pub forward: Clock,
    /// Nothing came.
    pub wait: Clock,
    /// What came had to wait until memory was free: the disk is slow, or the successor where nothing can be read back.
    pub blocked: Clock,
    pub received: [Clock; MOST_NETWORKS],
    pub sent: [Clock; MOST_NETWORKS],
    /// Bytes of the file that were here before.
    pub held_bytes: Clock,
    /// Chunks that came damaged.
    pub damaged: Clock,
}

/// A sum that many threads add to.
#[derive(Debug, Default)]
pub struct Clock(AtomicU64);

impl Clock {
    pub fn add(&self, more: u64) {
        self.0.fetch_add(more, Ordering::Relaxed);
    }

    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    /// Do something, and count how long it takes.
    pub fn time<T>(&self, work: impl FnOnce() -> T) -> T {
        let began = Instant::now();
        let result = work();
        self.add(began.elapsed().as_nanos() as u64);
        result
    }
}

/// The same as it is said: bytes by network, times since the run's start, and what is there.
#[derive(Clone, Debug, Serialize)]
pub struct Spent {
    pub read_ns: u64,
    pub receive_ns: u64,
    pub write_ns: u64,
    pub forward_ns: u64,
    pub wait_ns: u64,
    pub blocked_ns: u64,
    pub received_bytes: [u64; MOST_NETWORKS],
    pub sent_bytes: [u64; MOST_NETWORKS],
    pub held_bytes: u64,
    pub damaged: u64,
    /// Chunks whose bytes are known to be right, and those that are on the disk.
    pub known: u32,
    pub stored: u32,
    /// When the first chunk came, the last, and when all was on the disk.
    pub first_ns: Option<i64>,
    pub last_ns: Option<i64>,
    pub whole_ns: Option<i64>,
}

impl Times {
    /// Everything but what is not a sum.
    pub fn spent(&self) -> Spent {
        let by_network = |clocks: &[Clock; MOST_NETWORKS]| clocks.each_ref().map(Clock::get);
        Spent {
            read_ns: self.read.get(),
            receive_ns: self.receive.get(),
            write_ns: self.write.get(),
            forward_ns: self.forward.get(),
            wait_ns: self.wait.get(),
            blocked_ns: self.blocked.get(),
            received_bytes: by_network(&self.received),
            sent_bytes: by_network(&self.sent),
            held_bytes: self.held_bytes.get(),
            damaged: self.damaged.get(),
            known: 0,
            stored: 0,
            first_ns: None,
            last_ns: None,
            whole_ns: None,
        }
    }
}
