//! What nodes do with their time, and what does not end.

use weft_netsim::network::Explicit;
use weft_netsim::program::{Costs, Failure, Unplayed};
use weft_netsim::samples::{Parameters, Simulator};
use weft_plan::program::goal_text;

use crate::{DEFAULTS, LogGops, assert_alike, ends_ns, played, run};

#[test]
fn a_node_computes_communicates_or_waits() {
    let text = "rank 0 {\na: calc 10000\nb: send 1b to 1\nb requires a\n}\n\
                rank 1 {\na: calc 4000\nb: recv 1b from 0\nb requires a\nc: calc 100\nc requires b\n}";
    let (outcome, _) = played(DEFAULTS, 2, text);
    let [sender, receiver] = [0, 1].map(|node| outcome.activities[node]);
    assert_alike(sender.compute_s * 1e9, 10_000);
    assert_alike(sender.communicate_s * 1e9, 1500);
    assert_eq!(sender.wait_s, 0.0);
    assert_alike(receiver.compute_s * 1e9, 4100);
    // From 4000 until the message is on its way, at 11,500; then L and o.
    assert_alike(receiver.wait_s * 1e9, 7500);
    assert_alike(receiver.communicate_s * 1e9, 2500 + 1500);
    for one in [sender, receiver] {
        let sum_s = one.compute_s + one.communicate_s + one.wait_s;
        assert!((sum_s - one.end_s).abs() < 1e-15);
    }
}

#[test]
fn a_processor_does_one_thing_at_a_time_and_two_do_two() {
    for (cpu, end) in [(0, 3000), (1, 2000)] {
        let text = format!("rank 0 {{\ncalc 1000\ncalc 2000 cpu {cpu}\n}}");
        let (outcome, _) = played(DEFAULTS, 1, &text);
        assert_alike(ends_ns(&outcome)[0], end);
    }
}

#[test]
fn what_needs_only_the_begin_of_another_runs_beside_it() {
    for (word, end) in [("requires", 3500), ("irequires", 2000)] {
        let text = format!("rank 0 {{\na: calc 1500\nb: calc 2000 cpu 1\nb {word} a\n}}");
        let (outcome, _) = played(DEFAULTS, 1, &text);
        assert_alike(ends_ns(&outcome)[0], end);
    }
}

#[test]
fn two_interfaces_let_two_messages_out_at_a_time() {
    let model = LogGops {
        overhead: 0,
        ..DEFAULTS
    };
    let ends = [0, 1].map(|nic| {
        let text = format!(
            "rank 0 {{\nsend 1000b to 1\nsend 1000b to 2 nic {nic}\n}}\n\
             rank 1 {{\nrecv 1000b from 0\n}}\nrank 2 {{\nrecv 1000b from 0\n}}"
        );
        played(model, 3, &text).1[0].end_s
    });
    // The first message alone takes 6000 ns and the latency; beside the other it has half of the link.
    assert_alike((ends[1] - ends[0]) * 1e9, 6000);
}

#[test]
fn messages_over_a_dead_link_or_no_way_fail_with_their_ends() {
    let text = "num_ranks 2\nrank 0 {\nrecv 1b from 1\n}\nrank 1 {\nsend 1b to 0\n}";
    let dead = vec![("dead".to_owned(), 0.0, 0.0, true)];
    for (constraints, routes) in [(dead, vec![(1, 0, vec![0])]), (Vec::new(), Vec::new())] {
        let hosts = vec!["a".to_owned(), "b".to_owned()];
        let network = Explicit::new("x".to_owned(), hosts, constraints, routes).unwrap();
        let parameters = Parameters::default();
        let simulator = Simulator {
            network: &network,
            parameters,
        };
        let program = goal_text::parse(text).unwrap();
        let found = run(&simulator, Costs::default(), program, 65_535);
        let expected = Unplayed::Failed(Failure::NoWay { src: 1, dst: 0 });
        assert_eq!(found.unwrap_err(), expected);
    }
}
