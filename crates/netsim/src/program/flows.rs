//! Transfers under way, which begin and end at any time.
//!
//! Rates change only where it matters. A constraint is *tight* if the transfers across it could together exceed it, each
//! at the most that its route allows it; one that is not tight holds none of them back. What begins or ends therefore
//! changes the rates of transfers across the tight constraints that it crosses, of those across the tight constraints
//! that these cross, and so on, and of no others. Those are solved anew as a whole, with exact water filling.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use crate::network::{End, Network};
use crate::simulate::{Demand, OWN_CAP, Route, Solver, Transfers};

/// A sum of rates may pass a capacity by this part of it before that counts as tight.
const ROUNDING: f64 = 1e-9;

/// A transfer's place among those under way.
pub type Number = u32;

/// The transfers under way.
#[derive(Debug)]
pub struct Flows<'a> {
    network: &'a dyn Network,
    capacities: Vec<f64>,
    constraints: Vec<Constraint>,
    flows: Vec<Flow>,
    free: Vec<Number>,
    ends: BinaryHeap<Reverse<(u64, Number, u32)>>,
    /// Constraints that something was changed of, and transfers that are new.
    changed: Vec<u32>,
    begun: Vec<Number>,
    contention: Vec<HashMap<u32, u32>>,
    pool: Pool,
    pub events: u64,
}

#[derive(Debug, Clone, Default)]
struct Constraint {
    /// What crosses it: transfers, each by its place in the list of what that crosses.
    crossed: Vec<(Number, u32)>,
    /// What they all could do together.
    most: f64,
    was_tight: bool,
    is_changed: bool,
}

#[derive(Debug, Clone, Default)]
struct Flow {
    /// What it crosses itself, and from `back_from` on what is sent back for it; each with its place there.
    crossings: Vec<(u32, u32)>,
    back_from: usize,
    demand: Option<Demand>,
    ends: (u32, u32),
    thing: u32,
    most: f64,
    narrowest: u32,
    left_bits: f64,
    rate: f64,
    bottleneck: u32,
    since_s: f64,
    version: u32,
    is_pooled: bool,
}

/// What is solved anew.
#[derive(Debug, Default)]
struct Pool {
    flows: Vec<Number>,
    constraints: Vec<u32>,
    /// By constraint: its number in the pool, from 1.
    numbers: Vec<u32>,
    solver: Solver,
    transfers: Transfers,
    there: Vec<u32>,
    back: Vec<u32>,
}

impl<'a> Flows<'a> {
    pub fn new(network: &'a dyn Network) -> Self {
        let capacities = network.capacities().to_vec();
        Self {
            network,
            constraints: vec![Constraint::default(); capacities.len()],
            pool: Pool {
                numbers: vec![0; capacities.len()],
                ..Pool::default()
            },
            contention: vec![HashMap::new(); network.contended().len()],
            capacities,
            flows: Vec::new(),
            free: Vec::new(),
            ends: BinaryHeap::new(),
            changed: Vec::new(),
            begun: Vec::new(),
            events: 0,
        }
    }

    /// Begins a transfer between two hosts; `thing` is what `take_ended` calls it.
    pub fn begin(
        &mut self,
        thing: u32,
        ends: (u32, u32),
        route: Route<'_>,
        demand: Demand,
        now_s: f64,
    ) {
        let number = self.free.pop().unwrap_or_else(|| {
            self.flows.push(Flow::default());
            self.flows.len() as Number - 1
        });
        self.count_ports(route.there, ends, 1);
        let flow = &mut self.flows[number as usize];
        flow.crossings.clear();
        flow.crossings
            .extend(route.there.iter().chain(route.back).map(|at| (*at, 0)));
        flow.back_from = route.there.len();
        (flow.most, flow.narrowest) = most(
            &self.capacities,
            self.network.capacities(),
            route.there,
            demand,
        );
        flow.demand = Some(demand);
        (flow.thing, flow.ends) = (thing, ends);
        (flow.left_bits, flow.rate, flow.since_s) = (demand.bits, 0.0, now_s);
        for index in 0..self.flows[number as usize].crossings.len() {
            self.cross(number, index);
        }
        self.begun.push(number);
    }

    /// When the next one ends at the rates of now.
    pub fn next_end_s(&mut self) -> f64 {
        while let Some(Reverse((bits, number, version))) = self.ends.peek() {
            if self.flows[*number as usize].version == *version {
                return f64::from_bits(*bits);
            }
            self.ends.pop();
        }
        f64::INFINITY
    }

    /// One that is under way.
    pub fn any(&self) -> Option<u32> {
        let under_way = self.flows.iter().find(|flow| flow.demand.is_some());
        under_way.map(|flow| flow.thing)
    }

    /// Takes one that has ended by a time: what it is called, when it ended, and what held it back last.
    pub fn take_ended(&mut self, until_s: f64) -> Option<(u32, f64, u32)> {
        let end_s = self.next_end_s();
        if end_s > until_s {
            return None;
        }
        let number = self.ends.pop()?.0.1;
        for index in 0..self.flows[number as usize].crossings.len() {
            self.uncross(number, index);
        }
        let flow = &mut self.flows[number as usize];
        flow.version += 1;
        flow.demand = None;
        let (thing, ends, bottleneck) = (flow.thing, flow.ends, flow.bottleneck);
        let there: Vec<u32> = flow.crossings[..flow.back_from]
            .iter()
            .map(|(at, _)| *at)
            .collect();
        self.count_ports(&there, ends, -1);
        self.free.push(number);
        Some((thing, end_s, bottleneck))
    }

    /// Gives all transfers their rates after some have begun or ended.
    pub fn settle(&mut self, now_s: f64) {
        self.gather();
        if self.pool.flows.is_empty() {
            return;
        }
        self.events += 1;
        self.load_pool();
        let capacities: Vec<f64> = self
            .pool
            .constraints
            .iter()
            .map(|at| self.capacities[*at as usize])
            .collect();
        let found = self.pool.solver.rates(&capacities, &self.pool.transfers);
        for index in 0..self.pool.flows.len() {
            let number = self.pool.flows[index];
            let limit = self
                .pool
                .constraints
                .get(found.bottleneck[index] as usize)
                .copied();
            let limit = limit.unwrap_or(self.flows[number as usize].narrowest);
            self.set_rate(number, found.bits_per_s[index], limit, now_s);
        }
        for constraint in self.pool.constraints.drain(..) {
            self.pool.numbers[constraint as usize] = 0;
        }
    }

    fn set_rate(&mut self, number: Number, rate: f64, limit: u32, now_s: f64) {
        let flow = &mut self.flows[number as usize];
        flow.is_pooled = false;
        flow.bottleneck = limit;
        let is_new = flow.rate == 0.0 || flow.rate != rate;
        if !is_new {
            return;
        }
        if flow.rate > 0.0 && flow.rate < f64::INFINITY {
            let left = flow.left_bits - flow.rate * (now_s - flow.since_s);
            flow.left_bits = left.max(0.0);
        }
        (flow.rate, flow.since_s) = (rate, now_s);
        flow.version += 1;
        let span_s = if flow.left_bits == 0.0 {
            0.0
        } else {
            flow.left_bits / rate
        };
        let end_s = now_s + span_s;
        if end_s.is_finite() {
            self.ends
                .push(Reverse((end_s.to_bits(), number, flow.version)));
        }
    }

    fn cross(&mut self, number: Number, index: usize) {
        let flow = &mut self.flows[number as usize];
        let share = share(flow, index);
        let (at, place) = &mut flow.crossings[index];
        let constraint = &mut self.constraints[*at as usize];
        *place = constraint.crossed.len() as u32;
        constraint.crossed.push((number, index as u32));
        constraint.most += share;
        self.note_change(self.flows[number as usize].crossings[index].0);
    }

    fn uncross(&mut self, number: Number, index: usize) {
        let flow = &self.flows[number as usize];
        let share = share(flow, index);
        let (at, place) = flow.crossings[index];
        let constraint = &mut self.constraints[at as usize];
        constraint.crossed.swap_remove(place as usize);
        constraint.most -= share;
        match constraint.crossed.get(place as usize) {
            Some((moved, index)) => {
                self.flows[*moved as usize].crossings[*index as usize].1 = place;
            }
            None if constraint.crossed.is_empty() => constraint.most = 0.0,
            None => {}
        }
        self.note_change(at);
    }

    fn note_change(&mut self, at: u32) {
        let constraint = &mut self.constraints[at as usize];
        if !constraint.is_changed {
            constraint.is_changed = true;
            self.changed.push(at);
        }
    }

    fn is_tight(&self, at: u32) -> bool {
        self.constraints[at as usize].most > self.capacities[at as usize] * (1.0 + ROUNDING)
    }

    /// Finds whatever may have another rate now.
    fn gather(&mut self) {
        self.pool.flows.clear();
        for number in std::mem::take(&mut self.begun) {
            // What begins and ends at once is gone.
            if self.flows[number as usize].demand.is_some() {
                self.pool_flow(number);
            }
        }
        let mut changed = std::mem::take(&mut self.changed);
        for at in changed.drain(..) {
            let is_tight = self.is_tight(at);
            let constraint = &mut self.constraints[at as usize];
            let was_tight = std::mem::replace(&mut constraint.was_tight, is_tight);
            constraint.is_changed = false;
            if is_tight || was_tight {
                self.pool_crossed(at);
            }
        }
        self.changed = changed;
        let mut next = 0;
        while let Some(number) = self.pool.flows.get(next).copied() {
            for index in 0..self.flows[number as usize].crossings.len() {
                let at = self.flows[number as usize].crossings[index].0;
                if self.pool.numbers[at as usize] == 0 && self.is_tight(at) {
                    self.pool.constraints.push(at);
                    self.pool.numbers[at as usize] = self.pool.constraints.len() as u32;
                    self.pool_crossed(at);
                }
            }
            next += 1;
        }
    }

    fn pool_crossed(&mut self, at: u32) {
        for index in 0..self.constraints[at as usize].crossed.len() {
            self.pool_flow(self.constraints[at as usize].crossed[index].0);
        }
    }

    fn pool_flow(&mut self, number: Number) {
        let flow = &mut self.flows[number as usize];
        if !flow.is_pooled {
            flow.is_pooled = true;
            self.pool.flows.push(number);
        }
    }

    /// The pool as the solver takes it: what is not tight is in the transfers' own caps.
    fn load_pool(&mut self) {
        let pool = &mut self.pool;
        pool.transfers.clear();
        for number in &pool.flows {
            let flow = &self.flows[*number as usize];
            let Some(demand) = flow.demand else {
                continue;
            };
            let numbers = &pool.numbers;
            let local = |crossings: &[(u32, u32)], into: &mut Vec<u32>| {
                into.clear();
                let tight = crossings.iter().map(|(at, _)| numbers[*at as usize]);
                into.extend(tight.filter(|number| *number > 0).map(|number| number - 1));
            };
            local(&flow.crossings[..flow.back_from], &mut pool.there);
            local(&flow.crossings[flow.back_from..], &mut pool.back);
            let demand = Demand {
                cap_bits_per_s: flow.most,
                bits: 1.0,
                back: if pool.back.is_empty() {
                    0.0
                } else {
                    demand.back
                },
                ..demand
            };
            let (there, back) = (&pool.there[..], &pool.back[..]);
            pool.transfers.push_answered(Route { there, back }, demand);
        }
    }

    /// Counts the ends of a transfer where a capacity depends on how many hosts contend.
    fn count_ports(&mut self, there: &[u32], ends: (u32, u32), change: i32) {
        for (index, one) in self.network.contended().iter().enumerate() {
            if !there.contains(&one.constraint) {
                continue;
            }
            let host = match one.end {
                End::Sender => ends.0,
                End::Receiver => ends.1,
            };
            let hosts = &mut self.contention[index];
            let count = hosts.entry(host).or_default();
            *count = count.saturating_add_signed(change);
            if *count == 0 {
                hosts.remove(&host);
            }
            self.capacities[one.constraint as usize] = one.bits_per_s(hosts.len());
            self.constraints[one.constraint as usize].was_tight = true;
            self.note_change(one.constraint);
        }
    }
}

/// What a transfer adds to what a constraint may have to carry; nothing where nothing limits it.
fn share(flow: &Flow, index: usize) -> f64 {
    let back = flow.demand.map_or(0.0, |demand| demand.back);
    match flow.most < f64::INFINITY {
        false => 0.0,
        true if index < flow.back_from => flow.most,
        true => flow.most * back,
    }
}

/// The most that a transfer may ever have, and which constraint that is. Where hosts contend, `greatest` is more than
/// `capacities` at times.
fn most(capacities: &[f64], greatest: &[f64], there: &[u32], demand: Demand) -> (f64, u32) {
    let mut found = (demand.cap_bits_per_s, OWN_CAP);
    for at in there {
        let times = there.iter().filter(|other| *other == at).count() as f64;
        let capacity = greatest[*at as usize].max(capacities[*at as usize]) / times;
        if capacity < found.0 {
            found = (capacity, *at);
        }
    }
    found
}
