//! The rates of transfers under way after some have begun or ended.

use std::cmp::Reverse;

use super::flows::{Flows, Number};
use crate::simulate::{Demand, Route};

impl Flows<'_> {
    /// Gives all transfers their rates after some have begun or ended.
    pub fn settle(&mut self, now_s: f64) {
        self.gather(now_s);
        if self.pool.held.is_empty() {
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
        for index in 0..self.pool.held.len() {
            let number = self.pool.held[index];
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

    /// A transfer that nothing holds back has the most that it may have.
    fn set_free(&mut self, number: Number, now_s: f64) {
        let flow = &self.flows[number as usize];
        let (most, narrowest) = (flow.most, flow.narrowest);
        self.set_rate(number, most, narrowest, now_s);
    }

    /// Finds whatever may have another rate now.
    fn gather(&mut self, now_s: f64) {
        self.pool.flows.clear();
        self.pool.held.clear();
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
            let mut is_held = false;
            for index in 0..self.flows[number as usize].crossings.len() {
                let at = self.flows[number as usize].crossings[index].0;
                let is_known = self.pool.numbers[at as usize] > 0;
                is_held |= is_known || self.is_tight(at);
                if !is_known && self.is_tight(at) {
                    self.pool.constraints.push(at);
                    self.pool.numbers[at as usize] = self.pool.constraints.len() as u32;
                    self.pool_crossed(at);
                }
            }
            next += 1;
            match is_held {
                true => self.pool.held.push(number),
                false => self.set_free(number, now_s),
            }
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
        for number in &pool.held {
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
}
