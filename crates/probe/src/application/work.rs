//! Work of a known length: a chain of dependent operations on registers.

use std::hint::black_box;

use rustix::time::{ClockId, clock_gettime};

/// Iterations between two looks at the clock: some 50 us.
const STRETCH: u64 = 50_000;

/// Compute so many iterations.
#[inline(never)]
pub fn carry_out(iterations: u64) {
    let mut state = black_box(0x9e37_79b9_7f4a_7c15_u64);
    for _ in 0..iterations {
        state = (state ^ (state >> 7)).wrapping_mul(0x2545_f491_4f6c_dd1d);
    }
    black_box(state);
}

/// What an iteration takes of the processor's time, in picoseconds: the mean over so long, with the timer's interrupts as
/// always, but without what other programs take.
pub fn iteration_ps(for_ns: u64) -> u64 {
    let start_ns = used_ns();
    let mut iterations = 0;
    loop {
        carry_out(STRETCH);
        iterations += STRETCH;
        let took_ns = used_ns() - start_ns;
        if took_ns >= for_ns {
            return (took_ns * 1000 / iterations).max(1);
        }
    }
}

/// Processor time of this thread.
fn used_ns() -> u64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_takes_in_proportion_to_its_iterations() {
        let one_ps = iteration_ps(5_000_000);
        let start_ns = used_ns();
        carry_out(100 * STRETCH);
        let ratio = (used_ns() - start_ns) as f64 * 1e3 / (100 * STRETCH * one_ps) as f64;
        assert!((0.5..2.0).contains(&ratio), "{ratio}");
    }
}
