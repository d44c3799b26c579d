//! Random networks and transfers.

use std::sync::atomic::AtomicBool;

use rand_pcg::Pcg64;
use rand_pcg::rand_core::{RngCore, SeedableRng};
use weft_netsim::simulate::{Demand, Route, Settings, Transfers};

static GO_ON: AtomicBool = AtomicBool::new(false);
pub const EXACT: Settings<'static> = Settings {
    tolerance: 0.0,
    stop: &GO_ON,
};

/// A network and what crosses it.
pub struct Case {
    pub capacities: Vec<f64>,
    pub transfers: Transfers,
}

/// What random cases look like.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    pub constraints: u32,
    pub transfers: u32,
    pub longest_route: u32,
    /// Capacities span so many powers of ten.
    pub decades: f64,
    pub weighted: bool,
    pub capped: bool,
    pub staggered: bool,
    /// Something is sent back for half of the transfers.
    pub answered: bool,
    /// Sizes are one of few, so that many transfers end at once.
    pub equal_sizes: bool,
}

pub const PLAIN: Shape = Shape {
    constraints: 12,
    transfers: 20,
    longest_route: 4,
    decades: 1.0,
    weighted: false,
    capped: false,
    staggered: false,
    answered: false,
    equal_sizes: false,
};

pub struct Chance(Pcg64);

impl Chance {
    pub fn new(seed: u64) -> Self {
        Self(Pcg64::seed_from_u64(seed))
    }

    pub fn below(&mut self, bound: u32) -> u32 {
        self.0.next_u32() % bound
    }

    /// From 0 to 1.
    pub fn part(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }
}

impl Case {
    pub fn random(shape: Shape, seed: u64) -> Self {
        let chance = &mut Chance::new(seed);
        let constraints = 1 + chance.below(shape.constraints);
        let capacity = |_| 1e6 * 10f64.powf(shape.decades * chance.part());
        let capacities = (0..constraints).map(capacity).collect();
        let mut transfers = Transfers::default();
        for _ in 0..1 + chance.below(shape.transfers) {
            let there = &route(shape, constraints, chance);
            let mut demand = demand(shape, chance);
            if shape.answered && chance.below(2) == 0 {
                demand.back = 0.05 * chance.part();
                let back = &route(shape, constraints, chance);
                transfers.push_answered(Route { there, back }, demand);
            } else {
                transfers.push(there, demand);
            }
        }
        Self {
            capacities,
            transfers,
        }
    }
}

fn route(shape: Shape, constraints: u32, chance: &mut Chance) -> Vec<u32> {
    let length = chance.below(shape.longest_route + 1);
    (0..length).map(|_| chance.below(constraints)).collect()
}

fn demand(shape: Shape, chance: &mut Chance) -> Demand {
    let plain = Demand::of_bits(match (shape.equal_sizes, chance.below(10)) {
        (_, 0) => 0.0,
        (true, _) => 1e6 * f64::from(1 + chance.below(2)),
        (false, _) => 1e6 * (0.5 + chance.part()),
    });
    Demand {
        weight: match shape.weighted {
            true => 0.5 + 4.0 * chance.part(),
            false => 1.0,
        },
        cap_bits_per_s: match shape.capped && chance.below(2) == 0 {
            true => 1e5 * 10f64.powf(2.0 * chance.part()),
            // What crosses nothing must end somehow.
            false => 1e12,
        },
        start_s: match shape.staggered {
            true => f64::from(chance.below(4)) * 0.3,
            false => 0.0,
        },
        ..plain
    }
}

/// Whether two numbers are the same but for rounding.
pub fn are_close(one: f64, other: f64) -> bool {
    one == other || (one - other).abs() <= 1e-9 * one.abs().max(other.abs())
}

/// Panics where two lists differ by more than rounding.
pub fn assert_close(found: &[f64], expected: &[f64], what: &str) {
    for (index, (one, other)) in found.iter().zip(expected).enumerate() {
        assert!(are_close(*one, *other), "{what} {index}: {one} for {other}");
    }
}
