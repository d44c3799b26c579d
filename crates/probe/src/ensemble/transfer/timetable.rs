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

    /// Go past the next edge if it has come. Where a busy machine kept us from looking for half a window or more, the
    /// next one is as long as it should be, from now.
    #[inline]
    pub fn pass(&mut self, now_ns: u64) -> bool {
        let is_past = self.edges_left > 0 && self.next_ns <= now_ns;
        if is_past {
            let is_far_past = now_ns - self.next_ns >= self.trial_ns / 2;
            self.next_ns = self.trial_ns + if is_far_past { now_ns } else { self.next_ns };
            self.edges_left -= 1;
        }
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
        assert!(timetable.pass(1030) && !timetable.pass(1124));
        assert!(timetable.pass(1130) && !timetable.pass(1130));
        assert_eq!(timetable.next_ns(), Some(1225));
        assert!(timetable.pass(9999) && !timetable.pass(9999));
        assert_eq!(timetable.next_ns(), None);
    }

    #[test]
    fn a_window_that_would_begin_at_its_end_begins_anew() {
        let windows = Windows {
            warm_up_ns: 25,
            trial_ns: 100,
            trials: 1,
        };
        let mut timetable = Timetable::new(windows, 1000);
        assert!(timetable.pass(1090) && !timetable.pass(1189));
        assert_eq!(timetable.next_ns(), Some(1190));
    }
}
