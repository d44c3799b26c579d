//! One direction of a link: when a frame that arrives now has passed.

use rand_pcg::Pcg32;
use rand_pcg::rand_core::{RngCore, SeedableRng};
use weft_fabric::queue::{Admission, Line};
use weft_fabric::{Direction, ETHERNET_BYTES, Medium, Nanoseconds};

use crate::chance::{exponential_ns, uniform_ns};
use crate::forward::conditions::Conditions;
use crate::forward::filter::matches;

/// What other traffic did longer ago than so many of its frames take no longer matters to a queue.
const REMEMBERED_FRAMES: u64 = 1000;

/// A line of frames, each of which takes its time on the wire.
#[derive(Debug)]
pub struct Link {
    conditions: Conditions,
    medium: Medium,
    frame_bytes: u64,
    queue_frames: u64,
    /// The frames that wait.
    line: Line,
    /// Which frames are lost where a share of them is: the same in each lab of the same fabric.
    chance: Pcg32,
    /// When the next frame of other traffic comes, where there is any.
    others_at_ns: u64,
    /// When the last frame arrived, where chance delays them.
    last_arrival_ns: u64,
}

impl Link {
    /// An idle link with a queue for `queue_frames` frames of the largest size, or for as many
    /// bytes in smaller ones.
    pub fn new(
        conditions: Conditions,
        medium: Medium,
        mtu_bytes: u32,
        queue_frames: u32,
        admission: Admission,
    ) -> Self {
        let mut link = Self {
            conditions,
            medium,
            frame_bytes: u64::from(mtu_bytes + ETHERNET_BYTES),
            queue_frames: u64::from(queue_frames),
            line: Line::new(0, admission),
            chance: Pcg32::seed_from_u64(0),
            others_at_ns: 0,
            last_arrival_ns: 0,
        };
        link.fit_queue();
        link
    }

    /// The same link with a chance of its own.
    pub fn with_seed(self, seed: u64) -> Self {
        Self {
            chance: Pcg32::seed_from_u64(seed),
            ..self
        }
    }

    /// Changes its conditions; what is on its way stays as it was.
    pub fn set(&mut self, conditions: Conditions) {
        self.conditions = conditions;
        self.fit_queue();
    }

    /// Lets as many frames wait as the queue holds, whatever the rate.
    fn fit_queue(&mut self) {
        let frame_ns = self.time_on_wire(self.frame_bytes).0;
        self.line
            .set_longest_wait(frame_ns.saturating_mul(self.queue_frames));
    }

    /// When a frame that arrives at `now_ns` reaches the other end; none if it is lost.
    pub fn take(&mut self, now_ns: u64, frame: &[u8], sender: usize) -> Option<u64> {
        let mut blocks = self.conditions.blocks.iter();
        match blocks.any(|filter| matches(filter, frame)) {
            true => None,
            false => self.pass(now_ns, frame.len() as u64, sender),
        }
    }

    /// The same for a frame of a size that no filter is about. Lost is what finds the queue full or the link dead, and
    /// what the link loses on its way.
    pub fn pass(&mut self, now_ns: u64, frame_bytes: u64, sender: usize) -> Option<u64> {
        if self.conditions.dead {
            return None;
        }
        match self.conditions.load_ppm {
            // Where there is to be other traffic, it begins after what has passed.
            0 => self.others_at_ns = now_ns,
            _ => self.take_others(now_ns),
        }
        let time_ns = self.time_on_wire(frame_bytes).0;
        let leaves_ns = self.line.take(now_ns, time_ns, sender)?;
        (!self.loses(frame_bytes)).then(|| self.arrival_ns(leaves_ns))
    }

    /// Where chance delays frames it does not change their order.
    fn arrival_ns(&mut self, leaves_ns: u64) -> u64 {
        let arrives_ns = leaves_ns + self.conditions.direction.delay_ns.0;
        match self.conditions.jitter_ns {
            0 => arrives_ns,
            most_ns => {
                let late_ns = uniform_ns(&mut self.chance, [0, most_ns]);
                self.last_arrival_ns = self.last_arrival_ns.max(arrives_ns + late_ns);
                self.last_arrival_ns
            }
        }
    }

    /// Has the other traffic of the time since the last frame wait and leave.
    fn take_others(&mut self, now_ns: u64) {
        let frame_ns = self.time_on_wire(self.frame_bytes).0;
        let mean_ns = frame_ns.saturating_mul(1_000_000) / u64::from(self.conditions.load_ppm);
        if mean_ns == 0 {
            return;
        }
        let oldest_ns = now_ns.saturating_sub(frame_ns.saturating_mul(REMEMBERED_FRAMES));
        self.others_at_ns = self.others_at_ns.max(oldest_ns);
        while self.others_at_ns <= now_ns {
            self.line.occupy(self.others_at_ns, frame_ns);
            self.others_at_ns += exponential_ns(&mut self.chance, mean_ns).max(1);
        }
    }

    fn loses(&mut self, frame_bytes: u64) -> bool {
        let Direction {
            drops_above_bytes,
            loss_ppm,
            ..
        } = self.conditions.direction;
        let is_too_large =
            drops_above_bytes.is_some_and(|most| frame_bytes > u64::from(most + ETHERNET_BYTES));
        is_too_large || (loss_ppm > 0 && self.chance.next_u32() % 1_000_000 < loss_ppm)
    }

    /// Its rate, 0 where it has none.
    #[cfg(test)]
    pub fn bits_per_s(&self) -> u64 {
        self.conditions
            .direction
            .rate_bits_per_s
            .map_or(0, |rate| rate.0)
    }

    /// How long a frame occupies the link.
    pub fn time_on_wire(&self, frame_bytes: u64) -> Nanoseconds {
        let bytes = self.medium.occupied_bytes(frame_bytes);
        let rate = self.conditions.direction.rate_bits_per_s;
        rate.map_or(Nanoseconds(0), |rate| rate.time_of(bytes * 8))
    }
}

#[cfg(test)]
mod tests {
    use weft_fabric::BitRate;

    use super::*;

    const FAST_ETHERNET: Direction = Direction {
        rate_bits_per_s: Some(BitRate(100_000_000)),
        delay_ns: Nanoseconds(5_000),
        drops_above_bytes: None,
        loss_ppm: 0,
    };

    fn as_described(direction: Direction) -> Conditions {
        Conditions {
            direction,
            ..Conditions::default()
        }
    }

    fn wire(conditions: Conditions, queue_frames: u32) -> Link {
        Link::new(
            conditions,
            Medium::WIRE,
            1500,
            queue_frames,
            Admission::DropTail,
        )
    }

    fn fast_ethernet(queue_frames: u32) -> Link {
        wire(as_described(FAST_ETHERNET), queue_frames)
    }

    fn inside(admission: Admission) -> Link {
        Link::new(
            as_described(FAST_ETHERNET),
            Medium::INSIDE,
            1500,
            10,
            admission,
        )
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
        let time = |bytes| inside(Admission::DropTail).time_on_wire(bytes).0;
        assert_eq!([time(1514), time(42)], [1518 * 80, 64 * 80]);
    }

    #[test]
    fn whose_frames_wait_is_what_is_admitted() {
        let mut link = inside(Admission::DynamicThreshold);
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
        let dead = Conditions {
            dead: true,
            ..as_described(FAST_ETHERNET)
        };
        let mut link = wire(dead, 10);
        assert_eq!(link.pass(0, 1514, 0), None);
        link.set(as_described(FAST_ETHERNET));
        assert!(link.pass(0, 1514, 0).is_some());
    }

    #[test]
    fn what_is_too_large_vanishes_and_the_rest_passes() {
        let direction = Direction {
            drops_above_bytes: Some(1400),
            ..Direction::default()
        };
        let mut link = wire(as_described(direction), 10);
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
            let mut link = wire(as_described(direction), 10).with_seed(seed);
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
        let mut link = wire(as_described(direction), 1);
        assert_eq!(
            [link.pass(1, 1514, 0), link.pass(1, 1514, 0)],
            [Some(8), Some(8)]
        );
    }

    #[test]
    fn other_traffic_makes_frames_wait_as_queueing_theory_says() {
        let loaded = Conditions {
            load_ppm: 800_000,
            ..as_described(FAST_ETHERNET)
        };
        let idle_ns = 6_720 + 5_000;
        // Of a frame's time in front of the link, with long pauses between what is measured, and short ones.
        let mean_wait = |pause_ns: u64| {
            let mut link = fast_ethernet(1000);
            link.pass(pause_ns - 1000, 1514, 0);
            link.set(loaded.clone());
            let times = (1..=4_000).map(|frame| frame * pause_ns);
            let waits = times.map(|now_ns| link.pass(now_ns, 42, 0).unwrap() - now_ns - idle_ns);
            waits.sum::<u64>() as f64 / 4_000.0 / 123_040.0
        };
        // Pollaczek and Khinchine: load / (2 (1 - load)).
        for pause_ns in [1_000_000_000, 10_000_000] {
            let mean = mean_wait(pause_ns);
            assert!((1.85..2.15).contains(&mean), "{pause_ns}: {mean}");
        }
    }

    #[test]
    fn chance_delays_frames_and_keeps_their_order() {
        let jittery = Conditions {
            jitter_ns: 1_000_000,
            ..as_described(Direction::default())
        };
        let mut link = wire(jittery, 10);
        let arrivals: Vec<_> = (0..1000_u64)
            .map(|frame| link.pass(frame * 10_000, 60, 0).unwrap())
            .collect();
        assert!(arrivals.is_sorted());
        let sparse = (1..1000_u64).map(|second| {
            let now_ns = second * 1_000_000_000;
            link.pass(now_ns, 60, 0).unwrap() - now_ns
        });
        let late: Vec<_> = sparse.collect();
        let mean_ns = late.iter().sum::<u64>() / 999;
        assert!((460_000..540_000).contains(&mean_ns), "{mean_ns}");
        assert!(late.iter().all(|late| *late <= 1_000_000));
    }
}
