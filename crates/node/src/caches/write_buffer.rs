//! Writes that are on their way while a processor goes on.

/// A queue in front of the caches: the processor waits only when it is full.
#[derive(Debug, Clone, Copy)]
pub struct WriteBuffer {
    places: u64,
    /// How long what is in it still takes.
    left_ps: u64,
}

impl WriteBuffer {
    /// With room for so many writes; without any, each is waited for.
    pub fn new(places: u32) -> Self {
        Self {
            places: u64::from(places),
            left_ps: 0,
        }
    }

    /// The processor did something else meanwhile.
    pub fn pass(&mut self, ps: u64) {
        self.left_ps = self.left_ps.saturating_sub(ps);
    }

    /// Takes in some writes, one each `pace_ps`, that take the caches `write_ps` together. Gives back how long the processor
    /// waits for room.
    pub fn take(&mut self, writes: u64, write_ps: u64, pace_ps: u64) -> u64 {
        if self.places == 0 || writes == 0 {
            return write_ps;
        }
        self.left_ps = (self.left_ps + write_ps).saturating_sub(writes * pace_ps);
        let room_ps = self.places * write_ps / writes;
        let waits_ps = self.left_ps.saturating_sub(room_ps);
        self.left_ps -= waits_ps;
        waits_ps
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_room_each_write_is_waited_for() {
        let mut buffer = WriteBuffer::new(0);
        assert_eq!(buffer.take(5, 100, 7), 100);
        assert_eq!(buffer.take(5, 100, 1000), 100);
    }

    #[test]
    fn writes_that_are_done_before_the_next_cost_nothing() {
        let mut buffer = WriteBuffer::new(1);
        assert_eq!(buffer.take(10, 100, 10), 0);
    }

    #[test]
    fn in_the_long_run_writes_come_no_faster_than_caches_take_them() {
        let mut buffer = WriteBuffer::new(4);
        let waits_ps: u64 = (0..100).map(|_| buffer.take(10, 100, 2)).sum();
        // 1000 writes take 10 ps each, 2 of which the processor works; four are still there.
        assert_eq!(waits_ps, 1000 * 8 - 40);
        buffer.pass(30);
        assert_eq!(buffer.take(1, 10, 0), 0);
        assert_eq!(buffer.take(2, 20, 0), 0);
        assert_eq!(buffer.take(1, 10, 0), 10);
    }
}
