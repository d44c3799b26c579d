//! Sending at a rate: message n is due n gaps after the first.

use std::thread;
use std::time::Duration;

use crate::system::clock::now_ns;

/// Sleeping costs about so much more than asked; what is nearer is waited for by looking at the clock.
const SLEEP_SLACK_NS: u64 = 80_000;

/// The time between two messages of a payload rate.
pub fn gap_ns(size_bytes: u64, bits_per_s: f64) -> u64 {
    (size_bytes as f64 * 8e9 / bits_per_s.max(1.0)) as u64
}

/// Return when the time has come.
#[inline]
pub fn wait_until(due_ns: u64) {
    let left_ns = due_ns.saturating_sub(now_ns());
    if left_ns > SLEEP_SLACK_NS {
        thread::sleep(Duration::from_nanos(left_ns - SLEEP_SLACK_NS));
    }
    while now_ns() < due_ns {
        std::hint::spin_loop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thousand_bytes_at_8_mbps_are_a_millisecond_apart() {
        assert_eq!(gap_ns(1000, 8e6), 1_000_000);
    }

    #[test]
    fn nothing_is_sent_early() {
        let due_ns = now_ns() + 300_000;
        wait_until(due_ns);
        assert!(now_ns() >= due_ns);
    }
}
