//! One direction of a wire: when a frame that arrives now has passed.

use weft_fabric::{Lane, Nanoseconds};

/// The Ethernet header, which is part of a frame but not of the packet in it.
pub const HEADER_BYTES: u32 = 14;
/// What a wire carries besides the frame: checksum (4), preamble (8) and the gap to the next (12).
pub const FRAME_OVERHEAD_BYTES: u64 = 24;
/// The shortest frame (60) with its overhead.
pub const LEAST_WIRE_BYTES: u64 = 84;

/// A server with one queue: frames leave in their order, each after its time on the wire.
#[derive(Debug)]
pub struct Wire {
    lane: Lane,
    /// When the last frame taken has left.
    free_at_ns: u64,
    /// Longer than this no frame waits: the queue is full.
    longest_wait_ns: u64,
}

impl Wire {
    /// An idle wire with a queue for `queue_frames` frames of the largest size, or for as many
    /// bytes in smaller ones.
    pub fn new(lane: Lane, mtu_bytes: u32, queue_frames: u32) -> Self {
        let mut wire = Self {
            lane,
            free_at_ns: 0,
            longest_wait_ns: u64::MAX,
        };
        let frame = wire.time_on_wire(u64::from(mtu_bytes + HEADER_BYTES)).0;
        wire.longest_wait_ns = frame.saturating_mul(u64::from(queue_frames));
        wire
    }

    /// When a frame that arrives at `now_ns` reaches the other end; none if the queue is full.
    pub fn pass(&mut self, now_ns: u64, frame_bytes: u64) -> Option<u64> {
        let start = self.free_at_ns.max(now_ns);
        if start - now_ns > self.longest_wait_ns {
            return None;
        }
        self.free_at_ns = start + self.time_on_wire(frame_bytes).0;
        Some(self.free_at_ns + self.lane.delay_ns.0)
    }

    /// How long a frame occupies the wire.
    pub fn time_on_wire(&self, frame_bytes: u64) -> Nanoseconds {
        let bytes = (frame_bytes + FRAME_OVERHEAD_BYTES).max(LEAST_WIRE_BYTES);
        let rate = self.lane.rate_bits_per_s;
        rate.map_or(Nanoseconds(0), |rate| rate.time_of(bytes * 8))
    }
}

#[cfg(test)]
mod tests {
    use weft_fabric::BitRate;

    use super::*;

    fn fast_ethernet(queue_frames: u32) -> Wire {
        let lane = Lane {
            rate_bits_per_s: Some(BitRate(100_000_000)),
            delay_ns: Nanoseconds(5_000),
        };
        Wire::new(lane, 1500, queue_frames)
    }

    #[test]
    fn an_idle_wire_takes_its_time_and_the_delay() {
        assert_eq!(
            fast_ethernet(10).pass(1_000, 1514),
            Some(1_000 + 123_040 + 5_000)
        );
        assert_eq!(
            fast_ethernet(10).pass(1_000, 42),
            Some(1_000 + 6_720 + 5_000)
        );
    }

    #[test]
    fn frames_leave_one_after_the_other() {
        let mut wire = fast_ethernet(10);
        wire.pass(0, 1514);
        assert_eq!(wire.pass(10, 1514), Some(2 * 123_040 + 5_000));
    }

    #[test]
    fn a_full_queue_drops() {
        let mut wire = fast_ethernet(2);
        let passed = (0..5).filter(|_| wire.pass(0, 1514).is_some()).count();
        assert_eq!(passed, 3, "one on the wire and two waiting");
        assert!(wire.pass(123_040, 1514).is_some());
    }

    #[test]
    fn a_lane_without_a_rate_only_delays() {
        let lane = Lane {
            rate_bits_per_s: None,
            delay_ns: Nanoseconds(7),
        };
        let mut wire = Wire::new(lane, 1500, 1);
        assert_eq!([wire.pass(1, 1514), wire.pass(1, 1514)], [Some(8), Some(8)]);
    }
}
