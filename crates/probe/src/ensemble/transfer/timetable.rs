//! The edges of the windows in which a timed phase counts bytes.

use super::super::part::Windows;

/// Warm-up, then one window a trial.
pub struct Timetable {
    windows: Windows,
    start_ns: u64,
    passed: u32,
}

impl Timetable {
    pub fn new(windows: Windows, start_ns: u64) -> Timetable {
        Timetable {
            windows,
            start_ns,
            passed: 0,
        }
    }

    /// The next edge; none after the last.
    #[inline]
    pub fn next_ns(&self) -> Option<u64> {
        let first_ns = self.start_ns + self.windows.warm_up_ns;
        let is_left = self.passed <= self.windows.trials;
        is_left.then(|| first_ns + u64::from(self.passed) * self.windows.trial_ns)
    }

    /// Go past the next edge if it has come.
    #[inline]
    pub fn pass(&mut self, now_ns: u64) -> bool {
        let is_past = self.next_ns().is_some_and(|edge_ns| edge_ns <= now_ns);
        self.passed += u32::from(is_past);
        is_past
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_edge_is_passed_once() {
        let windows = Windows {
            warm_up_ns: 25,
            trial_ns: 100,
            trials: 2,
        };
        let mut timetable = Timetable::new(windows, 1000);
        assert!(!timetable.pass(1024));
        assert!(timetable.pass(1130) && timetable.pass(1130) && !timetable.pass(1130));
        assert_eq!(timetable.next_ns(), Some(1225));
        assert!(timetable.pass(9999) && !timetable.pass(9999));
        assert_eq!(timetable.next_ns(), None);
    }
}
