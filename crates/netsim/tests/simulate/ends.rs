//! When transfers end.

use std::sync::atomic::AtomicBool;

use weft_netsim::simulate::{Demand, Interrupted, Route, Settings, Solution, Solver, Transfers};

use crate::cases::{Case, Chance, EXACT, PLAIN, Shape, are_close, assert_close};
use crate::oracle;

fn solve(solver: &mut Solver, case: &Case) -> Solution {
    solver
        .ends(&case.capacities, &case.transfers, EXACT)
        .unwrap()
}

/// What random cases are like, and how many there are of each.
const SHAPES: [(Shape, u64); 9] = [
    (PLAIN, 3000),
    (LATE, 3000),
    (ANSWERED, 500),
    (
        Shape {
            answered: true,
            ..LATE
        },
        500,
    ),
    (
        Shape {
            equal_sizes: true,
            decades: 0.0,
            ..PLAIN
        },
        2000,
    ),
    (
        Shape {
            decades: 12.0,
            ..PLAIN
        },
        1000,
    ),
    (
        Shape {
            decades: 12.0,
            weighted: true,
            ..PLAIN
        },
        2000,
    ),
    (MANY, 60),
    (
        Shape {
            capped: true,
            staggered: true,
            ..MANY
        },
        100,
    ),
];
const LATE: Shape = Shape {
    weighted: true,
    capped: true,
    staggered: true,
    ..PLAIN
};
const ANSWERED: Shape = Shape {
    answered: true,
    ..PLAIN
};
const MANY: Shape = Shape {
    constraints: 30,
    transfers: 150,
    weighted: true,
    ..PLAIN
};

fn compare(shape: Shape, seeds: u64) {
    let mut solver = Solver::default();
    let mut plain = Solver::of_events_only();
    for seed in 0..seeds {
        let Case {
            capacities,
            transfers,
        } = Case::random(shape, seed);
        let left = oracle::left_by_answers(&capacities, &transfers);
        let ends = oracle::ends(&left, &transfers);
        let rates = oracle::rates(&left, &transfers, &vec![true; transfers.len()]);
        for solver in [&mut solver, &mut plain] {
            let found = solver.ends(&capacities, &transfers, EXACT).unwrap().end_s;
            assert_close(&found, &ends, &format!("{shape:?} {seed}: ends"));
            let found = solver.rates(&capacities, &transfers).bits_per_s;
            assert_close(&found, &rates, &format!("{shape:?} {seed}: rates"));
        }
    }
}

/// Each event is followed by filling anew, and filling raises all rates together.
#[test]
fn ends_and_rates_are_those_of_slow_and_obvious_ways() {
    for (shape, seeds) in SHAPES {
        compare(shape, seeds);
    }
}

#[test]
fn a_route_may_cross_a_constraint_thousands_of_times() {
    let mut transfers = Transfers::default();
    for times in [1, 9000, 20_000] {
        transfers.push(&vec![0; times], Demand::of_bits(8.0));
    }
    for mut solver in [Solver::default(), Solver::of_events_only()] {
        let found = solver.ends(&[29_001.0], &transfers, EXACT).unwrap();
        assert!(found.end_s.iter().all(|end_s| are_close(*end_s, 8.0)));
    }
}

/// Each node to the one so far behind, over a port each way; a part of it is sent back.
fn shift(hosts: u32, distance: u32, back: f64) -> Transfers {
    let mut transfers = Transfers::default();
    let demand = Demand {
        back,
        ..Demand::of_bits(800.0)
    };
    for host in 0..hosts {
        let other = (host + distance) % hosts;
        let (there, back) = (&[host, hosts + other], &[other, hosts + host]);
        transfers.push_answered(Route { there, back }, demand);
    }
    transfers
}

#[test]
fn a_symmetric_phase_is_recognised_and_has_the_same_ends() {
    let mut capacities = vec![100.0; 64];
    // A slow port makes it less symmetric, but no less steady.
    capacities[5] = 10.0;
    let mut plain = Solver::of_events_only();
    for distance in 1..32 {
        let transfers = shift(32, distance, 0.0);
        let found = Solver::default()
            .ends(&capacities, &transfers, EXACT)
            .unwrap();
        let expected = plain.ends(&capacities, &transfers, EXACT).unwrap();
        assert_eq!(found.events, 1);
        assert!(expected.events > 32);
        assert_eq!(found.end_s, expected.end_s);
        assert_eq!(found.end_s[5], 80.0);
    }
}

#[test]
fn so_is_one_in_which_everybody_is_answered_alike() {
    for distance in [1, 7, 16] {
        let transfers = shift(32, distance, 0.25);
        let found = Solver::default().ends(&[100.0; 64], &transfers, EXACT);
        let found = found.unwrap();
        assert_eq!(found.events, 1);
        assert!(found.end_s.iter().all(|end_s| are_close(*end_s, 10.0)));
    }
}

/// Port 5 is slow outwards. What comes in there at 100 would need 25 of its 10: it gets half, and the data the rest.
/// Where answers need less, they get that.
#[test]
fn answers_take_their_share_of_a_slow_path_back_and_hold_nobody_up() {
    let mut capacities = vec![100.0; 64];
    capacities[5] = 10.0;
    let rates = |back| {
        let transfers = shift(32, 1, back);
        Solver::default().rates(&capacities, &transfers).bits_per_s
    };
    let (many, few) = (rates(0.25), rates(0.03));
    assert!(are_close(many[5], 5.0) && are_close(few[5], 10.0 - 0.03 * few[4]));
    assert!(are_close(few[4], 100.0 - 0.03 * few[3]));
    assert!(many[4] > 75.0);
}

#[test]
fn what_carries_nothing_ends_as_it_begins() {
    let mut transfers = Transfers::default();
    transfers.push(&[0], Demand::of_bits(0.0));
    transfers.push(&[0], Demand::of_bits(8.0));
    transfers.push(&[], Demand::of_bits(8.0));
    let found = Solver::default().ends(&[4.0], &transfers, EXACT).unwrap();
    assert_eq!(found.end_s, [0.0, 2.0, 0.0]);
}

#[test]
fn what_gets_nothing_never_ends_and_holds_nobody_up() {
    let mut transfers = Transfers::default();
    transfers.push(&[0, 1], Demand::of_bits(8.0));
    transfers.push(&[1], Demand::of_bits(8.0));
    let found = Solver::default()
        .ends(&[0.0, 4.0], &transfers, EXACT)
        .unwrap();
    assert_eq!(found.end_s, [f64::INFINITY, 2.0]);
    assert_eq!(found.last_end_s(), 2.0);
}

#[test]
fn who_is_told_to_stop_stops() {
    let stop = AtomicBool::new(true);
    let case = Case::random(PLAIN, 3);
    let settings = Settings {
        tolerance: 0.0,
        stop: &stop,
    };
    let found = Solver::of_events_only().ends(&case.capacities, &case.transfers, settings);
    assert_eq!(found, Err(Interrupted));
}

#[test]
fn with_a_tolerance_ends_are_off_by_no_more_than_the_time_that_capacity_lay_idle() {
    let shape = Shape {
        constraints: 24,
        transfers: 80,
        ..PLAIN
    };
    let mut merged = 0;
    for seed in 0..300 {
        let case = Case::random(shape, seed);
        let exact = solve(&mut Solver::default(), &case);
        let settings = Settings {
            tolerance: 0.02,
            ..EXACT
        };
        let rough = Solver::default().ends(&case.capacities, &case.transfers, settings);
        let rough = rough.unwrap();
        merged += u64::from(rough.events < exact.events);
        let late = rough.last_end_s() - exact.last_end_s();
        assert!(
            late.abs() <= rough.idle_s + 1e-9,
            "{seed}: {late} > {}",
            rough.idle_s
        );
    }
    assert!(merged > 200);
}

/// Inner constraints that all of their transfers share with a narrower or equal one: left out, nothing changes.
#[test]
fn constraints_that_others_stand_for_change_nothing() {
    for seed in 0..60 {
        let chance = &mut Chance::new(seed);
        let mut transfers = Transfers::default();
        let capacity = |at| {
            if at < 8 {
                1e6
            } else {
                1e6 * (0.8 + chance.part())
            }
        };
        let capacities: Vec<_> = (0..24).map(capacity).collect();
        for _ in 0..150 {
            let (from, to) = (chance.below(8), chance.below(8));
            // 8 to 15 are behind 0 to 7, 16 to 23 are crossed by what goes to one host, some of it twice.
            let inner = 16 + to;
            let route = [from, 8 + from, inner, inner, (from + to) % 8];
            let kept = 3 + chance.below(3) as usize;
            let bits = 1e6 * (0.5 + chance.part());
            transfers.push(&route[..kept.min(5)], Demand::of_bits(bits));
        }
        let found = Solver::default()
            .ends(&capacities, &transfers, EXACT)
            .unwrap();
        let mut plain = Solver::of_events_only();
        let expected = plain.ends(&capacities, &transfers, EXACT).unwrap();
        assert_close(&found.end_s, &expected.end_s, &seed.to_string());
    }
}
