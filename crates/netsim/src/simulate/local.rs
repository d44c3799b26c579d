//! One component in arrays of its own: constraints and transfers numbered from 0, so that all of it stays in the cache.

use super::solution::OWN_CAP;
use super::transfers::{Demand, Transfers};

/// Weights add up to at most this many units, so that sums of them are exact.
const MOST_UNITS: f64 = (1u64 << 62) as f64;
/// A unit is never smaller than this part of 1, which a double distinguishes.
const FINEST: f64 = 1.0 / (1u64 << 50) as f64;

/// The transfers of a component and the constraints that they cross.
#[derive(Debug, Default)]
pub struct Local {
    /// By constraint: bit/s, and its index outside; a transfer's own cap is a constraint too.
    pub capacity: Vec<f64>,
    pub constraint_ids: Vec<u32>,
    /// By transfer: its index outside, what it asks for, its weight in `unit`s.
    pub ids: Vec<u32>,
    pub demand: Vec<Demand>,
    pub weight: Vec<i64>,
    /// The same as a number.
    pub share: Vec<f64>,
    /// What weights are multiples of.
    pub unit: f64,
    pub(super) route_ends: Vec<u32>,
    pub(super) route: Vec<u32>,
    /// By constraint the transfers that cross it, each once.
    pub members: Vec<u32>,
    member_starts: Vec<u32>,
    member_ends: Vec<u32>,
    /// For constraints outside: their index here, where they have one.
    local_of: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl Local {
    /// Takes over a component. Constraints without a limit are left out, and caps that cannot matter.
    pub fn load(&mut self, capacities: &[f64], transfers: &Transfers, members: &[u32]) {
        self.clear(capacities.len());
        // A transfer that crosses a constraint twice counts there twice.
        let shares = members.iter().map(|id| {
            let times = transfers.route(*id as usize).len();
            transfers.weight(*id as usize) * times as f64
        });
        self.unit = unit_for(shares.sum());
        for &id in members {
            self.add(capacities, transfers.route(id as usize));
            let demand = transfers.demand(id as usize);
            self.add_cap(demand);
            self.ids.push(id);
            let weight = ((demand.weight / self.unit).round() as i64).max(1);
            self.weight.push(weight);
            self.share.push(weight as f64 * self.unit);
            self.demand.push(demand);
            self.route_ends.push(self.route.len() as u32);
        }
        for id in &self.constraint_ids {
            if *id != OWN_CAP {
                self.local_of[*id as usize] = NONE;
            }
        }
        self.list_members();
    }

    /// How many transfers there are.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// The constraints that a transfer crosses.
    #[inline]
    pub fn route(&self, transfer: u32) -> &[u32] {
        let start = match transfer {
            0 => 0,
            _ => self.route_ends[transfer as usize - 1] as usize,
        };
        &self.route[start..self.route_ends[transfer as usize] as usize]
    }

    /// Where in `members` those of a constraint stand: from the first to before the second.
    pub fn members_of(&self, constraint: u32) -> (usize, usize) {
        let start = self.member_starts[constraint as usize] as usize;
        (start, self.member_ends[constraint as usize] as usize)
    }

    /// Forgets the members of a constraint from a place on.
    pub fn keep_members(&mut self, constraint: u32, end: usize) {
        self.member_ends[constraint as usize] = end as u32;
    }

    fn clear(&mut self, constraints: usize) {
        if self.local_of.len() < constraints {
            self.local_of.resize(constraints, NONE);
        }
        self.capacity.clear();
        self.constraint_ids.clear();
        self.ids.clear();
        self.demand.clear();
        self.weight.clear();
        self.share.clear();
        self.route_ends.clear();
        self.route.clear();
    }

    fn add(&mut self, capacities: &[f64], route: &[u32]) {
        for &id in route {
            let capacity = capacities[id as usize];
            if capacity == f64::INFINITY {
                continue;
            }
            let mut at = self.local_of[id as usize];
            if at == NONE {
                at = self.capacity.len() as u32;
                self.local_of[id as usize] = at;
                self.capacity.push(capacity);
                self.constraint_ids.push(id);
            }
            self.route.push(at);
        }
    }

    fn add_cap(&mut self, demand: Demand) {
        let start = self.route_ends.last().map_or(0, |end| *end as usize);
        let route = &self.route[start..];
        let limits = route.iter().map(|at| self.capacity[*at as usize]);
        if demand.cap_bits_per_s < limits.fold(f64::INFINITY, f64::min) {
            self.route.push(self.capacity.len() as u32);
            self.capacity.push(demand.cap_bits_per_s);
            self.constraint_ids.push(OWN_CAP);
        }
    }

    /// Counting sort of the crossings by constraint.
    pub(super) fn list_members(&mut self) {
        let constraints = self.capacity.len();
        self.member_ends.clear();
        self.member_ends.resize(constraints, 0);
        for at in &self.route {
            self.member_ends[*at as usize] += 1;
        }
        let mut total = 0;
        for end in &mut self.member_ends {
            total += std::mem::replace(end, total);
        }
        self.member_starts.clone_from(&self.member_ends);
        self.members.clear();
        self.members.resize(self.route.len(), 0);
        for transfer in 0..self.len() as u32 {
            let start = match transfer {
                0 => 0,
                _ => self.route_ends[transfer as usize - 1],
            };
            for index in start..self.route_ends[transfer as usize] {
                let at = self.route[index as usize] as usize;
                let (start, end) = (self.member_starts[at], &mut self.member_ends[at]);
                let listed = &mut self.members[start as usize..=*end as usize];
                // One that crosses it before is the last of its list.
                if !matches!(listed, [.., last, _] if *last == transfer) {
                    listed[(*end - start) as usize] = transfer;
                    *end += 1;
                }
            }
        }
    }
}

/// A power of two, so that whole weights are whole numbers of it.
fn unit_for(weights: f64) -> f64 {
    let coarsest = (weights.max(1.0) / MOST_UNITS).log2().ceil().exp2();
    coarsest.max(FINEST)
}
