//! What is alike is solved once, and comes out as if all were solved.

use std::collections::BTreeMap;
use weft_netsim::network::{Flow, Network, generate};
use weft_netsim::simulate::{Crowd, Demand, Lumped, Route, Solver, Transfers};

use crate::cases::{Case, EXACT, PLAIN, Shape, are_close};

/// Transfers that are there, in parts of some.
struct Listed<'a>(&'a Transfers);

const PART: usize = 7;

impl Crowd for Listed<'_> {
    fn parts(&self) -> usize {
        self.0.len().div_ceil(PART)
    }

    fn show(&self, part: usize, look: &mut dyn FnMut(Demand, Route<'_>)) {
        for index in part * PART..self.0.len().min((part + 1) * PART) {
            look(self.0.demand(index), whole_route(self.0, index));
        }
    }
}

fn whole_route(transfers: &Transfers, index: usize) -> Route<'_> {
    Route {
        there: transfers.route(index),
        back: transfers.back(index),
    }
}

/// How many events the lumped one needed; panics where an end differs.
fn compare(capacities: &[f64], transfers: &Transfers, what: &str) -> u64 {
    let expected = Solver::of_events_only().ends(capacities, transfers, EXACT);
    let expected = expected.unwrap();
    let found = [1, 3].map(|threads| {
        let lumped = Lumped::solve(capacities, &Listed(transfers), threads, EXACT);
        lumped.unwrap().expect("few colours")
    });
    for (index, end_s) in expected.end_s.iter().enumerate() {
        let end =
            |lumped: &Lumped| lumped.end(transfers.demand(index), whole_route(transfers, index));
        let (mine, limit) = end(&found[0]);
        assert!(
            are_close(mine, *end_s),
            "{what}: {index}: {mine} for {end_s}"
        );
        assert_eq!(end(&found[1]), (mine, limit), "{what}: {index}: threads");
        assert!(limit >= capacities.len() as u32 || transfers.route(index).contains(&limit));
    }
    found[0].events
}

fn all_pairs(
    network: &dyn Network,
    bits: impl Fn(usize, usize) -> f64,
    part_back: f64,
) -> Transfers {
    let mut transfers = Transfers::default();
    let path = |src, dst| {
        let mut path = Vec::new();
        network.path(Flow::between(src, dst), &mut path).unwrap();
        path
    };
    for src in 0..network.hosts() {
        for dst in (0..network.hosts()).filter(|dst| *dst != src) {
            let (there, back) = (&path(src, dst), &path(dst, src));
            let demand = Demand {
                back: part_back,
                ..Demand::of_bits(bits(src, dst))
            };
            transfers.push_answered(Route { there, back }, demand);
        }
    }
    transfers
}

fn network(name: &str, values: &[(&str, &str)]) -> Box<dyn Network> {
    let values = values.iter().map(|(k, v)| (k.to_string(), v.to_string()));
    let values: BTreeMap<_, _> = values.collect();
    generate(name, &values, 1.0).unwrap().unwrap()
}

#[test]
fn everybody_to_everybody_on_regular_networks() {
    let cases = [
        network("fat-tree", &[("k", "4"), ("oversubscription", "2")]),
        network("torus", &[("dims", "4x3x2")]),
        network(
            "dragonfly",
            &[
                ("groups", "5"),
                ("routers", "2"),
                ("hosts", "2"),
                ("global", "2"),
            ],
        ),
        network(
            "chassis",
            &[
                ("cards", "2"),
                ("chips", "2"),
                ("hosts", "5"),
                ("card", "8 Gb/s"),
            ],
        ),
        network(
            "clos",
            &[
                ("leaves", "4"),
                ("spines", "2"),
                ("hosts", "6"),
                ("routing", "hash"),
            ],
        ),
    ];
    for network in cases {
        for part_back in [0.0, 0.03] {
            let transfers = all_pairs(network.as_ref(), |_, _| 8e6, part_back);
            compare(network.capacities(), &transfers, network.name());
        }
    }
}

#[test]
fn a_tree_takes_a_few_events_whatever_its_hosts() {
    for hosts in ["4", "16"] {
        let network = network(
            "clos",
            &[("leaves", "4"), ("spines", "2"), ("hosts", hosts)],
        );
        let transfers = all_pairs(network.as_ref(), |_, _| 8e6, 0.03);
        assert!(compare(network.capacities(), &transfers, hosts) <= 4);
    }
}

#[test]
fn sizes_that_break_the_symmetry_are_told_apart() {
    let network = network("fat-tree", &[("k", "4")]);
    let bits = |src: usize, dst: usize| if (src, dst) == (3, 9) { 3e6 } else { 8e6 };
    let transfers = all_pairs(network.as_ref(), bits, 0.03);
    compare(network.capacities(), &transfers, "one odd transfer");
}

#[test]
fn anything_at_all() {
    let shape = Shape {
        equal_sizes: true,
        decades: 0.0,
        weighted: true,
        capped: true,
        answered: true,
        ..PLAIN
    };
    for seed in 0..500 {
        let case = Case::random(shape, seed);
        compare(&case.capacities, &case.transfers, &format!("seed {seed}"));
    }
}

fn one_way(there: &[u32]) -> Route<'_> {
    Route { there, back: &[] }
}

#[test]
fn thousands_share_a_trunk() {
    let mut transfers = Transfers::default();
    let mut push = |times, route: &[u32]| {
        (0..times).for_each(|_| transfers.push(route, Demand::of_bits(1e6)));
    };
    for host in [0, 3] {
        push(23, &[host]);
        push(264, &[host, 1]);
        push(6624, &[host, 1, 2]);
    }
    let capacities = [1e10; 4];
    compare(&capacities, &transfers, "a trunk");
    let lumped = Lumped::solve(&capacities, &Listed(&transfers), 2, EXACT);
    let lumped = lumped.unwrap().unwrap();
    let (end_s, limit) = lumped.end(Demand::of_bits(1e6), one_way(&[3, 1, 2]));
    assert!(are_close(end_s, 13_776.0 * 1e-4) && limit == 1);
    let (end_s, limit) = lumped.end(Demand::of_bits(1e6), one_way(&[3]));
    assert!(are_close(end_s, 46.0 * 1e-4) && limit == 3);
}

#[test]
fn where_all_differ_it_says_so() {
    let network = network("crossbar", &[("hosts", "70")]);
    let transfers = all_pairs(
        network.as_ref(),
        |src, dst| 1e6 + (src * 70 + dst) as f64,
        0.0,
    );
    let found = Lumped::solve(network.capacities(), &Listed(&transfers), 2, EXACT);
    assert!(found.unwrap().is_none());
}
