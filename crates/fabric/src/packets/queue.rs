//! A limit and what waits in front of it: frames leave in their order, each after its time at the limit's rate.

use super::shares::{Admission, Shares};

/// What a limit lets through.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limit {
    /// As on a wire; infinite where it only delays, 0 where nothing passes.
    pub bits_per_s: f64,
    /// From there to the next limit.
    pub delay_s: f64,
    /// Frames of the largest size that may wait.
    pub queue_frames: u32,
    /// Whose frames those may be.
    pub admission: Admission,
}

/// A limit at work.
#[derive(Debug)]
pub struct Queue {
    limit: Limit,
    longest_wait_ns: u64,
    free_at_ns: u64,
    shares: Shares,
}

/// When a frame has passed a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Passage {
    /// What it takes itself, without waiting.
    pub takes_ns: u64,
    /// Its last bit leaves.
    pub leaves_ns: u64,
    /// It is at the next limit, or at the other end.
    pub arrives_ns: u64,
}

impl Queue {
    /// An idle one.
    pub fn new(limit: Limit, largest_frame_bytes: u64) -> Self {
        let frame_ns = time_ns(limit, largest_frame_bytes);
        Self {
            limit,
            longest_wait_ns: frame_ns.saturating_mul(u64::from(limit.queue_frames)),
            free_at_ns: 0,
            shares: Shares::new(limit.admission),
        }
    }

    /// Takes a frame of so many bytes on the wire; none where it is lost.
    pub fn pass(&mut self, now_ns: u64, bytes: u64, sender: usize) -> Option<Passage> {
        if self.limit.bits_per_s == 0.0 {
            return None;
        }
        let start_ns = self.free_at_ns.max(now_ns);
        let room_ns = self.longest_wait_ns.checked_sub(start_ns - now_ns);
        if !self.shares.admit(now_ns, sender, room_ns) {
            return None;
        }
        let frame_ns = time_ns(self.limit, bytes);
        self.free_at_ns = start_ns + frame_ns;
        self.shares.add(self.free_at_ns, sender, frame_ns);
        Some(Passage {
            takes_ns: frame_ns,
            leaves_ns: self.free_at_ns,
            arrives_ns: self.free_at_ns + (self.limit.delay_s * 1e9) as u64,
        })
    }
}

fn time_ns(limit: Limit, bytes: u64) -> u64 {
    (bytes as f64 * 8e9 / limit.bits_per_s) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limit(admission: Admission) -> Limit {
        Limit {
            bits_per_s: 1e6,
            delay_s: 5e-6,
            queue_frames: 2,
            admission,
        }
    }

    #[test]
    fn frames_leave_one_after_the_other_until_the_queue_is_full() {
        let mut queue = Queue::new(limit(Admission::DropTail), 125);
        let ends: Vec<_> = (0..4).filter_map(|_| queue.pass(0, 125, 0)).collect();
        let leaves: Vec<_> = ends.iter().map(|end| end.leaves_ns).collect();
        assert_eq!(leaves, [1_000_000, 2_000_000, 3_000_000]);
        assert_eq!(ends[0].arrives_ns, 1_005_000);
        assert!(queue.pass(1_000_000, 125, 0).is_some());
    }

    #[test]
    fn one_sender_does_not_fill_a_shared_queue() {
        let mut queue = Queue::new(limit(Admission::DynamicThreshold), 125);
        let mut passed = |sender| (0..4).filter_map(|_| queue.pass(0, 125, sender)).count();
        assert_eq!([passed(0), passed(1)], [2, 1]);
    }

    #[test]
    fn nothing_passes_without_a_rate() {
        let dead = Limit {
            bits_per_s: 0.0,
            ..limit(Admission::DropTail)
        };
        assert_eq!(Queue::new(dead, 125).pass(0, 125, 0), None);
    }
}
