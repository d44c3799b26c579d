//! Phases in which no two transfers share a constraint, and those in which that is nearly so.

use std::collections::BTreeMap;
use weft_netsim::network::{Flow, generate};
use weft_netsim::simulate::{Demand, Solution, Solver, Transfers};

use crate::cases::{Chance, EXACT, assert_close};
use crate::oracle;

fn solve(solver: &mut Solver, capacities: &[f64], transfers: &Transfers) -> Solution {
    solver.ends(capacities, transfers, EXACT).unwrap()
}

#[test]
fn shifts_on_a_fat_tree_end_as_event_by_event() {
    let values = [("down", "4x4x3"), ("up", "1x4x4")];
    let values = values.map(|(key, value)| (key.to_owned(), value.to_owned()));
    let network = generate("xgft", &BTreeMap::from(values), 1.0);
    let network = network.unwrap().unwrap();
    let hosts = network.hosts();
    let mut solver = Solver::default();
    let mut transfers = Transfers::default();
    for distance in 1..hosts {
        transfers.clear();
        for src in 0..hosts {
            let demand = Demand::of_bits(8e6);
            let dst = (src + distance) % hosts;
            let path = transfers
                .push_found(|route| Some((network.path(Flow::between(src, dst), route)?, demand)));
            assert!(path.is_some());
        }
        let found = solve(&mut solver, network.capacities(), &transfers);
        let plain = solve(
            &mut Solver::of_events_only(),
            network.capacities(),
            &transfers,
        );
        assert_eq!(found.end_s, plain.end_s);
        assert_eq!(found.events, 1);
        let first = |index: usize, limit: &u32| transfers.route(index)[0] == *limit;
        let mut limits = found.bottleneck.iter().enumerate();
        assert!(limits.all(|(index, limit)| first(index, limit)));
    }
}

/// Routes of different constraints for transfers that all ask for the same.
struct Apart {
    capacities: Vec<f64>,
    routes: Vec<Vec<u32>>,
    demand: Demand,
}

impl Apart {
    fn random(chance: &mut Chance) -> Self {
        let constraints = 4 + chance.below(40);
        let mut free: Vec<u32> = (0..constraints).collect();
        let mut routes = Vec::new();
        for _ in 0..1 + chance.below(8) {
            let length = chance.below(5).min(free.len() as u32);
            let mut take = |_| free.swap_remove(chance.below(free.len() as u32) as usize);
            routes.push((0..length).map(&mut take).collect());
        }
        let demand = Demand {
            bits: 1e6 * f64::from(chance.below(4)),
            weight: 0.5 + 2.0 * chance.part(),
            cap_bits_per_s: 5e5 + 2e6 * chance.part(),
            start_s: 0.3 * f64::from(chance.below(2)),
            back: 0.0,
        };
        Self {
            capacities: vec![1e6; constraints as usize],
            routes,
            demand,
        }
    }

    /// Makes it what it is not supposed to be in one respect, or in none.
    fn spoil(&mut self, chance: &mut Chance) {
        let at = chance.below(self.routes.len() as u32) as usize;
        let constraint = chance.below(self.capacities.len() as u32);
        match chance.below(4) {
            0 => self.routes[at].push(constraint),
            1 => self.capacities[constraint as usize] = 4e5,
            2 => self.routes[at].extend([constraint, constraint]),
            _ => {}
        }
    }

    fn transfers(&self, chance: &mut Chance) -> Transfers {
        let mut transfers = Transfers::default();
        for route in &self.routes {
            let mut demand = self.demand;
            if chance.below(12) == 0 {
                demand.bits += 1e6;
            }
            transfers.push(route, demand);
        }
        transfers
    }
}

#[test]
fn a_solver_tells_them_from_phases_that_are_nearly_so() {
    let chance = &mut Chance::new(1);
    let mut solver = Solver::default();
    for case in 0..4000 {
        let mut apart = Apart::random(chance);
        apart.spoil(chance);
        let transfers = apart.transfers(chance);
        let found = solve(&mut solver, &apart.capacities, &transfers).end_s;
        let expected = oracle::ends(&apart.capacities, &transfers);
        assert_close(&found, &expected, &case.to_string());
    }
}

#[test]
fn a_transfer_whose_route_is_not_found_is_not_added() {
    let mut transfers = Transfers::default();
    let found: Option<()> = transfers.push_found(|route| {
        route.push(0);
        None
    });
    assert!(found.is_none() && transfers.is_empty());
    transfers.push(&[1], Demand::of_bits(8.0));
    assert_eq!(transfers.route(0), [1]);
}
