//! Patterns between many nodes: who talks to whom in which phase, and what is refused.

use std::collections::{HashMap, HashSet};

use proptest::prelude::*;
use weft_plan::{Limits, Phase, Reach, Step, Transfer, Work, load};

const LIMITS: Limits = Limits {
    max_message_bytes: 1 << 30,
};
const COUNT: &str = r#"{ rule = "count", repeats = 1, trials = 1 }"#;
const TIME: &str = r#"{ rule = "time", trial = "1 s", trials = 1 }"#;

/// The step with these keys, or why it is refused.
fn step_with(keys: &str, sizes: &str, stop: &str) -> Result<Step, String> {
    let text = format!("name = \"x\"\n[[steps]]\n{keys}\nsizes = {sizes}\nstop = {stop}\n");
    let plan = load(&text, "x.toml", &[], &LIMITS).map_err(|error| error.to_string())?;
    Ok(plan.steps[0].clone())
}

fn step(keys: &str) -> Step {
    step_with(keys, r#"["8 B"]"#, COUNT).unwrap()
}

fn refusal(keys: &str) -> String {
    step_with(keys, r#"["8 B"]"#, COUNT).unwrap_err()
}

fn phases(keys: &str, nodes: u32) -> Vec<Phase> {
    step(keys).phases(nodes).unwrap()
}

/// Source and destination of each transfer, phase by phase, from 1 as people count.
fn routes(keys: &str, nodes: u32) -> Vec<Vec<(u32, u32)>> {
    let route = |transfer: &Transfer| (transfer.src + 1, transfer.dst + 1);
    let of = |phase: &Phase| phase.transfers.iter().map(route).collect();
    phases(keys, nodes).iter().map(of).collect()
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

#[test]
fn what_cannot_be_is_refused_with_key_value_and_what_is_right() {
    for (keys, expected) in [
        (
            "pattern = \"ring\"\nstride = 2",
            "steps[0].stride = 2: belongs to pattern = \"pairs\"; remove",
        ),
        (
            "pattern = \"ring\"\nsweep = true",
            "belongs to pattern = \"streams\" or \"cast\"",
        ),
        (
            "pattern = \"ring\"\nnods = 4",
            "steps[0].nods = 4: unknown key, did you mean \"nodes\"?",
        ),
        (
            "pattern = \"ring\"\nnodes = 1",
            "steps[0].nodes = 1: must be a whole number from 2 to 4096",
        ),
        (
            "pattern = \"ring\"\nnodes = \"1\"",
            "steps[0].nodes = \"1\": must be at least 2 nodes",
        ),
        (
            "pattern = \"ring\"\nnodes = [1, 2]",
            "must be a number of nodes, such as 16, or positions",
        ),
        (
            "pattern = \"ring\"\nnodes = \"1-9/0\"",
            "must be positions from 1 to 4096",
        ),
        (
            "pattern = \"ring\"\nnodes = \"0-4\"",
            "must be positions from 1 to 4096",
        ),
        (
            "pattern = \"ring\"\nnodes = \"4-1\"",
            "the range 4-1 is empty",
        ),
        (
            "pattern = \"ring\"\nnodes = \"1-4,3\"",
            "position 3 stands there twice",
        ),
        (
            "pattern = \"ring\"\nnodes = \"n[1-4]\"",
            "must be positions from 1 to 4096, such as \"1-24\"",
        ),
        (
            "pattern = \"ring\"\ntransport = \"null\"",
            "steps[0].transport = \"null\": \"null\" is for pattern",
        ),
        (
            "pattern = \"ring\"\nuntil = \"1 s\"",
            "steps[0].until = \"1 s\": belongs to pattern = \"pingpong\" or",
        ),
        (
            "pattern = \"ring\"\noptions.verify = true",
            "options.verify = true: belongs to pattern",
        ),
        (
            "pattern = \"ring\"\noptions.wait = \"spin\"",
            "options.wait = \"spin\": belongs to pattern",
        ),
        (
            "pattern = \"ring\"\noptions.cpus = [0]",
            "one CPU per node of the testbed, at least 2",
        ),
        (
            "pattern = \"pairs\"\nfrom = \"1-2\"\nto = \"3-5\"",
            "steps[0].to = \"3-5\": 3 positions, `from` has 2",
        ),
        (
            "pattern = \"pairs\"\nfrom = \"1-2\"\nto = \"2-3\"",
            "steps[0].to = \"2-3\": position 2 is in `from` too",
        ),
        (
            "pattern = \"pairs\"\nfrom = \"1-2\"",
            "steps[0].to: missing: give the partners of `from`",
        ),
        (
            "pattern = \"pairs\"\nto = \"1-2\"",
            "steps[0].from: missing: give the partners of `to`",
        ),
        (
            "pattern = \"pairs\"\nfrom = \"1\"\nto = \"2\"\nnodes = 2",
            "steps[0].nodes = 2: belongs to pairs without",
        ),
        (
            "pattern = \"pairs\"\nfrom = \"1\"\nto = \"2\"\nstride = 2",
            "steps[0].stride = 2: belongs to pairs",
        ),
        (
            "pattern = \"pairs\"\nnodes = 4\nstride = 4",
            "steps[0].nodes = 4: must be at least 5 nodes",
        ),
        (
            "pattern = \"pairs\"\nduplex = \"both\"",
            "steps[0].duplex = \"both\": unknown duplex; known: half, full",
        ),
        (
            "pattern = \"matrix\"\nmeasure = \"latency\"\nduplex = \"full\"",
            "belongs to measure = \"rate\"",
        ),
        (
            "pattern = \"streams\"",
            "steps[0].receivers: missing: give `receivers` or `senders`",
        ),
        (
            "pattern = \"streams\"\nreceivers = 1",
            "steps[0].receivers = 1: must be positions in quotes",
        ),
        (
            "pattern = \"streams\"\nreceivers = \"9\"\nnodes = 8",
            "\"9\": position 9 is not among `nodes`",
        ),
        (
            "pattern = \"streams\"\nsenders = \"1\"\nreceivers = \"1\"",
            "position 1 is in `senders` too",
        ),
        (
            "pattern = \"streams\"\nsenders = \"1\"\nreceivers = \"2\"\nnodes = 3",
            "belongs to streams without",
        ),
        (
            "pattern = \"cast\"\nnetworks = 3",
            "steps[0].networks = 3: must be a whole number from 1 to 2",
        ),
        (
            "pattern = \"cast\"\nchunk = \"2 GiB\"",
            "steps[0].chunk = \"2 GiB\": must be at most 64 MiB",
        ),
        (
            "pattern = \"random\"\npermutations = 0",
            "must be a whole number from 1 to 10000",
        ),
        (
            "pattern = \"pingpong\"\nnodes = 2",
            "steps[0].nodes = 2: belongs to pattern = \"pairs\" or \"alltoall\"",
        ),
        (
            "stride = 2",
            "steps[0].pattern: missing: give a pattern: pingpong, stream, pairs,",
        ),
    ] {
        let message = refusal(keys);
        assert!(
            message.starts_with("x.toml: steps[0].") && message.contains(expected),
            "{keys}: {message}"
        );
        assert!(
            !message.contains('\n') && message.len() < 300,
            "{keys}: {message}"
        );
    }
}

#[test]
fn a_stop_rule_that_would_do_nothing_is_refused() {
    let ring = "pattern = \"ring\"";
    let stop = r#"{ rule = "time", trial = "1 s", trials = 1, at_most = "2 s" }"#;
    let message = step_with(ring, r#"["8 B"]"#, stop).unwrap_err();
    assert!(
        message.contains("steps[0].stop.at_most = \"2 s\": belongs to pattern"),
        "{message}"
    );
    for stop in [TIME, r#"{ rule = "count", repeats = 2, trials = 1 }"#] {
        let message = step_with("pattern = \"cast\"", r#"["8 B"]"#, stop).unwrap_err();
        assert!(
            message.contains("a trial casts the image once"),
            "{message}"
        );
    }
    let message = step_with("pattern = \"cast\"\nnetworks = 2", r#"["1 B"]"#, COUNT).unwrap_err();
    assert!(
        message.contains("for two networks has at least 2 B"),
        "{message}"
    );
}

#[test]
fn a_testbed_that_is_too_small_or_too_large_is_refused() {
    for (keys, nodes, expected) in [
        (
            "pattern = \"ring\"",
            1,
            "step \"ring\": ring needs 2 nodes, the testbed has 1",
        ),
        (
            "pattern = \"ring\"\nnodes = 60",
            16,
            "ring needs 60 nodes, the testbed has 16",
        ),
        (
            "pattern = \"ring\"\nnodes = \"2,9\"",
            8,
            "ring needs 9 nodes, the testbed has 8",
        ),
        (
            "pattern = \"pairs\"\nfrom = \"1\"\nto = \"96\"",
            64,
            "pairs needs 96 nodes, the testbed has 64",
        ),
        (
            "pattern = \"pairs\"\nstride = 4",
            4,
            "pairs needs 5 nodes, the testbed has 4",
        ),
        (
            "pattern = \"streams\"\nreceivers = \"9\"",
            8,
            "streams needs 9 nodes, the testbed has 8",
        ),
        (
            "pattern = \"streams\"\nsenders = \"1-8\"",
            8,
            "streams needs 9 nodes, the testbed has 8",
        ),
        (
            "pattern = \"ring\"",
            100_000,
            "at most 4096 nodes, the testbed has 100000",
        ),
        (
            "pattern = \"alltoall\"\nmode = \"unphased\"",
            4096,
            "alltoall: 16773120 transfers over 4096 nodes",
        ),
        (
            "pattern = \"ring\"\noptions.cpus = [0, 1, 0]",
            4,
            "options.cpus has 3 CPUs, the testbed has 4 nodes",
        ),
    ] {
        let message = step(keys).phases(nodes).unwrap_err().to_string();
        assert!(message.contains(expected), "{keys}: {message}");
    }
    assert!(
        step("pattern = \"ring\"\noptions.cpus = [0, 1, 0]")
            .phases(3)
            .is_ok()
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
