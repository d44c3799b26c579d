//! One direction of a link: when a frame that arrives now has passed.

use rand_pcg::Pcg32;
use rand_pcg::rand_core::{RngCore, SeedableRng};
use weft_fabric::queue::{Admission, Line};
use weft_fabric::{Direction, ETHERNET_BYTES, Medium, Nanoseconds};

/// A line of frames, each of which takes its time on the wire.
#[derive(Debug)]
pub struct Link {
    direction: Direction,
    medium: Medium,
    /// The frames that wait; none where everything is lost.
    line: Option<Line>,
    /// Which frames are lost where a share of them is: the same in each lab of the same fabric.
    chance: Pcg32,
}

impl Link {
    /// An idle link with a queue for `queue_frames` frames of the largest size, or for as many
    /// bytes in smaller ones.
    pub fn new(
        direction: Direction,
        mtu_bytes: u32,
        queue_frames: u32,
        admission: Admission,
    ) -> Self {
        Self::dead(direction).with_queue(mtu_bytes, queue_frames, admission)
    }

    /// The inside of a switch, where there is neither preamble nor gap between frames.
    pub fn inside(
        direction: Direction,
        mtu_bytes: u32,
        queue_frames: u32,
        admission: Admission,
    ) -> Self {
        let inside = Self {
            medium: Medium::INSIDE,
            ..Self::dead(direction)
        };
        inside.with_queue(mtu_bytes, queue_frames, admission)
    }

    /// A link on which everything is lost.
    pub fn dead(direction: Direction) -> Self {
        Self {
            direction,
            medium: Medium::WIRE,
            line: None,
            chance: Pcg32::seed_from_u64(0),
        }
    }

    /// The same link with a chance of its own.
    pub fn with_seed(self, seed: u64) -> Self {
        Self {
            chance: Pcg32::seed_from_u64(seed),
            ..self
        }
    }

    fn with_queue(self, mtu_bytes: u32, queue_frames: u32, admission: Admission) -> Self {
        let frame_ns = self.time_on_wire(u64::from(mtu_bytes + ETHERNET_BYTES)).0;
        let longest_wait_ns = frame_ns.saturating_mul(u64::from(queue_frames));
        Self {
            line: Some(Line::new(longest_wait_ns, admission)),
            ..self
        }
    }

    /// When a frame that arrives at `now_ns` reaches the other end; none if it is lost: the queue
    /// is full, or the link dead, or the link loses it on its way.
    pub fn pass(&mut self, now_ns: u64, frame_bytes: u64, sender: usize) -> Option<u64> {
        let time_ns = self.time_on_wire(frame_bytes).0;
        let leaves_ns = self.line.as_mut()?.take(now_ns, time_ns, sender)?;
        (!self.loses(frame_bytes)).then_some(leaves_ns + self.direction.delay_ns.0)
    }

    fn loses(&mut self, frame_bytes: u64) -> bool {
        let Direction {
            drops_above_bytes,
            loss_ppm,
            ..
        } = self.direction;
        let is_too_large =
            drops_above_bytes.is_some_and(|most| frame_bytes > u64::from(most + ETHERNET_BYTES));
        is_too_large || (loss_ppm > 0 && self.chance.next_u32() % 1_000_000 < loss_ppm)
    }

    /// Its rate, 0 where it has none.
    #[cfg(test)]
    pub fn bits_per_s(&self) -> u64 {
        self.direction.rate_bits_per_s.map_or(0, |rate| rate.0)
    }

    /// How long a frame occupies the link.
    pub fn time_on_wire(&self, frame_bytes: u64) -> Nanoseconds {
        let bytes = self.medium.occupied_bytes(frame_bytes);
        let rate = self.direction.rate_bits_per_s;
        rate.map_or(Nanoseconds(0), |rate| rate.time_of(bytes * 8))
    }
}

#[cfg(test)]
mod tests {
    use weft_fabric::BitRate;

    use super::*;

    fn fast_ethernet(queue_frames: u32) -> Link {
        let direction = Direction {
            rate_bits_per_s: Some(BitRate(100_000_000)),
            delay_ns: Nanoseconds(5_000),
            ..Direction::default()
        };
        Link::new(direction, 1500, queue_frames, Admission::DropTail)
    }

    #[test]
    fn an_idle_link_takes_its_time_and_the_delay() {
        assert_eq!(
            fast_ethernet(10).pass(1_000, 1514, 0),
            Some(1_000 + 123_040 + 5_000)
        );
        assert_eq!(
            fast_ethernet(10).pass(1_000, 42, 0),
            Some(1_000 + 6_720 + 5_000)
        );
    }

    #[test]
    fn frames_leave_one_after_the_other() {
        let mut link = fast_ethernet(10);
        link.pass(0, 1514, 0);
        assert_eq!(link.pass(10, 1514, 0), Some(2 * 123_040 + 5_000));
    }

    #[test]
    fn a_full_queue_drops() {
        let mut link = fast_ethernet(2);
        let passed = (0..5).filter(|_| link.pass(0, 1514, 0).is_some()).count();
        assert_eq!(passed, 3, "one on the wire and two waiting");
        assert!(link.pass(123_040, 1514, 0).is_some());
    }

    #[test]
    fn inside_a_switch_there_is_neither_preamble_nor_gap() {
        let direction = fast_ethernet(1).direction;
        let time = |bytes| {
            Link::inside(direction, 1500, 10, Admission::DropTail)
                .time_on_wire(bytes)
                .0
        };
        assert_eq!([time(1514), time(42)], [1518 * 80, 64 * 80]);
    }

    #[test]
    fn whose_frames_wait_is_what_is_admitted() {
        let direction = fast_ethernet(1).direction;
        let mut link = Link::inside(direction, 1500, 10, Admission::DynamicThreshold);
        let mut passed = |sender| {
            (0..20)
                .filter(|_| link.pass(0, 1514, sender).is_some())
                .count()
        };
        assert_eq!(
            [passed(0), passed(1)],
            [6, 3],
            "half of the queue, half of the rest"
        );
    }

    #[test]
    fn a_dead_link_loses_everything() {
        assert_eq!(
            Link::dead(fast_ethernet(1).direction).pass(0, 1514, 0),
            None
        );
    }

    #[test]
    fn what_is_too_large_vanishes_and_the_rest_passes() {
        let direction = Direction {
            drops_above_bytes: Some(1400),
            ..Direction::default()
        };
        let mut link = Link::new(direction, 1500, 10, Admission::DropTail);
        assert_eq!(
            [link.pass(1, 1414, 0), link.pass(1, 1415, 0)],
            [Some(1), None]
        );
    }

    #[test]
    fn a_share_of_frames_is_lost_the_same_ones_each_time() {
        let direction = Direction {
            loss_ppm: 100_000,
            ..Direction::default()
        };
        let lost = |seed| {
            let mut link = Link::new(direction, 1500, 10, Admission::DropTail).with_seed(seed);
            let frames = 0..10_000;
            frames
                .filter(|_| link.pass(0, 60, 0).is_none())
                .collect::<Vec<_>>()
        };
        // Four standard deviations of 10,000 draws.
        assert!((880..=1120).contains(&lost(1).len()), "{}", lost(1).len());
        assert_eq!(lost(1), lost(1));
        assert_ne!(lost(1), lost(2));
    }

    #[test]
    fn a_direction_without_a_rate_only_delays() {
        let direction = Direction {
            delay_ns: Nanoseconds(7),
            ..Direction::default()
        };
        let mut link = Link::new(direction, 1500, 1, Admission::DropTail);
        assert_eq!(
            [link.pass(1, 1514, 0), link.pass(1, 1514, 0)],
            [Some(8), Some(8)]
        );
    }
}
