//! How busy the forwarder is, second by second: a forwarder that is busy all the time is late.

use crate::forward::stats::Stats;

const SECOND_NS: u64 = 1_000_000_000;

/// Turns the time spent waiting into shares of seconds.
pub struct Meter {
    second_from_ns: u64,
    idle_at_second_ns: u64,
}

impl Meter {
    /// Starts at a time.
    pub fn new(now_ns: u64) -> Self {
        Self {
            second_from_ns: now_ns,
            idle_at_second_ns: 0,
        }
    }

    /// Takes note of the time waited since the start, all in all. Counts each second when it is over; in one
    /// that passed asleep together with those before it there was nothing to do.
    pub fn note(&mut self, now_ns: u64, idle_ns: u64, stats: &Stats) {
        let elapsed_ns = now_ns - self.second_from_ns;
        if elapsed_ns < SECOND_NS {
            return;
        }
        let busy_ns = elapsed_ns.saturating_sub(idle_ns - self.idle_at_second_ns);
        stats.count_busy(busy_ns, elapsed_ns);
        self.second_from_ns = now_ns;
        self.idle_at_second_ns = idle_ns;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_second_counts_by_how_busy_it_was() {
        let stats = Stats::new(0, 0);
        let mut meter = Meter::new(0);
        meter.note(SECOND_NS / 2, SECOND_NS / 4, &stats);
        meter.note(SECOND_NS, SECOND_NS / 4, &stats);
        assert_eq!(stats.report(0).busy_seconds, [(75, 1)]);
        let idle_ns = SECOND_NS / 4 + 3 * SECOND_NS - SECOND_NS / 4;
        meter.note(4 * SECOND_NS, idle_ns, &stats);
        let report = stats.report(4 * SECOND_NS);
        assert_eq!(report.busy_seconds, [(0, 2), (25, 1), (75, 1)]);
        assert_eq!(
            (report.busy_ns, report.elapsed_ns),
            (SECOND_NS, 4 * SECOND_NS)
        );
    }
}
