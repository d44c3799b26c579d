//! The one clock of the forwarder: monotonic nanoseconds.

/// Monotonic time now.
pub fn now_ns() -> u64 {
    read(libc::CLOCK_MONOTONIC)
}

/// What to subtract from the kernel's time stamps, which are real time, to get monotonic time. Read anew for
/// each batch of frames, since the real time may be set.
pub fn realtime_offset_ns() -> u64 {
    let monotonic = read(libc::CLOCK_MONOTONIC);
    read(libc::CLOCK_REALTIME).saturating_sub(monotonic)
}

/// A kernel time in nanoseconds.
pub fn nanoseconds(time: &libc::timespec) -> u64 {
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// Nanoseconds as a kernel time.
pub fn timespec(ns: u64) -> libc::timespec {
    libc::timespec {
        tv_sec: (ns / 1_000_000_000) as libc::time_t,
        tv_nsec: (ns % 1_000_000_000) as libc::c_long,
    }
}

fn read(clock: libc::clockid_t) -> u64 {
    let mut time = timespec(0);
    // SAFETY: `time` is a valid place for the answer; these clocks exist on every Linux.
    unsafe { libc::clock_gettime(clock, &raw mut time) };
    nanoseconds(&time)
}
