//! Who waits for a limit that many senders share, so that none of them can fill the queue alone.

use std::collections::VecDeque;

/// The frames in a queue by their senders. A sender may have as much waiting as there is room left: the dynamic
/// threshold of switches with shared memory (Choudhury and Hahne, IEEE/ACM Transactions on Networking 6(2), 1998,
/// with a factor of one). Without it whoever came first would keep the queue full, and others find no room.
#[derive(Debug, Default)]
pub struct Shares {
    waiting: VecDeque<Waiting>,
    /// How much of the queue each sender has, in time on the wire.
    held_ns: Vec<u64>,
}

#[derive(Debug)]
struct Waiting {
    leaves_ns: u64,
    sender: usize,
    time_ns: u64,
}

impl Shares {
    /// Whether a sender may have another frame wait while there is room for so much.
    pub fn admit(&mut self, now_ns: u64, sender: usize, room_ns: u64) -> bool {
        while let Some(first) = self
            .waiting
            .front()
            .filter(|first| first.leaves_ns <= now_ns)
        {
            self.held_ns[first.sender] -= first.time_ns;
            self.waiting.pop_front();
        }
        self.held_ns.get(sender).is_none_or(|held| *held <= room_ns)
    }

    /// Notes a frame that leaves at a time, after all noted before.
    pub fn add(&mut self, leaves_ns: u64, sender: usize, time_ns: u64) {
        if self.held_ns.len() <= sender {
            self.held_ns.resize(sender + 1, 0);
        }
        self.held_ns[sender] += time_ns;
        self.waiting.push_back(Waiting {
            leaves_ns,
            sender,
            time_ns,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sender_may_hold_as_much_as_is_left() {
        let mut shares = Shares::default();
        shares.add(100, 0, 60);
        assert!(!shares.admit(0, 0, 40), "60 held, 40 left");
        assert!(shares.admit(0, 1, 40), "nothing held yet");
        assert!(shares.admit(100, 0, 40), "all of it has left");
    }
}
