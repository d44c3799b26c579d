//! Steps of the clock, suspends, and times at which this process got no processor.

use std::time::Duration;

use rustix::time::{ClockId, Timespec, clock_gettime};

use super::notes::Notes;

/// A clock that is slewed gains at most 500 ppm (adjtimex(2)); more at once is a step.
const STEP: &str = "clock-step";
const STEP_S: f64 = 0.1;
const SUSPEND_S: f64 = 0.5;
const STALL_S: f64 = 0.5;

#[derive(Clone, Copy)]
struct Reading {
    real_s: f64,
    monotonic_s: f64,
    boot_s: f64,
}

pub struct Clocks {
    last: Reading,
}

impl Clocks {
    pub fn new() -> Clocks {
        Clocks { last: read() }
    }

    /// Note what has happened since the last call; `late` is how much longer this thread slept than it
    /// meant to.
    pub fn observe(&mut self, late: Duration, notes: &Notes) {
        let now = read();
        for (what, seconds) in happened(self.last, now, late.as_secs_f64()) {
            if what == STEP {
                notes.event(what, None, Some(seconds), "");
            } else {
                // It began before it could be noticed.
                notes.span(what, None, (seconds, seconds), "");
            }
        }
        self.last = now;
    }
}

fn happened(last: Reading, now: Reading, late_s: f64) -> Vec<(&'static str, f64)> {
    let monotonic_s = now.monotonic_s - last.monotonic_s;
    let boot_s = now.boot_s - last.boot_s;
    let found = [
        ("suspend", boot_s - monotonic_s, SUSPEND_S),
        (STEP, now.real_s - last.real_s - boot_s, STEP_S),
        ("stall", late_s, STALL_S),
    ];
    let large = found.into_iter().filter(|one| one.1.abs() >= one.2);
    large.map(|(what, seconds, _)| (what, seconds)).collect()
}

fn read() -> Reading {
    let seconds = |clock| {
        let Timespec { tv_sec, tv_nsec } = clock_gettime(clock);
        tv_sec as f64 + tv_nsec as f64 / 1e9
    };
    Reading {
        real_s: seconds(ClockId::Realtime),
        monotonic_s: seconds(ClockId::Monotonic),
        boot_s: seconds(ClockId::Boottime),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(real_s: f64, monotonic_s: f64, boot_s: f64) -> Reading {
        Reading {
            real_s,
            monotonic_s,
            boot_s,
        }
    }

    #[test]
    fn a_step_a_suspend_and_a_stall_are_told_apart() {
        let last = at(1000.0, 10.0, 10.0);
        assert!(happened(last, at(1001.0, 11.0, 11.0), 0.0).is_empty());
        let step = happened(last, at(4601.0, 11.0, 11.0), 0.0);
        assert_eq!(step, [("clock-step", 3600.0)]);
        let suspend = happened(last, at(1601.0, 11.0, 611.0), 0.0);
        assert_eq!(suspend, [("suspend", 600.0)]);
        let stall = happened(last, at(1003.0, 13.0, 13.0), 2.0);
        assert_eq!(stall, [("stall", 2.0)]);
    }
}
