//! When the next probe begins: in this end's part of an interval of the wall clock, at a random point.

use rustix::rand::{GetRandomFlags, getrandom};

/// So much of its part an end uses; the rest is for the other end's probes to end.
const USED: f64 = 0.8;

pub struct Schedule {
    interval_us: i64,
    turn: (u32, u32),
    /// The last interval that was used.
    last: i64,
}

impl Schedule {
    pub fn new(interval_ms: u64, turn: (u32, u32)) -> Schedule {
        Schedule {
            interval_us: (interval_ms.max(1) * 1000) as i64,
            turn,
            last: i64::MIN,
        }
    }

    /// How many microseconds from now the next probe begins; `random` is from 0 to 1.
    pub fn next_us(&mut self, now_us: i64, random: f64) -> i64 {
        let mut interval = now_us.div_euclid(self.interval_us);
        let mut begin_us = self.begin_us(interval, random);
        // A clock that is set back must not end the probing.
        let is_used = interval == self.last;
        if is_used || begin_us < now_us {
            interval += 1;
            begin_us = self.begin_us(interval, random);
        }
        self.last = interval;
        (begin_us - now_us).max(0)
    }

    fn begin_us(&self, interval: i64, random: f64) -> i64 {
        let (mine, all) = self.turn;
        let part = (f64::from(mine) + USED * random) / f64::from(all.max(1));
        interval * self.interval_us + (part * self.interval_us as f64) as i64
    }
}

/// A number from 0 to 1.
pub fn random() -> f64 {
    let mut bytes = [0; 4];
    // So few bytes are never cut short.
    let _ = getrandom(&mut bytes, GetRandomFlags::empty());
    f64::from(u32::from_le_bytes(bytes)) / f64::from(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_two_ends_have_parts_of_their_own(now_us in 0_i64..1 << 50, mine in 0_u32..2, random in 0.0..1.0_f64) {
            let mut schedule = Schedule::new(1000, (mine, 2));
            let mut begin_us = now_us;
            for _ in 0..5 {
                let wait_us = schedule.next_us(begin_us, random);
                prop_assert!(wait_us <= 2_000_000);
                let next_us = begin_us + wait_us;
                prop_assert!(next_us.div_euclid(1_000_000) != begin_us.div_euclid(1_000_000) || begin_us == now_us);
                let part = next_us.rem_euclid(1_000_000) / 500_000;
                prop_assert_eq!(part as u32, mine);
                begin_us = next_us;
            }
        }

        #[test]
        fn a_clock_that_is_set_delays_a_probe_by_two_intervals_at_most(
            now_us in 1_i64 << 48..1 << 50,
            step_us in -7_200_000_000_i64..7_200_000_000,
            random in 0.0..1.0_f64,
        ) {
            let mut schedule = Schedule::new(1000, (1, 2));
            let due_us = now_us + schedule.next_us(now_us, random);
            prop_assert!(schedule.next_us(due_us + step_us, random) <= 2_000_000);
        }
    }
}
