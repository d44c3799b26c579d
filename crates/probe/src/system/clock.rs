//! The monotonic clock, and what reading it costs.

use nix::time::{ClockId, clock_gettime};

/// Nanoseconds of CLOCK_MONOTONIC, which all agents of one kernel share.
#[inline]
pub fn now_ns() -> u64 {
    let time = clock_gettime(ClockId::CLOCK_MONOTONIC).expect("CLOCK_MONOTONIC always exists");
    time.tv_sec() as u64 * 1_000_000_000 + time.tv_nsec() as u64
}

/// Mean cost of one reading of the clock, in nanoseconds.
pub fn read_cost_ns() -> f64 {
    const READINGS: u32 = 1000;
    let start = now_ns();
    for _ in 0..READINGS {
        std::hint::black_box(now_ns());
    }
    (now_ns() - start) as f64 / f64::from(READINGS)
}
