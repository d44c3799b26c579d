//! Water filling: the max-min fair rates of one component, and what of them stays when a transfer ends.
//!
//! All rates rise together, in proportion to their weights, until a constraint is full; its transfers are then frozen
//! and the others rise on (D. Bertsekas and R. Gallager, "Data Networks", 2nd ed. 1992, section 6.5.2). Each such
//! round is found with a heap of constraints by the level at which they would be full if no further transfer were frozen.
//! That level never falls while others freeze, so an entry that is out of date is only ever too low: it is put right
//! when it comes to the top.
//!
//! When a transfer ends that was frozen in round k, rounds before k stay as they are: it took part in none of the
//! constraints that became full in them. So filling goes on from the last checkpoint that is not behind round k, with
//! exactly the numbers that were there. Weights are whole numbers of a unit, so that sums of them can be taken apart
//! again without rounding.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

use super::groups::Groups;
use super::local::Local;

/// A checkpoint is made when so many times more has been done since the last one than making it takes.
const WORK_PER_CHECKPOINT: usize = 1;

/// A constraint: its capacity that frozen transfers have not taken, and the weight of the open ones.
#[derive(Debug, Clone, Copy)]
struct Room {
    left: f64,
    open: i64,
}

/// The state of filling.
#[derive(Debug, Default)]
pub struct Filling {
    pub groups: Groups,
    /// The constraints that became full, in that order.
    pub rounds: Vec<u32>,
    /// By constraint: its round.
    round_of: Vec<u32>,
    /// By constraint.
    rooms: Vec<Room>,
    /// The rounds that checkpoints stand before, the first being 0, and all rooms as they were at each.
    checkpoints: Vec<u32>,
    saved: Vec<Room>,
    /// Rooms changed since the last checkpoint.
    work: usize,
    heap: Vec<Key>,
}

/// A level and a constraint in one number: lowest level first in a heap that has the greatest on top, of equal levels
/// the lower constraint. Bits of floating-point numbers that are not negative are in the order of the numbers.
type Key = Reverse<u128>;

fn key(level: f64, constraint: u32) -> Key {
    Reverse(u128::from(level.to_bits()) << 32 | u128::from(constraint))
}

impl Filling {
    /// Begins anew, with no transfer there yet.
    pub fn reset(&mut self, local: &Local) {
        let room = |capacity: &f64| Room {
            left: *capacity,
            open: 0,
        };
        self.saved.clear();
        self.saved.extend(local.capacity.iter().map(room));
        self.checkpoints.clear();
        self.checkpoints.push(0);
        self.groups.reset(local);
        self.rounds.clear();
        self.round_of.clear();
        self.round_of.resize(local.capacity.len(), 0);
    }

    /// Lets a transfer take part from the next filling on, which must then begin at round 0.
    pub fn admit(&mut self, local: &Local, transfer: u32) {
        self.groups.admit(transfer);
        for &at in local.route(transfer) {
            self.saved[at as usize].open += local.weight[transfer as usize];
        }
    }

    /// Takes a frozen transfer away; gives a round from which to fill again.
    pub fn dismiss(&mut self, local: &Local, transfer: u32) -> u32 {
        let limit = self.groups.dismiss(transfer);
        let round = self.round_of[limit as usize];
        let weight = local.weight[transfer as usize];
        let constraints = local.capacity.len();
        let before = self.checkpoints.partition_point(|at| *at <= round);
        // At all checkpoints before it was frozen it is among the open ones.
        for saved in self.saved.chunks_exact_mut(constraints).take(before) {
            for &at in local.route(transfer) {
                saved[at as usize].open -= weight;
            }
        }
        round
    }

    /// Fills from the last checkpoint that is not behind a round; gives the round that it stands before. What was frozen
    /// in earlier rounds stays.
    pub fn fill(&mut self, local: &mut Local, round: u32, now_s: f64) -> u32 {
        let from = self.roll_back(local, round);
        let mut heap = BinaryHeap::from(self.keys(local));
        while let Some(mut top) = heap.peek_mut() {
            let constraint = top.0 as u32;
            if self.rooms[constraint as usize].open == 0 {
                PeekMut::pop(top);
                continue;
            }
            let level = self.level(local, constraint as usize);
            let now = key(level, constraint);
            if now.0 > top.0 {
                // It goes down to its place; if that is the top again, it is its turn.
                *top = now;
                continue;
            }
            PeekMut::pop(top);
            self.save_now_and_then();
            self.freeze(local, constraint, level, now_s);
        }
        self.heap = heap.into_vec();
        from
    }

    fn roll_back(&mut self, local: &Local, round: u32) -> u32 {
        let kept = self.checkpoints.partition_point(|at| *at <= round).max(1);
        self.checkpoints.truncate(kept);
        let constraints = local.capacity.len();
        self.saved.truncate(kept * constraints);
        self.rooms.clear();
        self.rooms
            .extend_from_slice(&self.saved[(kept - 1) * constraints..]);
        self.work = 0;
        let from = self.checkpoints[kept - 1];
        for constraint in self.rounds.drain(from as usize..) {
            self.groups.open(constraint);
        }
        from
    }

    fn keys(&mut self, local: &Local) -> Vec<Key> {
        let mut keys = std::mem::take(&mut self.heap);
        keys.clear();
        let open = (0..self.rooms.len()).filter(|at| self.rooms[*at].open > 0);
        keys.extend(open.map(|at| key(self.level(local, at), at as u32)));
        keys
    }

    /// Rounding can leave a little less than nothing.
    fn level(&self, local: &Local, constraint: usize) -> f64 {
        let room = self.rooms[constraint];
        let level = room.left / (room.open as f64 * local.unit);
        if level > 0.0 { level } else { 0.0 }
    }

    fn save_now_and_then(&mut self) {
        if self.work > WORK_PER_CHECKPOINT * self.rooms.len() {
            self.checkpoints.push(self.rounds.len() as u32);
            self.saved.extend_from_slice(&self.rooms);
            self.work = 0;
        }
    }

    fn freeze(&mut self, local: &mut Local, constraint: u32, level: f64, now_s: f64) {
        self.round_of[constraint as usize] = self.rounds.len() as u32;
        self.rounds.push(constraint);
        let open = self.rooms[constraint as usize].open;
        let burdens = self.groups.freeze(local, constraint, open, level, now_s);
        self.work += burdens.len();
        let level = level * local.unit;
        for burden in burdens {
            let room = &mut self.rooms[burden.constraint as usize];
            room.left -= level * burden.weight as f64;
            room.open -= burden.weight;
        }
    }
}
