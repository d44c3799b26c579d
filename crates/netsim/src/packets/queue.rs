//! A limit and what waits in front of it: frames leave in their order, each after its time at the limit's rate.

use weft_fabric::queue::{Admission, Line};

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
    line: Line,
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
        let longest_wait_ns = frame_ns.saturating_mul(u64::from(limit.queue_frames));
        Self {
            limit,
            line: Line::new(longest_wait_ns, limit.admission),
        }
    }

    /// Takes a frame of so many bytes on the wire; none where it is lost.
    pub fn pass(&mut self, now_ns: u64, bytes: u64, sender: usize) -> Option<Passage> {
        if self.limit.bits_per_s == 0.0 {
            return None;
        }
        let takes_ns = time_ns(self.limit, bytes);
        let leaves_ns = self.line.take(now_ns, takes_ns, sender)?;
        Some(Passage {
            takes_ns,
            leaves_ns,
            arrives_ns: leaves_ns + (self.limit.delay_s * 1e9) as u64,
        })
    }
}

fn time_ns(limit: Limit, bytes: u64) -> u64 {
    (bytes as f64 * 8e9 / limit.bits_per_s) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: Limit = Limit {
        bits_per_s: 1e6,
        delay_s: 5e-6,
        queue_frames: 2,
        admission: Admission::DropTail,
    };

    #[test]
    fn a_frame_takes_its_time_at_the_rate_and_the_delay() {
        let mut queue = Queue::new(LIMIT, 125);
        let ends: Vec<_> = (0..4).filter_map(|_| queue.pass(0, 125, 0)).collect();
        assert_eq!(ends.len(), 3, "one leaving and two of the largest waiting");
        assert_eq!(ends[1].takes_ns, 1_000_000);
        assert_eq!(ends[1].leaves_ns, 2_000_000);
        assert_eq!(ends[1].arrives_ns, 2_005_000);
    }

    #[test]
    fn nothing_passes_without_a_rate() {
        let dead = Limit {
            bits_per_s: 0.0,
            ..LIMIT
        };
        assert_eq!(Queue::new(dead, 125).pass(0, 125, 0), None);
    }
}
