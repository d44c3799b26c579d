//! A server with one queue: frames leave in their order, each after its time.

use super::shares::{Admission, Shares};

/// A limit's queue in time, for the lab's clock and the simulator's alike.
#[derive(Debug)]
pub struct Line {
    /// When the last frame taken has left.
    free_at_ns: u64,
    /// Longer than this no frame waits: the queue is full.
    longest_wait_ns: u64,
    shares: Shares,
}

impl Line {
    /// An empty line with space for so much.
    pub fn new(longest_wait_ns: u64, admission: Admission) -> Self {
        Self {
            free_at_ns: 0,
            longest_wait_ns,
            shares: Shares::new(admission),
        }
    }

    /// Changes how long a frame may wait; those that wait stay.
    pub fn set_longest_wait(&mut self, longest_wait_ns: u64) {
        self.longest_wait_ns = longest_wait_ns;
    }

    /// Has a frame of other traffic wait and leave, if there is room.
    pub fn occupy(&mut self, now_ns: u64, time_ns: u64) {
        let start_ns = self.free_at_ns.max(now_ns);
        if start_ns - now_ns <= self.longest_wait_ns {
            self.free_at_ns = start_ns + time_ns;
        }
    }

    /// When a frame has left that comes now and takes so long; none where it is lost for want of room.
    pub fn take(&mut self, now_ns: u64, time_ns: u64, sender: usize) -> Option<u64> {
        let start_ns = self.free_at_ns.max(now_ns);
        let room_ns = self.longest_wait_ns.checked_sub(start_ns - now_ns);
        if !self.shares.admit(now_ns, sender, room_ns) {
            return None;
        }
        self.free_at_ns = start_ns + time_ns;
        self.shares.add(self.free_at_ns, sender, time_ns);
        Some(self.free_at_ns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(line: &mut Line, sender: usize) -> usize {
        (0..4).filter_map(|_| line.take(0, 10, sender)).count()
    }

    #[test]
    fn frames_leave_one_after_the_other_until_there_is_no_room() {
        let mut line = Line::new(20, Admission::DropTail);
        let leaves: Vec<_> = (0..4).filter_map(|_| line.take(0, 10, 0)).collect();
        assert_eq!(leaves, [10, 20, 30], "one leaving and two waiting");
        assert_eq!(line.take(10, 10, 0), Some(40), "one has left");
        assert_eq!(line.take(100, 10, 0), Some(110), "idle since 40");
    }

    #[test]
    fn one_sender_does_not_fill_a_shared_line() {
        let mut line = Line::new(20, Admission::DynamicThreshold);
        assert_eq!([taken(&mut line, 0), taken(&mut line, 1)], [2, 1]);
    }

    #[test]
    fn a_full_line_takes_a_frame_of_each_other_sender() {
        let mut line = Line::new(20, Admission::OneEach);
        assert_eq!([taken(&mut line, 0), taken(&mut line, 1)], [3, 1]);
    }
}
