//! Phases that need no events: each transfer keeps from start to end the rate that its busiest constraint gives to all.
//!
//! Equal messages in a symmetric pattern (shifts, rings, halos on regular networks) are of this kind. Let a constraint
//! with capacity C be crossed by transfers of weight W in all: its level is C / W, and a transfer's guess is the lowest
//! level on its route. The guesses are the max-min fair rates if every transfer's lowest constraint is full under them:
//! then each has a full constraint on which no other has a higher rate (D. Bertsekas and R. Gallager, "Data Networks",
//! 2nd ed. 1992, section 6.5.2). If all transfers over that constraint also end at the same time, it stays full with
//! the same transfers until then, whatever ends elsewhere, and so the guesses hold from start to end.
//!
//! One pass over all crossings where all constraints have one level, else two, four where rates differ; no sorting.
//! Without contention, `apart` finds that level sooner.

use super::apart::Apart;
use super::solution::{NOTHING, OWN_CAP};
use super::transfers::{Demand, Transfers};

/// Capacities that differ by less than this are equal: what is left of rounding.
const ROUNDING: f64 = 1e-12;

/// Working memory, one entry for each constraint, or for each transfer.
#[derive(Debug, Default)]
pub struct Symmetry {
    apart: Apart,
    weight: Vec<f64>,
    level: Vec<f64>,
    used: Vec<f64>,
    first_end: Vec<f64>,
    touched: Vec<u32>,
    guess: Vec<Guess>,
    span_s: Vec<f64>,
}

#[derive(Debug, Clone, Copy)]
struct Guess {
    level: f64,
    lowest: u32,
}

impl Guess {
    /// What a transfer would do that crosses nothing.
    fn of_cap(demand: Demand) -> Self {
        if demand.cap_bits_per_s == f64::INFINITY {
            return Self {
                level: f64::INFINITY,
                lowest: NOTHING,
            };
        }
        Self {
            level: demand.cap_bits_per_s / demand.weight,
            lowest: OWN_CAP,
        }
    }
}

impl Symmetry {
    /// Gives each transfer's rate (in bit/s) while all run, and its bottleneck, to `take`, in their order, if the
    /// guesses hold; else gives nothing.
    pub fn rates(
        &mut self,
        capacities: &[f64],
        transfers: &Transfers,
        mut take: impl FnMut(f64, u32),
    ) -> bool {
        self.add_weights(capacities.len(), transfers);
        let holds = self.guesses_hold(capacities, transfers);
        if holds {
            for (index, guess) in self.guess.iter().enumerate() {
                take(guess.level * transfers.demand(index).weight, guess.lowest);
            }
        }
        self.forget();
        holds
    }

    /// The same with the end of each transfer.
    pub fn ends(
        &mut self,
        capacities: &[f64],
        transfers: &Transfers,
        mut take: impl FnMut(f64, u32),
    ) -> bool {
        let common = transfers.common_demand();
        let apart = common.and_then(|_| self.apart.common_capacity(capacities, transfers));
        if let Some((demand, capacity)) = common.zip(apart) {
            end_alike(capacity / demand.weight, demand, transfers, take);
            return true;
        }
        self.add_weights(capacities.len(), transfers);
        if let Some((demand, level)) = common.zip(self.common_level(capacities)) {
            end_alike(level, demand, transfers, take);
            self.forget();
            return true;
        }
        let start_s = transfers.demand(0).start_s;
        let holds = self.guesses_hold(capacities, transfers)
            && (0..transfers.len()).all(|index| transfers.demand(index).start_s == start_s)
            && (self.end_at_once(transfers) || self.is_steady(transfers));
        if holds {
            for (guess, span_s) in self.guess.iter().zip(&self.span_s) {
                take(start_s + span_s, guess.lowest);
            }
        }
        self.forget();
        holds
    }

    /// Whether the guesses are the rates while all run. Where all guesses are alike every lowest constraint is full.
    fn guesses_hold(&mut self, capacities: &[f64], transfers: &Transfers) -> bool {
        match self.common_level(capacities) {
            Some(level) => self.guess_alike(level, transfers),
            None => {
                self.level_constraints(capacities);
                self.guess_each(transfers);
            }
        }
        let mut guesses = self.guess.windows(2);
        guesses.all(|two| two[0].level == two[1].level) || self.is_full(capacities, transfers)
    }

    fn add_weights(&mut self, count: usize, transfers: &Transfers) {
        if self.weight.len() < count {
            self.weight.resize(count, 0.0);
            self.level.resize(count, 0.0);
            self.used.resize(count, 0.0);
            self.first_end.resize(count, f64::INFINITY);
        }
        for (index, route) in transfers.routes().enumerate() {
            let weight = transfers.weight(index);
            for &at in route {
                let sum = &mut self.weight[at as usize];
                if *sum == 0.0 {
                    self.touched.push(at);
                }
                *sum += weight;
            }
        }
    }

    /// The level of all constraints that are crossed, if it is the same: a permutation without conflicts needs no
    /// second look at which transfer crosses what.
    fn common_level(&self, capacities: &[f64]) -> Option<f64> {
        let of = |at: &u32| (capacities[*at as usize], self.weight[*at as usize]);
        let (capacity, weight) = of(self.touched.first()?);
        let mut touched = self.touched.iter();
        let alike = touched.all(|at| of(at) == (capacity, weight));
        alike.then_some(capacity / weight)
    }

    fn guess_alike(&mut self, level: f64, transfers: &Transfers) {
        self.guess.clear();
        for (index, route) in transfers.routes().enumerate() {
            let mut guess = Guess::of_cap(transfers.demand(index));
            match route.first() {
                Some(first) if level < guess.level => {
                    guess = Guess {
                        level,
                        lowest: *first,
                    };
                }
                _ => {}
            }
            self.guess.push(guess);
        }
    }

    fn level_constraints(&mut self, capacities: &[f64]) {
        for &at in &self.touched {
            let at = at as usize;
            self.level[at] = capacities[at] / self.weight[at];
        }
    }

    fn guess_each(&mut self, transfers: &Transfers) {
        self.guess.clear();
        for (index, route) in transfers.routes().enumerate() {
            let mut guess = Guess::of_cap(transfers.demand(index));
            for &at in route {
                let level = self.level[at as usize];
                if level < guess.level {
                    guess = Guess { level, lowest: at };
                }
            }
            self.guess.push(guess);
        }
    }

    /// Whether every transfer's lowest constraint is full, or the transfer is at its own cap.
    fn is_full(&mut self, capacities: &[f64], transfers: &Transfers) -> bool {
        for (index, guess) in self.guess.iter().enumerate() {
            let rate = guess.level * transfers.demand(index).weight;
            for &at in transfers.route(index) {
                self.used[at as usize] += rate;
            }
        }
        self.guess.iter().all(|guess| {
            let at = guess.lowest as usize;
            guess.lowest >= NOTHING || self.used[at] >= capacities[at] * (1.0 - ROUNDING)
        })
    }

    /// Notes how long each transfer takes; whether all take equally long.
    fn end_at_once(&mut self, transfers: &Transfers) -> bool {
        // Most are like the one before, and a division takes longer than all else here.
        let mut last = (0.0, 0.0, 0.0);
        let span = |(index, guess): (usize, &Guess)| {
            let demand = transfers.demand(index);
            let rate = guess.level * demand.weight;
            if (demand.bits, rate) != (last.0, last.1) {
                last = (demand.bits, rate, span_s(demand.bits, rate));
            }
            last.2
        };
        self.span_s.clear();
        self.span_s.extend(self.guess.iter().enumerate().map(span));
        let first = self.span_s.iter().copied().fold(f64::INFINITY, f64::min);
        let last = self.span_s.iter().copied().fold(0.0, f64::max);
        first >= last * (1.0 - ROUNDING)
    }

    /// Whether over each lowest constraint all end at once.
    fn is_steady(&mut self, transfers: &Transfers) -> bool {
        for (index, span_s) in self.span_s.iter().enumerate() {
            for &at in transfers.route(index) {
                let first = &mut self.first_end[at as usize];
                *first = first.min(*span_s);
            }
        }
        let mut ends = self.guess.iter().zip(&self.span_s);
        ends.all(|(guess, span_s)| {
            guess.lowest >= NOTHING
                || self.first_end[guess.lowest as usize] >= span_s * (1.0 - ROUNDING)
        })
    }

    fn forget(&mut self) {
        for &at in &self.touched {
            let at = at as usize;
            self.weight[at] = 0.0;
            self.used[at] = 0.0;
            self.first_end[at] = f64::INFINITY;
        }
        self.touched.clear();
    }
}

/// Where all ask for the same and all constraints have one level, that is the rate of each that crosses any.
fn end_alike(level: f64, demand: Demand, transfers: &Transfers, mut take: impl FnMut(f64, u32)) {
    let isolated = Guess::of_cap(demand);
    let end_s = |level: f64| demand.start_s + span_s(demand.bits, level * demand.weight);
    let (shared_s, isolated_s) = (end_s(level), end_s(isolated.level));
    for route in transfers.routes() {
        match route.first() {
            Some(first) if level < isolated.level => take(shared_s, *first),
            _ => take(isolated_s, isolated.lowest),
        }
    }
}

/// How long bits take at a rate; no bits take no time, whatever the rate.
pub fn span_s(bits: f64, bits_per_s: f64) -> f64 {
    match bits > 0.0 {
        true => bits / bits_per_s,
        false => 0.0,
    }
}
