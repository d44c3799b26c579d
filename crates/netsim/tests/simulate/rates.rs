//! Rates while all run.

use weft_netsim::simulate::{Demand, NOTHING, OWN_CAP, Rates, Solver, Transfers};

fn solve(capacities: &[f64], transfers: &[(&[u32], Demand)]) -> Rates {
    let mut list = Transfers::default();
    for (route, demand) in transfers {
        list.push(route, *demand);
    }
    Solver::default().rates(capacities, &list)
}

fn streams(count: f64) -> Demand {
    Demand {
        weight: count,
        ..Demand::of_bits(1.0)
    }
}

#[test]
fn the_bottleneck_is_named() {
    let one = streams(1.0);
    let capped = Demand {
        cap_bits_per_s: 10.0,
        ..one
    };
    let found = solve(
        &[100.0, 70.0, 1e9],
        &[
            (&[0, 1, 2], one),
            (&[0, 2], one),
            (&[1], capped),
            (&[], one),
        ],
    );
    assert_eq!(found.bits_per_s, [50.0, 50.0, 10.0, f64::INFINITY]);
    assert_eq!(found.bottleneck, [0, 0, OWN_CAP, NOTHING]);
}

#[test]
fn many_streams_are_one_transfer_that_takes_as_many_shares() {
    let apart = solve(
        &[90.0, 40.0],
        &[
            (&[0], streams(1.0)),
            (&[0], streams(1.0)),
            (&[0], streams(1.0)),
            (&[0, 1], streams(1.0)),
        ],
    );
    let together = solve(
        &[90.0, 40.0],
        &[(&[0], streams(3.0)), (&[0, 1], streams(1.0))],
    );
    assert_eq!(
        apart.bits_per_s[..3].iter().sum::<f64>(),
        together.bits_per_s[0]
    );
    assert_eq!(apart.bits_per_s[3], together.bits_per_s[1]);
}

#[test]
fn a_constraint_without_capacity_lets_nothing_through_and_one_without_limit_everything() {
    let found = solve(
        &[0.0, f64::INFINITY, 8.0],
        &[
            (&[0, 2], streams(1.0)),
            (&[1, 2], streams(1.0)),
            (&[1], streams(1.0)),
        ],
    );
    assert_eq!(found.bits_per_s, [0.0, 8.0, f64::INFINITY]);
    assert_eq!(found.bottleneck, [0, 2, NOTHING]);
}
