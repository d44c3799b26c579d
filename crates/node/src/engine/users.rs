//! Users that request pages, read, think, and request again: the other end of the server's link, which costs no time.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::job::{Frame, Header};
use crate::machine::Machine;
use weft_fabric::IP_AND_TCP_BYTES;

/// Where users are, and the server.
pub const USERS: usize = 0;
pub const SERVER: usize = 1;

/// What a user does next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Act {
    Ask,
    /// Acknowledges what has arrived up to there, unless something later did.
    Acknowledge(u64),
}

#[derive(Debug, Clone, Default)]
struct User {
    asked_ps: u64,
    /// Of the server's bytes, since the beginning.
    received: u64,
    /// Of its requests' bytes.
    sent: u64,
    /// Of the page, what is still to come; 0 while thinking.
    left_bytes: u64,
    unacknowledged_segments: u32,
}

#[derive(Debug, Clone)]
pub struct Users {
    load: Load,
    segment_bytes: u64,
    window_bytes: u64,
    delayed_ack_ps: u64,
    each: Vec<User>,
    agenda: BinaryHeap<Reverse<(u64, u32, Act)>>,
    random: u64,
    /// From the last request frame's first bit in the queue to the page's last bit, of pages since they were taken.
    pub responses_ps: Vec<u64>,
    /// Users waiting for a page, and that number times the time.
    waiting: u64,
    area_ps: u128,
    changed_ps: u64,
}

impl Users {
    pub fn new(machine: &Machine, load: Load) -> Self {
        let sockets = machine.sockets;
        let mut users = Self {
            load,
            segment_bytes: u64::from(machine.nic.mtu_bytes - IP_AND_TCP_BYTES),
            window_bytes: sockets.receive_bytes,
            delayed_ack_ps: sockets.delayed_ack_ps,
            each: vec![User::default(); load.users as usize],
            agenda: BinaryHeap::new(),
            random: load.seed,
            responses_ps: Vec::new(),
            waiting: 0,
            area_ps: 0,
            changed_ps: 0,
        };
        (0..load.users).for_each(|user| users.think(user, 0));
        users
    }

    /// The frames of what users do now, one user after the other; none where no user's time has come.
    pub fn act(&mut self, now_ps: u64) -> Option<Vec<Frame>> {
        self.next_ps().filter(|at_ps| *at_ps <= now_ps)?;
        let Reverse((_, user, act)) = self.agenda.pop()?;
        Some(match act {
            Act::Ask => self.ask(user, now_ps),
            Act::Acknowledge(received) => self.acknowledge(user, received).into_iter().collect(),
        })
    }

    pub fn next_ps(&self) -> Option<u64> {
        self.agenda.peek().map(|Reverse((at_ps, _, _))| *at_ps)
    }

    /// Waiting users times the time they wait, since the beginning.
    pub fn area_ps(&mut self, now_ps: u64) -> u128 {
        self.area_ps += u128::from(self.waiting) * u128::from(now_ps - self.changed_ps);
        self.changed_ps = now_ps;
        self.area_ps
    }

    fn think(&mut self, user: u32, now_ps: u64) {
        let think_ps = (-self.uniform().ln() * self.load.think_ps as f64) as u64;
        self.plan(now_ps + think_ps, user, Act::Ask);
    }

    /// Above 0 and up to 1: SplitMix64 (G. L. Steele et al., OOPSLA 2014).
    fn uniform(&mut self) -> f64 {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.random;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^= bits >> 31;
        ((bits >> 11) + 1) as f64 / (1u64 << 53) as f64
    }

    fn plan(&mut self, at_ps: u64, user: u32, act: Act) {
        self.agenda.push(Reverse((at_ps, user, act)));
    }

    /// The frames of a request; what has arrived is acknowledged with them.
    fn ask(&mut self, user: u32, now_ps: u64) -> Vec<Frame> {
        self.area_ps(now_ps);
        self.waiting += 1;
        let mine = &mut self.each[user as usize];
        mine.asked_ps = now_ps;
        mine.left_bytes = self.load.page_bytes;
        let segments = self.load.request_bytes.div_ceil(self.segment_bytes);
        let last = self.load.request_bytes - (segments - 1) * self.segment_bytes;
        (1..=segments)
            .map(|index| match index == segments {
                true => self.frame(user, last),
                false => self.frame(user, self.segment_bytes),
            })
            .collect()
    }

    fn frame(&mut self, user: u32, payload_bytes: u64) -> Frame {
        let mine = &mut self.each[user as usize];
        mine.unacknowledged_segments = 0;
        let frame = Frame {
            number: 0,
            flow: user,
            first: mine.sent,
            payload_bytes: payload_bytes as u32,
            header: Header::Tcp {
                acknowledged: mine.received,
                edge: mine.received + self.window_bytes,
                ahead: 0,
            },
            is_last: false,
        };
        mine.sent = frame.end();
        frame
    }

    fn acknowledge(&mut self, user: u32, received: u64) -> Option<Frame> {
        let mine = &self.each[user as usize];
        let owes = mine.unacknowledged_segments > 0 && mine.received == received;
        owes.then(|| self.frame(user, 0))
    }

    /// Reads what a frame brings; every second segment is acknowledged at once, others after a while.
    pub fn read(&mut self, frame: Frame, now_ps: u64) -> Option<Frame> {
        let (user, bytes) = (frame.flow, u64::from(frame.payload_bytes));
        if bytes == 0 {
            return None;
        }
        let mine = &mut self.each[user as usize];
        mine.received += bytes;
        mine.left_bytes -= bytes;
        mine.unacknowledged_segments += 1;
        let (received, unacknowledged) = (mine.received, mine.unacknowledged_segments);
        if mine.left_bytes == 0 {
            let took_ps = now_ps - mine.asked_ps;
            self.responses_ps.push(took_ps);
            self.area_ps(now_ps);
            self.waiting -= 1;
            self.think(user, now_ps);
        }
        if unacknowledged >= 2 {
            return Some(self.frame(user, 0));
        }
        let due_ps = now_ps + self.delayed_ack_ps;
        self.plan(due_ps, user, Act::Acknowledge(received));
        None
    }
}

/// What users ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Load {
    pub users: u32,
    /// The mean of an exponentially distributed time.
    pub think_ps: u64,
    pub request_bytes: u64,
    pub page_bytes: u64,
    /// What the application computes for a request.
    pub work_cycles: u32,
    pub nodelay: bool,
    pub seed: u64,
}

impl Load {
    /// The machine whose application computes for each byte of a request what makes up the work.
    pub fn on(&self, machine: &Machine) -> Machine {
        let mut machine = machine.clone();
        let per_byte = f64::from(self.work_cycles) / self.request_bytes as f64;
        machine.application.cycles_per_byte += per_byte;
        machine
    }
}
