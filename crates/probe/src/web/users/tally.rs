//! What counts in a phase: pages, response times, users that wait.

use std::io;

use hdrhistogram::Histogram;

use crate::web::message::Responses;

/// The longest time that is told from longer ones, and how many digits are.
const LONGEST_NS: u64 = 3_600_000_000_000;
const DIGITS: u8 = 3;

/// From `begin_ns` to `end_ns` on CLOCK_MONOTONIC.
pub struct Tally {
    pub begin_ns: u64,
    pub end_ns: u64,
    /// Pages that were there in time.
    pub pages: u32,
    pub errors: u64,
    pub timeouts: u64,
    /// Of requests that were due in time, whenever their pages came.
    times: Histogram<u64>,
    sum_ns: u128,
    late: Histogram<u64>,
    waiting: u32,
    changed_ns: u64,
    waited_ns: u128,
}

impl Tally {
    pub fn of(begin_ns: u64, time_ns: u64) -> io::Result<Tally> {
        let histogram =
            || Histogram::new_with_bounds(1, LONGEST_NS, DIGITS).map_err(io::Error::other);
        Ok(Tally {
            begin_ns,
            end_ns: begin_ns + time_ns,
            pages: 0,
            errors: 0,
            timeouts: 0,
            times: histogram()?,
            sum_ns: 0,
            late: histogram()?,
            waiting: 0,
            changed_ns: 0,
            waited_ns: 0,
        })
    }

    pub fn has(&self, time_ns: u64) -> bool {
        (self.begin_ns..self.end_ns).contains(&time_ns)
    }

    /// A user begins to wait; `free` are those that could have sent when it was due.
    pub fn sent(&mut self, due_ns: u64, now_ns: u64, is_free: bool) {
        self.count_waiting(now_ns);
        self.waiting += 1;
        if is_free && self.has(due_ns) {
            self.late.saturating_record(now_ns - due_ns);
        }
    }

    /// The page that was due at `due_ns` is there.
    pub fn answered(&mut self, due_ns: u64, now_ns: u64) {
        self.ended(now_ns);
        self.pages += u32::from(self.has(now_ns));
        if self.has(due_ns) {
            self.times.saturating_record(now_ns - due_ns);
            self.sum_ns += u128::from(now_ns - due_ns);
        }
    }

    /// There will be no page.
    pub fn failed(&mut self, due_ns: u64, now_ns: u64) {
        self.ended(now_ns);
        self.errors += u64::from(self.has(due_ns));
    }

    fn ended(&mut self, now_ns: u64) {
        self.count_waiting(now_ns);
        self.waiting -= 1;
    }

    fn count_waiting(&mut self, now_ns: u64) {
        let now_ns = now_ns.clamp(self.begin_ns, self.end_ns);
        let passed_ns = now_ns.saturating_sub(self.changed_ns.max(self.begin_ns));
        self.waited_ns += u128::from(passed_ns) * u128::from(self.waiting);
        self.changed_ns = now_ns;
    }

    /// What the users found.
    pub fn responses(&mut self, phase: u32, users: u32, is_open: bool) -> Responses {
        self.count_waiting(self.end_ns);
        let requests = self.times.len();
        let quantile = |share| self.times.value_at_quantile(share) as f64;
        Responses {
            phase,
            users,
            is_open,
            waiting: self.waited_ns as f64 / (self.end_ns - self.begin_ns) as f64,
            mean_ns: self.sum_ns as f64 / requests.max(1) as f64,
            median_ns: quantile(0.5),
            p90_ns: quantile(0.9),
            p95_ns: quantile(0.95),
            p99_ns: quantile(0.99),
            p999_ns: quantile(0.999),
            requests,
            errors: self.errors,
            timeouts: self.timeouts,
            late_ns: self.late.value_at_quantile(0.99) as f64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_due_in_time_counts_and_waiting_is_a_mean_over_time() {
        let mut tally = Tally::of(1000, 1000).expect("a tally");
        // Due before it begins, there within: a page, but no response time. It waits for 500 of 1000.
        tally.sent(900, 900, true);
        tally.answered(900, 1500);
        // Due within, there afterwards: waits for 200 more.
        tally.sent(1700, 1800, true);
        tally.answered(1700, 2700);
        tally.sent(1900, 1900, false);
        tally.failed(1900, 1950);
        let found = tally.responses(0, 1, true);
        assert_eq!((tally.pages, found.requests, found.errors), (1, 1, 1));
        assert_eq!(found.waiting, 0.75);
        assert_eq!(found.mean_ns, 1000.0);
        assert_eq!(found.late_ns, 100.0);
    }
}
