//! A sender's estimate of the time to the other end and back.

/// Linux waits at least so much longer than a round trip takes before it takes all for lost.
const LEAST_PATIENCE_NS: u64 = 200_000_000;
/// Before anything is known (RFC 6298, section 2).
const FIRST_TIMEOUT_NS: u64 = 1_000_000_000;
const LONGEST_TIMEOUT_NS: u64 = 120_000_000_000;
/// A probe waits two round trips and two of the kernel's ticks, and for a single segment as long as its acknowledgement
/// may be delayed (RFC 8985, section 7.2).
const PROBE_SLACK_NS: u64 = 2_000_000;

/// Smoothed as RFC 6298 says.
#[derive(Debug, Default)]
pub struct RoundTrip {
    smooth_ns: u64,
    deviation_ns: u64,
    least_ns: u64,
    /// How often time ran out since the last news.
    backoff: u32,
}

impl RoundTrip {
    /// Notes a round trip (RFC 6298, 2.2 and 2.3).
    pub fn note(&mut self, ns: u64) {
        if self.smooth_ns == 0 {
            (self.smooth_ns, self.deviation_ns, self.least_ns) = (ns, ns / 2, ns);
            return;
        }
        let off_ns = self.smooth_ns.abs_diff(ns);
        self.smooth_ns = (7 * self.smooth_ns + ns) / 8;
        self.deviation_ns = (3 * self.deviation_ns + off_ns) / 4;
        self.least_ns = self.least_ns.min(ns);
    }

    /// Notes that something new arrived.
    pub fn heard(&mut self) {
        self.backoff = 0;
    }

    /// Notes that time ran out: the next time it is twice as long.
    pub fn ran_out(&mut self) {
        self.backoff += 1;
    }

    /// The shortest so far.
    pub fn least_ns(&self) -> u64 {
        self.least_ns
    }

    /// How long to wait before all is taken for lost.
    pub fn timeout_ns(&self) -> u64 {
        let once_ns = match self.smooth_ns {
            0 => FIRST_TIMEOUT_NS,
            smooth_ns => smooth_ns + (4 * self.deviation_ns).max(LEAST_PATIENCE_NS),
        };
        (once_ns << self.backoff.min(10)).min(LONGEST_TIMEOUT_NS)
    }

    /// How long to wait before asking with one more segment; none where that is no better than the timeout.
    pub fn probe_ns(&self, on_path: u32) -> Option<u64> {
        let single_ns = match on_path {
            1 => LEAST_PATIENCE_NS,
            _ => PROBE_SLACK_NS,
        };
        let probe_ns = 2 * self.smooth_ns + single_ns;
        (self.smooth_ns > 0 && self.backoff == 0 && probe_ns < self.timeout_ns())
            .then_some(probe_ns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn after_one_round_trip_the_deviation_is_half_of_it() {
        let mut known = RoundTrip::default();
        known.note(120_000_000);
        assert_eq!(known.timeout_ns(), 120_000_000 + 4 * 60_000_000);
    }

    #[test]
    fn a_steady_round_trip_is_known_at_once() {
        let mut known = RoundTrip::default();
        assert_eq!(
            (known.timeout_ns(), known.probe_ns(5)),
            (1_000_000_000, None)
        );
        (0..40).for_each(|_| known.note(80_000_000));
        assert_eq!(known.timeout_ns(), 280_000_000);
        assert_eq!(known.probe_ns(5), Some(162_000_000));
        assert_eq!(known.probe_ns(1), None, "the timeout is sooner");
        known.ran_out();
        assert_eq!((known.timeout_ns(), known.probe_ns(5)), (560_000_000, None));
    }
}
