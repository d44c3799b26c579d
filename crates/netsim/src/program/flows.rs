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
    pub(super) network: &'a dyn Network,
    pub(super) capacities: Vec<f64>,
    pub(super) constraints: Vec<Constraint>,
    pub(super) flows: Vec<Flow>,
    pub(super) free: Vec<Number>,
    pub(super) ends: BinaryHeap<Reverse<(u64, Number, u32)>>,
    /// Constraints that something was changed of, and transfers that are new.
    pub(super) changed: Vec<u32>,
    pub(super) begun: Vec<Number>,
    pub(super) contention: Vec<HashMap<u32, u32>>,
    pub(super) pool: Pool,
    pub events: u64,
}

/// What transfers cross.
#[derive(Debug, Clone, Default)]
pub struct Constraint {
    /// What crosses it: transfers, each by its place in the list of what that crosses.
    pub(super) crossed: Vec<(Number, u32)>,
    /// What they all could do together.
    pub(super) most: f64,
    pub(super) was_tight: bool,
    pub(super) is_changed: bool,
}

/// A transfer under way, or a place for one.
#[derive(Debug, Clone, Default)]
pub struct Flow {
    /// What it crosses itself, and from `back_from` on what is sent back for it; each with its place there.
    pub(super) crossings: Vec<(u32, u32)>,
    pub(super) back_from: usize,
    pub(super) demand: Option<Demand>,
    pub(super) ends: (u32, u32),
    pub(super) thing: u32,
    pub(super) most: f64,
    pub(super) narrowest: u32,
    pub(super) left_bits: f64,
    pub(super) rate: f64,
    pub(super) bottleneck: u32,
    pub(super) since_s: f64,
    pub(super) version: u32,
    pub(super) is_pooled: bool,
}

/// What is solved anew.
#[derive(Debug, Default)]
pub struct Pool {
    pub(super) flows: Vec<Number>,
    /// Those of them that cross something tight.
    pub(super) held: Vec<Number>,
    pub(super) constraints: Vec<u32>,
    /// By constraint: its number in the pool, from 1.
    pub(super) numbers: Vec<u32>,
    pub(super) solver: Solver,
    pub(super) transfers: Transfers,
    pub(super) there: Vec<u32>,
    pub(super) back: Vec<u32>,
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
        if !self.contention.is_empty() {
            let there = flow.crossings[..flow.back_from].iter();
            let there: Vec<u32> = there.map(|(at, _)| *at).collect();
            self.count_ports(&there, ends, -1);
        }
        self.free.push(number);
        Some((thing, end_s, bottleneck))
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

    pub(super) fn is_tight(&self, at: u32) -> bool {
        self.constraints[at as usize].most > self.capacities[at as usize] * (1.0 + ROUNDING)
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
