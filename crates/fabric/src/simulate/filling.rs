//! Water filling: the max-min fair rates of one component, and what of them stays when a transfer ends.
//!
//! All rates rise together, in proportion to their weights, until a constraint is full; its transfers are then frozen
//! and the others rise on (D. Bertsekas and R. Gallager, "Data Networks", 2nd ed. 1992, section 6.5.2). Each such
//! round is found with a heap of constraints by the level at which they would be full if nobody were frozen any more.
//! That level never falls while others freeze, so an entry that is out of date is only ever too low: it is put right
//! when it comes to the top.
//!
//! When a transfer ends that was frozen in round k, rounds before k stay as they are: it took part in none of the
//! constraints that became full in them. What each round changed stands in a log, so that filling goes on from round
//! k, with exactly the numbers that were there. Weights are whole numbers of a unit, so that sums of them can be taken
//! apart again without rounding.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::local::Local;

/// Not frozen yet.
pub const OPEN: u32 = u32::MAX;
/// No longer there.
pub const GONE: u32 = u32::MAX - 1;
/// Not there yet.
const TO_COME: u32 = u32::MAX - 2;
const NO_ENTRY: u32 = u32::MAX;

/// One round: the constraint that became full, and where its transfers and its changes stand.
#[derive(Debug, Clone, Copy)]
pub struct Round {
    /// Rate of a transfer of weight 1.
    pub level: f64,
    pub constraint: u32,
    pub first_frozen: u32,
    first_entry: u32,
}

/// What a constraint was before a round changed it.
#[derive(Debug, Clone, Copy)]
struct Entry {
    constraint: u32,
    /// The entry before of the same constraint.
    before: u32,
    left: f64,
    open: i64,
}

/// The state of filling.
#[derive(Debug, Default)]
pub struct Filling {
    /// By constraint: capacity not taken by frozen transfers, weight of open ones, weight of all that are there.
    left: Vec<f64>,
    open: Vec<i64>,
    total: Vec<i64>,
    last_entry: Vec<u32>,
    /// By transfer: its round.
    round_of: Vec<u32>,
    pub rounds: Vec<Round>,
    /// Transfers in the order in which they were frozen.
    pub frozen: Vec<u32>,
    log: Vec<Entry>,
    heap: Vec<Key>,
}

/// Lowest level first in a heap that has the greatest on top; of equal levels the lower constraint.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Key {
    level: f64,
    constraint: u32,
}

impl Eq for Key {}

impl Ord for Key {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_level = other.level.total_cmp(&self.level);
        by_level.then(other.constraint.cmp(&self.constraint))
    }
}

impl PartialOrd for Key {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Filling {
    /// Begins anew, with no transfer there yet.
    pub fn reset(&mut self, local: &Local) {
        let constraints = local.capacity.len();
        self.left.clear();
        self.left.extend_from_slice(&local.capacity);
        refill(&mut self.open, constraints, 0);
        refill(&mut self.total, constraints, 0);
        refill(&mut self.last_entry, constraints, NO_ENTRY);
        refill(&mut self.round_of, local.len(), TO_COME);
        self.rounds.clear();
        self.frozen.clear();
        self.log.clear();
    }

    /// Lets a transfer take part from the next filling on, which must then begin at round 0.
    pub fn admit(&mut self, local: &Local, transfer: u32) {
        self.round_of[transfer as usize] = OPEN;
        for &at in local.route(transfer) {
            self.total[at as usize] += local.weight[transfer as usize];
        }
    }

    /// Takes a frozen transfer away; gives the round from which to fill again.
    pub fn dismiss(&mut self, local: &Local, transfer: u32) -> u32 {
        let round = std::mem::replace(&mut self.round_of[transfer as usize], GONE);
        let later = self.rounds.get(round as usize + 1);
        let end = later.map_or(self.log.len() as u32, |later| later.first_entry);
        let weight = local.weight[transfer as usize];
        for &at in local.route(transfer) {
            self.total[at as usize] -= weight;
            // In all that was noted until it was frozen it is still among the open ones.
            let mut entry = self.last_entry[at as usize];
            while entry != NO_ENTRY {
                let noted = &mut self.log[entry as usize];
                if entry < end {
                    noted.open -= weight;
                }
                entry = noted.before;
            }
        }
        round
    }

    /// Fills from a round on; what was frozen before stays.
    pub fn fill(&mut self, local: &mut Local, from: u32) {
        self.roll_back(local, from);
        let mut heap = BinaryHeap::from(self.keys(local));
        while let Some(key) = heap.pop() {
            let at = key.constraint as usize;
            if self.open[at] == 0 {
                continue;
            }
            let level = self.level(local, at);
            let is_lowest = heap.peek().is_none_or(|next| level <= next.level);
            match level <= key.level || is_lowest {
                true => self.freeze_all(local, key.constraint, level),
                false => heap.push(Key { level, ..key }),
            }
        }
        self.heap = heap.into_vec();
    }

    /// The round in which a transfer was frozen.
    pub fn round_of(&self, transfer: u32) -> u32 {
        self.round_of[transfer as usize]
    }

    /// The transfers that a round froze.
    pub fn frozen_in(&self, round: usize) -> &[u32] {
        let start = self.rounds[round].first_frozen as usize;
        let next = self.rounds.get(round + 1);
        let end = next.map_or(self.frozen.len(), |next| next.first_frozen as usize);
        &self.frozen[start..end]
    }

    /// What is taken of a constraint's capacity.
    pub fn load(&self, local: &Local, constraint: usize) -> f64 {
        local.capacity[constraint] - self.left[constraint]
    }

    fn roll_back(&mut self, local: &Local, from: u32) {
        if from == 0 {
            self.start_over(local);
            return;
        }
        let Some(round) = self.rounds.get(from as usize).copied() else {
            return;
        };
        while self.log.len() > round.first_entry as usize {
            let Some(entry) = self.log.pop() else { break };
            let at = entry.constraint as usize;
            self.left[at] = entry.left;
            self.open[at] = entry.open;
            self.last_entry[at] = entry.before;
        }
        self.open_again(round.first_frozen as usize);
        self.rounds.truncate(from as usize);
    }

    fn start_over(&mut self, local: &Local) {
        self.left.copy_from_slice(&local.capacity);
        self.open.copy_from_slice(&self.total);
        self.last_entry.fill(NO_ENTRY);
        self.log.clear();
        self.open_again(0);
        self.rounds.clear();
    }

    fn open_again(&mut self, first: usize) {
        for &transfer in &self.frozen[first..] {
            let round = &mut self.round_of[transfer as usize];
            if *round != GONE {
                *round = OPEN;
            }
        }
        self.frozen.truncate(first);
    }

    fn keys(&mut self, local: &Local) -> Vec<Key> {
        let mut keys = std::mem::take(&mut self.heap);
        keys.clear();
        let open = (0..local.capacity.len()).filter(|at| self.open[*at] > 0);
        keys.extend(open.map(|at| Key {
            level: self.level(local, at),
            constraint: at as u32,
        }));
        keys
    }

    /// Rounding can leave a little less than nothing.
    fn level(&self, local: &Local, constraint: usize) -> f64 {
        let weight = self.open[constraint] as f64 * local.unit;
        (self.left[constraint] / weight).max(0.0)
    }

    fn freeze_all(&mut self, local: &mut Local, constraint: u32, level: f64) {
        let number = self.rounds.len() as u32;
        let first_entry = self.log.len() as u32;
        self.rounds.push(Round {
            level,
            constraint,
            first_frozen: self.frozen.len() as u32,
            first_entry,
        });
        for index in local.living_members(constraint, |one| self.round_of[one as usize] != GONE) {
            let transfer = local.members[index];
            // One that crosses a constraint twice is among its members twice.
            if self.round_of[transfer as usize] != OPEN {
                continue;
            }
            self.round_of[transfer as usize] = number;
            self.frozen.push(transfer);
            let weight = local.weight[transfer as usize];
            let rate = level * (weight as f64 * local.unit);
            for &at in local.route(transfer) {
                self.note(at, first_entry);
                self.left[at as usize] -= rate;
                self.open[at as usize] -= weight;
            }
        }
    }

    /// Remembers what a constraint was before this round.
    #[inline]
    fn note(&mut self, constraint: u32, first_entry: u32) {
        let at = constraint as usize;
        let before = self.last_entry[at];
        if before == NO_ENTRY || before < first_entry {
            self.last_entry[at] = self.log.len() as u32;
            self.log.push(Entry {
                constraint,
                before,
                left: self.left[at],
                open: self.open[at],
            });
        }
    }
}

fn refill<T: Clone>(list: &mut Vec<T>, count: usize, value: T) {
    list.clear();
    list.resize(count, value);
}
