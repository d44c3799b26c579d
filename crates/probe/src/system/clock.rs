//! The monotonic clock, and what reading it costs.

use rustix::time::{ClockId, clock_gettime};

/// Nanoseconds of CLOCK_MONOTONIC, which all agents of one kernel share.
#[inline]
pub fn now_ns() -> u64 {
    let time = clock_gettime(ClockId::Monotonic);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// Nanoseconds that this thread has had a processor.
pub fn thread_ns() -> u64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// Nanoseconds since 1970, as this node believes.
pub fn time_of_day_ns() -> i64 {
    let time = clock_gettime(ClockId::Realtime);
    time.tv_sec * 1_000_000_000 + time.tv_nsec
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
