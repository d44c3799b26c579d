//! How many frames of each sender may wait for a shared limit, so that none is shut out.

use std::collections::VecDeque;

/// Whose frames may wait in front of a limit. Where the first to come keep the queue full, others may get nothing for
/// seconds: of two senders as fast as the limit one fills it for good, and the other's frames always come between two
/// that have left (Floyd and Jacobson, On Traffic Phase Effects in Packet-Switched Gateways, Internetworking 3(3), 1992).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Admission {
    /// Any sender's while there is space.
    DropTail,
    /// The same, and one of each sender's even where there is none, as the least that switches reserve for a port.
    OneEach,
    /// Of each sender as much as there is room left: the dynamic threshold of switches with shared memory (Choudhury
    /// and Hahne, IEEE/ACM Transactions on Networking 6(2), 1998, with a factor of one).
    DynamicThreshold,
}

/// The frames in a queue by their senders.
#[derive(Debug)]
pub struct Shares {
    admission: Admission,
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
    /// None waiting.
    pub fn new(admission: Admission) -> Self {
        Self {
            admission,
            waiting: VecDeque::new(),
            held_ns: Vec::new(),
        }
    }

    /// Whether a sender may have another frame wait while there is room for so much, or none.
    pub fn admit(&mut self, now_ns: u64, sender: usize, room_ns: Option<u64>) -> bool {
        self.forget_what_has_left(now_ns);
        let held_ns = self.held_ns.get(sender).copied().unwrap_or(0);
        match self.admission {
            Admission::DropTail => room_ns.is_some(),
            Admission::OneEach => held_ns == 0 || room_ns.is_some(),
            Admission::DynamicThreshold => room_ns.is_some_and(|room_ns| held_ns <= room_ns),
        }
    }

    /// Notes a frame that leaves at a time, after all noted before.
    pub fn add(&mut self, leaves_ns: u64, sender: usize, time_ns: u64) {
        if self.admission == Admission::DropTail {
            return;
        }
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

    fn forget_what_has_left(&mut self, now_ns: u64) {
        while let Some(first) = self
            .waiting
            .front()
            .filter(|first| first.leaves_ns <= now_ns)
        {
            self.held_ns[first.sender] -= first.time_ns;
            self.waiting.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn held(admission: Admission) -> Shares {
        let mut shares = Shares::new(admission);
        shares.add(100, 0, 60);
        shares
    }

    #[test]
    fn a_sender_may_hold_as_much_as_is_left() {
        let mut shares = held(Admission::DynamicThreshold);
        assert!(!shares.admit(0, 0, Some(40)), "60 held, 40 left");
        assert!(shares.admit(0, 1, Some(40)), "nothing held yet");
        assert!(shares.admit(100, 0, Some(40)), "all of it has left");
        assert!(!shares.admit(0, 1, None), "no room");
    }

    #[test]
    fn a_frame_of_each_sender_finds_room_in_a_full_queue() {
        let mut shares = held(Admission::OneEach);
        assert!(shares.admit(0, 0, Some(0)), "there is room");
        assert!(!shares.admit(0, 0, None), "60 held");
        assert!(shares.admit(0, 1, None), "its first");
    }

    #[test]
    fn first_come_is_first_served() {
        let mut shares = held(Admission::DropTail);
        assert!(shares.admit(0, 0, Some(0)) && !shares.admit(0, 1, None));
    }
}
