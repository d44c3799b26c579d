//! What is sent back for transfers, acknowledgements above all, and what it leaves of the constraints that it crosses.
//!
//! Answers are small and are not held back by congestion: nothing waits for a lost one as long as a later one arrives,
//! which stands for both (cumulative acknowledgements, RFC 9293, section 3.4). So data gives way to them. Of a
//! constraint they take what the transfers that they answer make them need, but no more than their fair share if each
//! of their streams counted as one of data: beyond that they become fewer, and each answers more (RFC 3449, section
//! 4.3). What they leave is shared by the transfers, max-min fairly.
//!
//! What answers need follows from rates, and rates from what answers leave. Both are found in turns, from a first guess
//! that is exact where all rates are the same. A turn changes what is left by the answers' part of the data (3 % with
//! TCP) of what the turn before changed, so that few are needed. Room is made for the answers to all transfers of a
//! phase as if all ran until its end.

use super::transfers::{Demand, Transfers};

/// Settled is what changes by less than this part of a constraint's capacity.
const SETTLED: f64 = 1e-11;
/// More than ever needed: answers that are as many bits as the data settle within 40.
pub const MOST_TURNS: u32 = 100;

/// What is wanted of one constraint.
#[derive(Debug, Clone, Copy, Default)]
pub struct Claims {
    /// Weight of the transfers that cross it.
    there: f64,
    /// Weight of the transfers whose answers cross it, and the part of it that the answers are.
    back: f64,
    answers: f64,
}

impl Claims {
    /// Counts a transfer that crosses so often.
    pub fn add_there(&mut self, demand: Demand, times: f64) {
        self.there += demand.weight * times;
    }

    /// Counts a transfer whose answers cross so often.
    pub fn add_back(&mut self, demand: Demand, times: f64) {
        self.back += demand.weight * times;
        self.answers += demand.weight * demand.back * times;
    }

    /// Whether answers take anything away from transfers here.
    fn matters(self) -> bool {
        self.there > 0.0 && self.answers > 0.0
    }

    /// What is left for transfers where all have the same rate for their weight.
    pub fn first_left(self, capacity: f64) -> f64 {
        match self.matters() {
            true => capacity * self.there / (self.there + self.answers),
            false => capacity,
        }
    }

    /// What is left for transfers where answers need so many bit/s.
    pub fn left(self, capacity: f64, needed: f64) -> f64 {
        match self.matters() {
            true => (capacity - needed).max(capacity * self.there / (self.there + self.back)),
            false => capacity,
        }
    }
}

/// Whether another turn would change nothing.
pub fn is_settled(capacity: f64, before: f64, after: f64) -> bool {
    before == after || (before - after).abs() <= SETTLED * capacity
}

/// What answers leave of each constraint.
#[derive(Debug, Default)]
pub struct Answers {
    /// By constraint: bit/s.
    pub left: Vec<f64>,
    /// What it would be after a turn.
    next_left: Vec<f64>,
    claims: Vec<Claims>,
    needed: Vec<f64>,
    turns: u32,
}

impl Answers {
    /// The first guess.
    pub fn begin(&mut self, capacities: &[f64], transfers: &Transfers) {
        self.turns = 0;
        self.claims.clear();
        self.claims.resize(capacities.len(), Claims::default());
        for (index, (route, back)) in transfers.routes().zip(transfers.routes_back()).enumerate() {
            let demand = transfers.demand(index);
            for at in route {
                self.claims[*at as usize].add_there(demand, 1.0);
            }
            for at in back {
                self.claims[*at as usize].add_back(demand, 1.0);
            }
        }
        let both = capacities.iter().zip(&self.claims);
        self.left.clear();
        self.left
            .extend(both.map(|(capacity, claims)| claims.first_left(*capacity)));
    }

    /// Makes the room that answers need at these rates; whether it was there.
    pub fn settle(
        &mut self,
        capacities: &[f64],
        transfers: &Transfers,
        bits_per_s: &[f64],
    ) -> bool {
        self.needed.clear();
        self.needed.resize(capacities.len(), 0.0);
        for (index, back) in transfers.routes_back().enumerate() {
            let answers = bits_per_s[index] * transfers.demand(index).back;
            // What nothing limits takes no time, and so do its answers.
            for at in back.iter().filter(|_| answers < f64::INFINITY) {
                self.needed[*at as usize] += answers;
            }
        }
        self.turns += 1;
        let (claims, needed) = (&self.claims, &self.needed);
        let left = |(at, capacity): (usize, &f64)| claims[at].left(*capacity, needed[at]);
        self.next_left.clear();
        self.next_left
            .extend(capacities.iter().enumerate().map(left));
        let mut turn = self.left.iter().zip(&self.next_left).zip(capacities);
        if self.turns == MOST_TURNS
            || turn.all(|((before, after), capacity)| is_settled(*capacity, *before, *after))
        {
            return true;
        }
        std::mem::swap(&mut self.left, &mut self.next_left);
        false
    }
}
