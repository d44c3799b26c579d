//! Which node sends to which in which phase.

use std::collections::{HashMap, HashSet};

use proptest::prelude::*;
use weft_plan::{Phase, Reach, Transfer, Work};

use super::{COUNT, TIME, refusal, step, step_with};

fn phases(keys: &str, nodes: u32) -> Vec<Phase> {
    step(keys).phases(nodes).unwrap()
}

/// Source and destination of each transfer, phase by phase, from 1 as people count.
fn routes(keys: &str, nodes: u32) -> Vec<Vec<(u32, u32)>> {
    let route = |transfer: &Transfer| (transfer.src + 1, transfer.dst + 1);
    let of = |phase: &Phase| phase.transfers.iter().map(route).collect();
    phases(keys, nodes).iter().map(of).collect()
}

#[test]
fn all_transfers_take_the_network_that_is_named() {
    let networks = |keys: &str| -> HashSet<u32> {
        let transfers = phases(keys, 4).into_iter().flat_map(|one| one.transfers);
        transfers.map(|one| one.network).collect()
    };
    assert_eq!(networks("pattern = \"ring\""), HashSet::from([0]));
    let matrix = "pattern = \"matrix\"\nnetwork = 3";
    assert_eq!(networks(matrix), HashSet::from([2]));
    let some = step(matrix).some_phases(4, Reach::SIMULATOR, 1..2).unwrap();
    assert!(some[0].transfers.iter().all(|one| one.network == 2));
    let each = step("pattern = \"ring\"\nnetwork = \"each\"");
    assert!(
        serde_json::to_string(&each)
            .unwrap()
            .contains("\"network\":\"each\"")
    );
    assert_eq!(
        networks("pattern = \"ring\"\nnetwork = \"each\""),
        HashSet::from([0])
    );
}

fn every_ordered_pair(nodes: u32) -> HashSet<(u32, u32)> {
    let pairs = (1..=nodes).flat_map(|src| (1..=nodes).map(move |dst| (src, dst)));
    pairs.filter(|(src, dst)| src != dst).collect()
}

fn covers_every_ordered_pair_once(routes: &[Vec<(u32, u32)>], nodes: u32) -> bool {
    let all: Vec<_> = routes.iter().flatten().copied().collect();
    let distinct: HashSet<_> = all.iter().copied().collect();
    all.len() == distinct.len() && distinct == every_ordered_pair(nodes)
}

/// How often each node stands on either side of a phase, at most.
fn busiest(phase: &[(u32, u32)]) -> (usize, usize) {
    let most = |side: fn(&(u32, u32)) -> u32| {
        let mut times = HashMap::new();
        phase
            .iter()
            .for_each(|route| *times.entry(side(route)).or_insert(0) += 1);
        times.into_values().max().unwrap_or(0)
    };
    (most(|route| route.0), most(|route| route.1))
}

/// Whether no node meets more than one other.
fn is_disjoint(phase: &[(u32, u32)]) -> bool {
    let mut partners = HashMap::new();
    let ends = phase.iter().flat_map(|(a, b)| [(*a, *b), (*b, *a)]);
    ends.into_iter()
        .all(|(one, other)| *partners.entry(one).or_insert(other) == other)
}

#[test]
fn pairs_at_a_stride_go_both_ways_unless_told_otherwise() {
    let half = "pattern = \"pairs\"\nstride = 2\nduplex = \"half\"";
    assert_eq!(routes(half, 6), [[(1, 3), (2, 4)]]);
    let full = "pattern = \"pairs\"";
    assert_eq!(routes(full, 5), [[(1, 2), (2, 1), (3, 4), (4, 3)]]);
}

#[test]
fn positions_choose_nodes_and_their_order() {
    let keys = "pattern = \"ring\"\nnodes = \"5,1-3/2\"";
    assert_eq!(routes(keys, 6), [[(5, 1), (1, 3), (3, 5)]]);
    assert_eq!(
        routes("pattern = \"ring\"\nnodes = 2", 6),
        [[(1, 2), (2, 1)]]
    );
    assert_eq!(routes("pattern = \"ring\"", 3), [[(1, 2), (2, 3), (3, 1)]]);
}

#[test]
fn listed_pairs_bring_their_nodes_with_them() {
    let step = step("pattern = \"pairs\"\nfrom = \"7,2\"\nto = \"1,3\"\nduplex = \"half\"");
    let json = serde_json::to_value(&step.pattern).unwrap();
    let expected = serde_json::json!({
        "kind": "pairs", "nodes": [0, 1, 2, 6], "stride": null, "from": [6, 1], "to": [0, 2], "duplex": "half",
    });
    assert_eq!(json, expected);
    assert_eq!(step.pattern.nodes(), 7);
}

#[test]
fn everything_at_once_is_one_phase() {
    let unphased = routes("pattern = \"alltoall\"\nmode = \"unphased\"", 5);
    assert_eq!(unphased.len(), 1);
    assert!(covers_every_ordered_pair_once(&unphased, 5));
}

#[test]
fn an_all_to_all_sends_over_growing_distances() {
    assert_eq!(
        routes("pattern = \"alltoall\"", 3),
        [[(1, 2), (2, 3), (3, 1)], [(1, 3), (2, 1), (3, 2)]]
    );
}

#[test]
fn a_latency_matrix_is_a_ping_pong_of_each_pair() {
    let phases = phases(
        "pattern = \"matrix\"\nmeasure = \"latency\"\nnodes = \"6,5,4,3,2\"",
        6,
    );
    let transfers: Vec<_> = phases.iter().flat_map(|phase| &phase.transfers).collect();
    assert!(phases.iter().all(|phase| phase.work == Work::Pingpong));
    assert!(transfers.iter().all(|transfer| transfer.src < transfer.dst));
    assert_eq!((phases.len(), transfers.len()), (5, 10));
}

#[test]
fn the_others_take_the_side_that_is_not_given() {
    let incast = "pattern = \"streams\"\nreceivers = \"2\"";
    assert_eq!(routes(incast, 4), [[(1, 2), (3, 2), (4, 2)]]);
    let outcast = "pattern = \"streams\"\nsenders = \"1-2\"\nnodes = \"1-2,4\"";
    assert_eq!(routes(outcast, 5), [[(1, 4), (2, 4)]]);
}

#[test]
fn a_sweep_of_streams_doubles_to_the_total() {
    let keys = "pattern = \"streams\"\nsenders = \"1-3\"\nreceivers = \"4\"\nstreams_per_sender = 2\nsweep = true";
    let streams = |phase: &Phase| {
        phase
            .transfers
            .iter()
            .map(|transfer| transfer.streams)
            .collect()
    };
    let phases = phases(keys, 4);
    let swept: Vec<Vec<u32>> = phases.iter().map(streams).collect();
    assert_eq!(swept, [vec![1], vec![1, 1], vec![2, 1, 1], vec![2, 2, 2]]);
}

#[test]
fn a_chain_grows_to_all_nodes() {
    let phases = phases("pattern = \"cast\"\nsweep = true", 6);
    let lengths: Vec<_> = phases
        .iter()
        .map(|phase| phase.transfers.len() + 1)
        .collect();
    assert_eq!(lengths, [2, 4, 6]);
    assert!(phases.iter().all(|phase| phase.work == Work::Cast));
}

#[test]
fn phases_of_the_first_size_come_first() {
    let step = step_with("pattern = \"alltoall\"", r#"["8 B", "3 B"]"#, COUNT).unwrap();
    let of = |phase: &Phase| (phase.index, phase.size_bytes);
    let order: Vec<_> = step.phases(3).unwrap().iter().map(of).collect();
    assert_eq!(order, [(0, 8), (1, 8), (2, 3), (3, 3)]);
}

#[test]
fn an_xray_has_a_budget_and_no_phases() {
    let keys = "pattern = \"xray\"\ntime = \"90 s\"";
    let step = step_with(keys, r#"["1 KiB"]"#, TIME).unwrap();
    assert!(step.phases(32).unwrap().is_empty());
    let json = serde_json::to_value(&step.pattern).unwrap();
    assert_eq!(
        json,
        serde_json::json!({"kind": "xray", "nodes": null, "time_ns": 90_000_000_000u64})
    );
    let two = step_with(keys, r#"["1 B", "2 B"]"#, TIME).unwrap_err();
    assert!(
        two.contains("steps[0].sizes = [\"1 B\", \"2 B\"]: give exactly one size"),
        "{two}"
    );
    assert!(
        refusal(keys).contains("steps[0].stop = "),
        "{}",
        refusal(keys)
    );
}

proptest! {
    #[test]
    fn every_ordered_pair_meets_once_and_nobody_meets_two(nodes in 2u32..40) {
        for (duplex, rounds_even, rounds_odd) in [("half", 2 * (nodes - 1), 2 * nodes), ("full", nodes - 1, nodes)] {
            let matrix = routes(&format!("pattern = \"matrix\"\nduplex = \"{duplex}\""), nodes);
            prop_assert!(covers_every_ordered_pair_once(&matrix, nodes));
            prop_assert!(matrix.iter().all(|phase| is_disjoint(phase)));
            prop_assert_eq!(matrix.len() as u32, if nodes % 2 == 0 { rounds_even } else { rounds_odd });
        }
    }

    #[test]
    fn an_all_to_all_keeps_everybody_busy_with_one_block_at_a_time(nodes in 2u32..40) {
        let phases = routes("pattern = \"alltoall\"", nodes);
        prop_assert!(covers_every_ordered_pair_once(&phases, nodes));
        prop_assert_eq!(phases.len() as u32, nodes - 1);
        for phase in phases {
            prop_assert_eq!((phase.len() as u32, busiest(&phase)), (nodes, (1, 1)));
        }
    }

    #[test]
    fn pairs_at_any_stride_are_disjoint(nodes in 2u32..60, stride in 1u32..59) {
        prop_assume!(stride < nodes);
        for phase in routes(&format!("pattern = \"pairs\"\nstride = {stride}"), nodes) {
            prop_assert!(is_disjoint(&phase) && !phase.is_empty());
            prop_assert!(phase.iter().all(|(a, b)| a.abs_diff(*b) == stride));
        }
    }

    #[test]
    fn chance_moves_everybody_and_repeats_itself(nodes in 2u32..40, seed in any::<u32>()) {
        let keys = format!("pattern = \"random\"\npermutations = 4\nseed = {seed}");
        let drawn = routes(&keys, nodes);
        for phase in &drawn {
            prop_assert_eq!((phase.len() as u32, busiest(phase)), (nodes, (1, 1)));
            prop_assert!(phase.iter().all(|(src, dst)| src != dst));
        }
        prop_assert_eq!(&drawn, &routes(&keys, nodes));
        if nodes > 12 {
            let other = keys.replace(&format!("seed = {seed}"), &format!("seed = {}", seed ^ 1));
            prop_assert_ne!(drawn, routes(&other, nodes));
        }
    }

    #[test]
    fn a_bisection_pairs_two_halves_both_ways(nodes in 2u32..40, seed in any::<u32>()) {
        let keys = format!("pattern = \"random\"\nshape = \"bisection\"\nseed = {seed}");
        for phase in routes(&keys, nodes) {
            prop_assert!(is_disjoint(&phase));
            prop_assert_eq!(phase.len() as u32, nodes / 2 * 2);
        }
    }

    #[test]
    fn all_streams_are_there_and_spread_evenly(senders in 1u32..9, receivers in 1u32..9, each in 1u32..9) {
        let last = senders + receivers;
        let keys = format!(
            "pattern = \"streams\"\nsenders = \"1-{senders}\"\nreceivers = \"{}-{last}\"\nstreams_per_sender = {each}",
            senders + 1,
        );
        let transfers = &phases(&keys, last)[0].transfers;
        let sent = |src| transfers.iter().filter(|t| t.src == src).map(|t| t.streams).sum::<u32>();
        prop_assert!((0..senders).all(|src| sent(src) == each));
        let received = |dst| transfers.iter().filter(|t| t.dst == dst).map(|t| t.streams).sum::<u32>();
        let least = senders * each / receivers;
        prop_assert!((senders..last).all(|dst| (least..=least + 1).contains(&received(dst))));
    }
}

/// A simulator takes phases some at a time, and they are the ones that agents would get.
#[test]
fn phases_one_by_one_are_those_of_the_whole_step() {
    for keys in [
        "pattern = \"alltoall\"",
        "pattern = \"alltoall\"\nmode = \"unphased\"",
        "pattern = \"matrix\"",
        "pattern = \"ring\"",
        "pattern = \"random\"",
    ] {
        let step = step_with(keys, r#"["8 B", "16 B"]"#, COUNT).unwrap();
        let whole = step.phases(7).unwrap();
        let count = step.phase_count(7, Reach::SIMULATOR).unwrap();
        assert_eq!(count, whole.len(), "{keys}");
        for (number, phase) in whole.iter().enumerate() {
            let some = step.some_phases(7, Reach::SIMULATOR, number..number + 1);
            assert_eq!(&some.unwrap()[0], phase, "{keys}");
        }
    }
}

#[test]
fn a_simulator_reaches_further_than_agents_but_not_everywhere() {
    let step = step("pattern = \"alltoall\"");
    assert!(
        step.phases(5000)
            .unwrap_err()
            .to_string()
            .contains("at most 4096 nodes")
    );
    assert_eq!(step.phase_count(5000, Reach::SIMULATOR).unwrap(), 4999);
    assert_eq!(
        step.some_phases(5000, Reach::SIMULATOR, 0..2)
            .unwrap()
            .len(),
        2
    );
    let all = step
        .some_phases(5000, Reach::SIMULATOR, 0..4998)
        .unwrap_err();
    assert!(all.to_string().contains("a step has at most"), "{all}");
}
