//! The edges of the windows in which a timed phase counts bytes.

use super::super::part::Windows;

/// Warm-up, then one window a trial.
pub struct Timetable {
    trial_ns: u64,
    edges_left: u32,
    next_ns: u64,
}

impl Timetable {
    pub fn new(windows: Windows, start_ns: u64) -> Timetable {
        Timetable {
            trial_ns: windows.trial_ns,
            edges_left: windows.trials + 1,
            next_ns: start_ns + windows.warm_up_ns,
        }
    }

    /// The next edge; none after the last.
    #[inline]
    pub fn next_ns(&self) -> Option<u64> {
        (self.edges_left > 0).then_some(self.next_ns)
    }

    /// Go past the next edge, at which the bytes were counted at `counted_ns`. Where a busy machine kept us from
    /// counting for half a window or more, the next one is as long as it should be, from there: so no window is shorter
    /// than half of what it should be.
    #[inline]
    pub fn pass(&mut self, counted_ns: u64) {
        let is_far_past = counted_ns - self.next_ns >= self.trial_ns / 2;
        self.next_ns = self.trial_ns
            + if is_far_past {
                counted_ns
            } else {
                self.next_ns
            };
        self.edges_left -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn timetable(trials: u32) -> Timetable {
        let windows = Windows {
            warm_up_ns: 25,
            trial_ns: 100,
            trials,
        };
        Timetable::new(windows, 1000)
    }

    #[test]
    fn each_edge_is_passed_once() {
        let mut timetable = timetable(2);
        let mut passed = Vec::new();
        while let Some(next_ns) = timetable.next_ns() {
            passed.push(next_ns);
            timetable.pass(next_ns + 5);
        }
        assert_eq!(passed, [1025, 1125, 1225]);
    }

    #[test]
    fn no_window_is_shorter_than_half_however_late_bytes_are_counted() {
        for late_ns in [0, 49, 50, 65, 99, 100, 127, 1000] {
            let mut timetable = timetable(1);
            let first_ns = 1025 + late_ns;
            timetable.pass(first_ns);
            let length_ns = timetable.next_ns().unwrap() - first_ns;
            assert!((51..=100).contains(&length_ns), "{length_ns}");
        }
    }
}
