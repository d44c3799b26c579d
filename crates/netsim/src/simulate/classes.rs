//! Transfers in classes: all of a class ask for the same, cross alike and begin at once, so that they have one rate.
//!
//! Water filling as in `filling`, with the number of a class's crossings as a factor where there each crossing is an
//! entry: hundreds of millions of transfers cost no more than a few, and adding them up loses nothing to rounding.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;

use super::answers::{Claims, MOST_TURNS, is_settled};
use super::completion::ROUNDING;
use super::solution::{Interrupted, OWN_CAP};
use super::solver::{Settings, isolated};
use super::symmetry::span_s;
use super::transfers::Demand;

/// All transfers that nothing distinguishes.
#[derive(Debug, Clone)]
pub struct Class {
    pub demand: Demand,
    /// By constraint: how often the class crosses it, all of its transfers together.
    pub crossings: BTreeMap<u32, Times>,
}

/// How often a constraint is crossed by transfers, and by what is sent back for them.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Times {
    pub there: u64,
    pub back: u64,
}

/// When the transfers of a class end, and what held them back, as in a `Solution`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClassEnd {
    pub end_s: f64,
    pub bottleneck: u32,
}

/// When each class ends, in their order, and how often rates changed.
pub fn ends(
    capacities: &[f64],
    classes: &[Class],
    settings: Settings<'_>,
) -> Result<(Vec<ClassEnd>, u64), Interrupted> {
    let mut limits = Limits::of(capacities, classes);
    limits.make_room(classes);
    let mut ends: Vec<_> = classes.iter().map(unlimited).collect();
    let mut left_bits: Vec<_> = classes.iter().map(|class| class.demand.bits).collect();
    let mut running: Vec<_> = (0..classes.len()).collect();
    running.retain(|class| left_bits[*class] > 0.0 && !limits.of_class[*class].is_empty());
    let (mut now_s, mut events) = (0.0, 0);
    while !running.is_empty() {
        if settings.stop.load(Ordering::Relaxed) {
            return Err(Interrupted);
        }
        let flows = limits.flows(&running);
        for &class in &running {
            ends[class] = ClassEnd {
                end_s: now_s + span_s(left_bits[class], flows[class].bits_per_s),
                bottleneck: flows[class].limit,
            };
        }
        let first_s = running.iter().map(|class| ends[*class].end_s);
        let first_s = first_s.fold(f64::INFINITY, f64::min);
        let until_s = first_s * (1.0 + settings.tolerance.max(ROUNDING));
        let ended = running.iter().map(|class| ends[*class].end_s);
        let ended_s = ended.filter(|end_s| *end_s <= until_s).fold(0.0, f64::max);
        running.retain(|class| ends[*class].end_s > until_s);
        for &class in &running {
            left_bits[class] -= flows[class].bits_per_s * (ended_s - now_s);
        }
        now_s = ended_s;
        events += 1;
    }
    Ok((ends, events))
}

/// What a class would do if nothing but its own cap limited it.
fn unlimited(class: &Class) -> ClassEnd {
    ClassEnd {
        end_s: span_s(class.demand.bits, class.demand.cap_bits_per_s),
        bottleneck: isolated(class.demand),
    }
}

/// A constraint, or a class's own cap.
#[derive(Debug)]
struct Limit {
    id: u32,
    bits_per_s: f64,
    /// The classes that cross it, and how often.
    crossed_by: Vec<(usize, f64)>,
    /// The classes whose answers cross it, and how often.
    answered_by: Vec<(usize, f64)>,
}

impl Limit {
    fn claims(&self, classes: &[Class]) -> Claims {
        let mut claims = Claims::default();
        for (class, times) in &self.crossed_by {
            claims.add_there(classes[*class].demand, *times);
        }
        for (class, times) in &self.answered_by {
            claims.add_back(classes[*class].demand, *times);
        }
        claims
    }
}

/// All that can hold classes back.
#[derive(Debug)]
struct Limits {
    all: Vec<Limit>,
    /// By class: those that it crosses, by their place among all.
    of_class: Vec<Vec<usize>>,
    /// By class.
    weight: Vec<f64>,
}

/// The rate of each of a class's transfers.
#[derive(Debug, Clone, Copy)]
struct Flow {
    bits_per_s: f64,
    limit: u32,
    is_open: bool,
}

impl Limits {
    fn of(capacities: &[f64], classes: &[Class]) -> Self {
        let mut shared: BTreeMap<u32, Limit> = BTreeMap::new();
        for (number, class) in classes.iter().enumerate() {
            for (&id, &times) in &class.crossings {
                let limit = shared.entry(id).or_insert_with(|| Limit {
                    id,
                    bits_per_s: capacities[id as usize],
                    crossed_by: Vec::new(),
                    answered_by: Vec::new(),
                });
                if times.there > 0 {
                    limit.crossed_by.push((number, times.there as f64));
                }
                if times.back > 0 {
                    limit.answered_by.push((number, times.back as f64));
                }
            }
        }
        let shared = shared.into_values();
        let caps = classes.iter().enumerate().map(|(number, class)| Limit {
            id: OWN_CAP,
            bits_per_s: class.demand.cap_bits_per_s,
            crossed_by: vec![(number, 1.0)],
            answered_by: Vec::new(),
        });
        let mut all: Vec<_> = shared.chain(caps).collect();
        all.retain(|limit| limit.bits_per_s < f64::INFINITY);
        let mut of_class = vec![Vec::new(); classes.len()];
        for (number, limit) in all.iter().enumerate() {
            for (class, _) in &limit.crossed_by {
                of_class[*class].push(number);
            }
        }
        let weight = classes.iter().map(|class| class.demand.weight).collect();
        Self {
            all,
            of_class,
            weight,
        }
    }

    /// Leaves the room that answers need, see `answers`.
    fn make_room(&mut self, classes: &[Class]) {
        let whole: Vec<_> = self.all.iter().map(|limit| limit.bits_per_s).collect();
        let claims: Vec<_> = self.all.iter().map(|limit| limit.claims(classes)).collect();
        for (limit, claims) in self.all.iter_mut().zip(&claims) {
            limit.bits_per_s = claims.first_left(limit.bits_per_s);
        }
        let running: Vec<_> = (0..classes.len()).collect();
        for _ in 0..MOST_TURNS {
            let flows = self.flows(&running);
            let mut was_there = true;
            for ((limit, whole), claims) in self.all.iter_mut().zip(&whole).zip(&claims) {
                let answers = |(class, times): &(usize, f64)| {
                    flows[*class].bits_per_s * classes[*class].demand.back * times
                };
                let needed = limit.answered_by.iter().map(answers).sum();
                let left = claims.left(*whole, needed);
                was_there &= is_settled(*whole, limit.bits_per_s, left);
                limit.bits_per_s = left;
            }
            if was_there {
                return;
            }
        }
    }

    /// The max-min fair rates of the classes that run; the others have none.
    fn flows(&self, running: &[usize]) -> Vec<Flow> {
        let none = Flow {
            bits_per_s: 0.0,
            limit: OWN_CAP,
            is_open: false,
        };
        let mut flows = vec![none; self.weight.len()];
        for class in running {
            flows[*class].is_open = true;
        }
        let levels = (0..self.all.len()).map(|at| self.level(at, &flows));
        let mut levels: Vec<f64> = levels.collect();
        loop {
            let lowest =
                (0..levels.len()).min_by(|one, other| levels[*one].total_cmp(&levels[*other]));
            let Some(lowest) = lowest.filter(|at| levels[*at] < f64::INFINITY) else {
                return flows;
            };
            let level = levels[lowest];
            for &(class, _) in &self.all[lowest].crossed_by {
                if std::mem::take(&mut flows[class].is_open) {
                    flows[class].bits_per_s = level * self.weight[class];
                    flows[class].limit = self.all[lowest].id;
                }
            }
            for &(class, _) in &self.all[lowest].crossed_by {
                for &at in &self.of_class[class] {
                    levels[at] = self.level(at, &flows);
                }
            }
        }
    }

    /// The rate of weight 1 at which a limit would be full if no further transfer were frozen; infinite where none is open.
    fn level(&self, at: usize, flows: &[Flow]) -> f64 {
        let limit = &self.all[at];
        let (mut left, mut open) = (limit.bits_per_s, 0.0);
        for &(class, times) in &limit.crossed_by {
            left -= flows[class].bits_per_s * times;
            if flows[class].is_open {
                open += self.weight[class] * times;
            }
        }
        match open > 0.0 {
            true => left.max(0.0) / open,
            false => f64::INFINITY,
        }
    }
}
