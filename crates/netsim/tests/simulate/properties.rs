//! What holds of every solution, and what does not.

use weft_netsim::simulate::{Demand, OWN_CAP, Solver, Transfers};

use crate::cases::{Case, EXACT, PLAIN, Shape, are_close};

const SHAPE: Shape = Shape {
    constraints: 16,
    transfers: 60,
    weighted: true,
    capped: true,
    ..PLAIN
};

fn loads(case: &Case, rates: &[f64]) -> Vec<f64> {
    let mut loads = vec![0.0; case.capacities.len()];
    for (index, rate) in rates.iter().enumerate() {
        for at in case.transfers.route(index) {
            loads[*at as usize] += rate;
        }
    }
    loads
}

/// Nothing carries more than it can, and each transfer has a full constraint on which none has more per weight.
#[test]
fn rates_are_feasible_and_none_could_be_raised_without_lowering_a_smaller_one() {
    for seed in 0..500 {
        let case = Case::random(SHAPE, seed);
        let found = Solver::default().rates(&case.capacities, &case.transfers);
        let loads = loads(&case, &found.bits_per_s);
        let level = |i: usize| found.bits_per_s[i] / case.transfers.demand(i).weight;
        for (load, capacity) in loads.iter().zip(&case.capacities) {
            assert!(*load <= capacity * (1.0 + 1e-9));
        }
        for index in 0..case.transfers.len() {
            let at = found.bottleneck[index];
            if at == OWN_CAP {
                let cap = case.transfers.demand(index).cap_bits_per_s;
                assert!(are_close(found.bits_per_s[index], cap));
                continue;
            }
            assert!(loads[at as usize] >= case.capacities[at as usize] * (1.0 - 1e-9));
            let others =
                (0..case.transfers.len()).filter(|i| case.transfers.route(*i).contains(&at));
            for other in others {
                assert!(level(other) <= level(index) * (1.0 + 1e-9));
            }
        }
    }
}

#[test]
fn the_same_again_is_the_same_to_the_last_bit() {
    let mut used = Solver::default();
    for seed in 0..50 {
        let case = Case::random(SHAPE, seed);
        let run = |solver: &mut Solver| solver.ends(&case.capacities, &case.transfers, EXACT);
        assert_eq!(run(&mut used), run(&mut Solver::default()));
    }
}

/// Time is all that changes.
#[test]
fn more_of_all_capacities_is_never_slower() {
    for seed in 0..300 {
        let mut case = Case::random(PLAIN, seed);
        let before = Solver::default()
            .ends(&case.capacities, &case.transfers, EXACT)
            .unwrap();
        case.capacities
            .iter_mut()
            .for_each(|capacity| *capacity *= 1.5);
        let after = Solver::default()
            .ends(&case.capacities, &case.transfers, EXACT)
            .unwrap();
        for (before, after) in before.end_s.iter().zip(&after.end_s) {
            assert!(*after <= before * (1.0 + 1e-9));
        }
    }
}

/// More of a single capacity can make a phase slower. Two transfers share constraint 0. While the narrow constraint 2
/// holds the shorter one back, the longer has all that its own constraint 1 lets through, and both end at once. Where
/// 2 is wider the shorter one takes a fair half of 0 and is through early, but the longer has fallen behind, and 1
/// does not let it catch up. Max-min fairness is fair, not fast; so it is with real networks that share fairly.
#[test]
fn more_of_one_capacity_can_be_slower() {
    let last_end_s = |narrow: f64| {
        let mut transfers = Transfers::default();
        transfers.push(&[0, 2], Demand::of_bits(1.0));
        transfers.push(&[0, 1], Demand::of_bits(2.0));
        let solved = Solver::default().ends(&[3.0, 2.0, narrow], &transfers, EXACT);
        solved.unwrap().last_end_s()
    };
    assert_eq!(last_end_s(1.0), 1.0);
    assert_eq!(last_end_s(2.0), 2.0 / 3.0 + 0.5);
}
