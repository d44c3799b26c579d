//! How well the forwarder keeps its times. One thread counts, another reads.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use serde::Serialize;

const BUCKETS: usize = 256;
const SECOND_NS: u64 = 1_000_000_000;
/// From 0 to 100 %.
const PERCENTS: usize = 101;

/// Counters of one forwarder.
pub struct Stats {
    forwarded: AtomicU64,
    dropped: AtomicU64,
    late: [AtomicU64; BUCKETS],
    /// Where one frame in ten is later than this, measurements show the machine and not the fabric.
    late_limit_ns: u64,
    busy_ns: AtomicU64,
    /// Seconds by the share of them in which the forwarder was busy.
    busy_seconds: [AtomicU64; PERCENTS],
    /// When counting began.
    since_ns: u64,
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
    /// How long the forwarder had something to do.
    pub busy_ns: u64,
    /// How long it has been there.
    pub elapsed_ns: u64,
    /// Pairs of a percentage and the number of seconds in which the forwarder was so busy.
    pub busy_seconds: Vec<(usize, u64)>,
}

impl Stats {
    /// All zero. A tenth of a frame's time, and 20 us for what any kernel's wake-up takes, is not late.
    pub fn new(shortest_frame_ns: u64, now_ns: u64) -> Self {
        Self {
            forwarded: AtomicU64::new(0),
            dropped: AtomicU64::new(0),
            late: [const { AtomicU64::new(0) }; BUCKETS],
            late_limit_ns: shortest_frame_ns / 10 + 20_000,
            busy_ns: AtomicU64::new(0),
            busy_seconds: [const { AtomicU64::new(0) }; PERCENTS],
            since_ns: now_ns,
        }
    }

    pub fn count_forwarded(&self, late_ns: u64) {
        add(&self.forwarded, 1);
        add(&self.late[bucket_of(late_ns)], 1);
    }

    pub fn count_dropped(&self, frames: u64) {
        add(&self.dropped, frames);
    }

    /// Counts one or more seconds. Of several only the first can have been busy: the others were slept through.
    pub fn count_busy(&self, busy_ns: u64, elapsed_ns: u64) {
        add(&self.busy_ns, busy_ns);
        let seconds = (elapsed_ns / SECOND_NS).max(1);
        let first_ns = elapsed_ns - (seconds - 1) * SECOND_NS;
        let percent = (100 * busy_ns / first_ns).min(100);
        add(&self.busy_seconds[percent as usize], 1);
        add(&self.busy_seconds[0], seconds - 1);
    }

    pub fn report(&self, now_ns: u64) -> StatsReport {
        let counts = self.late.iter().map(|count| count.load(Relaxed));
        let seconds = self.busy_seconds.iter().map(|count| count.load(Relaxed));
        let busy_seconds = seconds.enumerate().filter(|(_, count)| *count > 0);
        let late_ns = counts
            .enumerate()
            .map(|(i, count)| (lower_bound_of(i), count));
        StatsReport {
            forwarded: self.forwarded.load(Relaxed),
            dropped: self.dropped.load(Relaxed),
            late_ns: late_ns.filter(|(_, count)| *count > 0).collect(),
            late_limit_ns: self.late_limit_ns,
            busy_ns: self.busy_ns.load(Relaxed),
            elapsed_ns: now_ns - self.since_ns,
            busy_seconds: busy_seconds.collect(),
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
        let stats = Stats::new(123_040, 0);
        stats.count_forwarded(10);
        stats.count_forwarded(10);
        stats.count_dropped(3);
        let report = stats.report(0);
        assert_eq!((report.forwarded, report.dropped), (2, 3));
        assert_eq!(report.late_ns, [(10, 2)]);
        assert_eq!(report.late_limit_ns, 32_304);
    }
}
