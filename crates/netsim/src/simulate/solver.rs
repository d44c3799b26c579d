//! From capacities and transfers to ends and rates.

use std::sync::atomic::AtomicBool;

use super::answers::Answers;
use super::completion::{Completion, Request};
use super::components::Components;
use super::local::Local;
use super::solution::{Interrupted, NOTHING, OWN_CAP, Rates, Solution};
use super::symmetry::{Symmetry, span_s};
use super::transfers::{Demand, Transfers};

/// Solves one phase after another and keeps its memory in between. One for each thread: they share nothing, and a
/// phase has the same solution whichever solves it.
#[derive(Debug, Default)]
pub struct Solver {
    answers: Answers,
    symmetry: Symmetry,
    components: Components,
    local: Local,
    completion: Completion,
    takes_every_event: bool,
}

/// How exactly, and until when.
#[derive(Debug, Clone, Copy)]
pub struct Settings<'a> {
    /// Ends within this part of the time passed are taken together: what they leave free is given to the others only
    /// when the last of them has ended. No constraint ever carries more than its capacity. `Solution::idle_s` says for
    /// how long capacity lay idle because of it. 0 is exact.
    pub tolerance: f64,
    /// Looked at after every event.
    pub stop: &'a AtomicBool,
}

impl Solver {
    /// One that never recognises a phase that needs no events, nor leaves constraints out: slower, to compare with.
    pub fn of_events_only() -> Self {
        Self {
            takes_every_event: true,
            ..Self::default()
        }
    }

    /// When each transfer ends. Capacities are in bit/s by constraint, infinite where there is no limit, never negative.
    pub fn ends(
        &mut self,
        capacities: &[f64],
        transfers: &Transfers,
        settings: Settings<'_>,
    ) -> Result<Solution, Interrupted> {
        if !transfers.is_answered() {
            return self.ends_within(capacities, transfers, settings);
        }
        self.rates(capacities, transfers);
        let answers = std::mem::take(&mut self.answers);
        let found = self.ends_within(&answers.left, transfers, settings);
        self.answers = answers;
        found
    }

    /// The same without a thought of what is sent back.
    fn ends_within(
        &mut self,
        capacities: &[f64],
        transfers: &Transfers,
        settings: Settings<'_>,
    ) -> Result<Solution, Interrupted> {
        if !self.takes_every_event
            && let Some(found) = self.ends_at_once(capacities, transfers)
        {
            return Ok(found);
        }
        self.ends_by_events(capacities, transfers, settings)
    }

    /// The rates while all transfers run, whatever they carry and whenever they begin.
    pub fn rates(&mut self, capacities: &[f64], transfers: &Transfers) -> Rates {
        if !transfers.is_answered() {
            return self.rates_within(capacities, transfers);
        }
        let mut answers = std::mem::take(&mut self.answers);
        answers.begin(capacities, transfers);
        let found = loop {
            let found = self.rates_within(&answers.left, transfers);
            if answers.settle(capacities, transfers, &found.bits_per_s) {
                break found;
            }
        };
        self.answers = answers;
        found
    }

    /// The same without a thought of what is sent back.
    fn rates_within(&mut self, capacities: &[f64], transfers: &Transfers) -> Rates {
        if !self.takes_every_event
            && let Some(found) = self.rates_at_once(capacities, transfers)
        {
            return found;
        }
        let count = transfers.len();
        let caps = (0..count).map(|index| transfers.demand(index).cap_bits_per_s);
        let mut found = Rates {
            bits_per_s: caps.collect(),
            bottleneck: (0..count)
                .map(|index| isolated(transfers.demand(index)))
                .collect(),
        };
        self.components.split(capacities.len(), transfers, |_| true);
        for component in 0..self.components.len() {
            let members = self.components.members(component);
            self.local.load(capacities, transfers, members);
            self.completion
                .rates(&mut self.local, &mut |id, rate, limit| {
                    found.bits_per_s[id as usize] = rate;
                    found.bottleneck[id as usize] = limit;
                });
        }
        found
    }

    /// What the transfers would do if nothing but their own caps limited them.
    fn unconstrained(&self, transfers: &Transfers) -> Solution {
        let end = |index| {
            let demand = transfers.demand(index);
            demand.start_s + span_s(demand.bits, demand.cap_bits_per_s)
        };
        let count = transfers.len();
        Solution {
            end_s: (0..count).map(end).collect(),
            bottleneck: (0..count)
                .map(|index| isolated(transfers.demand(index)))
                .collect(),
            events: u64::from(count > 0),
            idle_s: 0.0,
        }
    }

    fn ends_at_once(&mut self, capacities: &[f64], transfers: &Transfers) -> Option<Solution> {
        let count = transfers.len();
        let mut found = Solution {
            end_s: Vec::with_capacity(count),
            bottleneck: Vec::with_capacity(count),
            events: u64::from(count > 0),
            idle_s: 0.0,
        };
        let take = |end_s, bottleneck| {
            found.end_s.push(end_s);
            found.bottleneck.push(bottleneck);
        };
        let holds = transfers.is_empty() || self.symmetry.ends(capacities, transfers, take);
        holds.then_some(found)
    }

    fn rates_at_once(&mut self, capacities: &[f64], transfers: &Transfers) -> Option<Rates> {
        let mut found = Rates::default();
        let take = |bits_per_s, bottleneck| {
            found.bits_per_s.push(bits_per_s);
            found.bottleneck.push(bottleneck);
        };
        let holds = self.symmetry.rates(capacities, transfers, take);
        holds.then_some(found)
    }

    fn ends_by_events(
        &mut self,
        capacities: &[f64],
        transfers: &Transfers,
        settings: Settings<'_>,
    ) -> Result<Solution, Interrupted> {
        let mut found = self.unconstrained(transfers);
        let takes_part = |index| transfers.demand(index).bits > 0.0;
        self.components
            .split(capacities.len(), transfers, takes_part);
        for component in 0..self.components.len() {
            let members = self.components.members(component);
            self.local.load(capacities, transfers, members);
            if !self.takes_every_event {
                self.local.leave_out_redundant();
            }
            let request = Request {
                tolerance: settings.tolerance,
                stop: settings.stop,
                tell: &mut |id, end_s, limit| {
                    found.end_s[id as usize] = end_s;
                    found.bottleneck[id as usize] = limit;
                },
            };
            let effort = self.completion.run(&mut self.local, request)?;
            found.events += effort.events;
            found.idle_s = found.idle_s.max(effort.idle_s);
        }
        Ok(found)
    }
}

/// What limits a transfer that crosses nothing.
pub fn isolated(demand: Demand) -> u32 {
    match demand.cap_bits_per_s == f64::INFINITY {
        true => NOTHING,
        false => OWN_CAP,
    }
}
