//! How well the forwarder keeps its times. One thread counts, another reads.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use serde::Serialize;

const BUCKETS: usize = 256;

/// Counters of one forwarder.
pub struct Stats {
    forwarded: AtomicU64,
    dropped: AtomicU64,
    late: [AtomicU64; BUCKETS],
    /// Where one frame in ten is later than this, measurements show the machine and not the fabric.
    late_limit_ns: u64,
}

/// What the counters say, as JSON.
#[derive(Debug, Serialize)]
pub struct StatsReport {
    /// Frames sent on.
    pub forwarded: u64,
    /// Frames dropped, because a queue was full or the kernel refused them.
    pub dropped: u64,
    /// Pairs of a time and the number of frames that were so late or up to a quarter more.
    pub late_ns: Vec<(u64, u64)>,
    pub late_limit_ns: u64,
}

impl Stats {
    /// All zero. A tenth of a frame's time, and 20 us for what any kernel's wake-up takes, is not late.
    pub fn new(shortest_frame_ns: u64) -> Self {
        Self {
            forwarded: AtomicU64::new(0),
            dropped: AtomicU64::new(0),
            late: [const { AtomicU64::new(0) }; BUCKETS],
            late_limit_ns: shortest_frame_ns / 10 + 20_000,
        }
    }

    pub fn count_forwarded(&self, late_ns: u64) {
        add(&self.forwarded, 1);
        add(&self.late[bucket_of(late_ns)], 1);
    }

    pub fn count_dropped(&self, frames: u64) {
        add(&self.dropped, frames);
    }

    pub fn report(&self) -> StatsReport {
        let counts = self.late.iter().map(|count| count.load(Relaxed));
        let late_ns = counts
            .enumerate()
            .map(|(i, count)| (lower_bound_of(i), count));
        StatsReport {
            forwarded: self.forwarded.load(Relaxed),
            dropped: self.dropped.load(Relaxed),
            late_ns: late_ns.filter(|(_, count)| *count > 0).collect(),
            late_limit_ns: self.late_limit_ns,
        }
    }
}

/// Only one thread writes, so no atomic addition is needed.
fn add(counter: &AtomicU64, amount: u64) {
    counter.store(counter.load(Relaxed) + amount, Relaxed);
}

/// Four buckets to each doubling.
fn bucket_of(ns: u64) -> usize {
    if ns < 4 {
        return ns as usize;
    }
    let doublings = ns.ilog2();
    let quarter = (ns >> (doublings - 2)) & 3;
    (4 * (doublings as usize - 1)) + quarter as usize
}

fn lower_bound_of(bucket: usize) -> u64 {
    match bucket {
        0..4 => bucket as u64,
        _ => (4 + bucket as u64 % 4) << (bucket / 4 - 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_is_at_most_a_quarter_wide() {
        for ns in (0..5_000).chain([1 << 40, u64::MAX]) {
            let low = lower_bound_of(bucket_of(ns));
            assert!(low <= ns && ns - low <= low / 4, "{ns} {low}");
            assert!(bucket_of(ns) < BUCKETS);
        }
    }

    #[test]
    fn reports_what_was_counted() {
        let stats = Stats::new(123_040);
        stats.count_forwarded(10);
        stats.count_forwarded(10);
        stats.count_dropped(3);
        let report = stats.report();
        assert_eq!((report.forwarded, report.dropped), (2, 3));
        assert_eq!(report.late_ns, [(10, 2)]);
        assert_eq!(report.late_limit_ns, 32_304);
    }
}
