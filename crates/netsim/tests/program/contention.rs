//! Where messages meet they share, as the transfers of a phase do.

use std::sync::atomic::AtomicBool;

use weft_netsim::network::{Flow, generate};
use weft_netsim::program::Costs;
use weft_netsim::samples::{Outgoing, Parameters, Simulator};
use weft_netsim::simulate::{Demand, Settings, Solver, Transfers};
use weft_plan::program::{Action, Message, Program};

use crate::{DEFAULTS, LogGops, assert_alike, played, run};

/// Without costs but those of bytes.
const BYTES_ONLY: LogGops = LogGops {
    latency: 1,
    overhead: 0,
    gap: 1,
    per_byte: 1,
    ..DEFAULTS
};

#[test]
fn what_begins_and_ends_changes_the_shares_of_the_others() {
    // Two to rank 0, the second from 1000 ns on, and one that meets neither.
    let text = "rank 0 {\nrecv 2000b from 1\nrecv 2000b from 2\n}\n\
                rank 1 {\nsend 2000b to 0\n}\n\
                rank 2 {\na: calc 1000\nb: send 2000b to 0\nb requires a\n}\n\
                rank 3 {\nsend 500b to 4\n}\nrank 4 {\nrecv 500b from 3\n}";
    let (_, messages) = played(BYTES_ONLY, 5, text);
    let ends: Vec<_> = messages
        .iter()
        .map(|one| (one.src, one.end_s * 1e9))
        .collect();
    for ((src, end), (expected_src, expected)) in
        ends.into_iter().zip([(1, 3000), (2, 4000), (3, 500)])
    {
        assert_eq!(src, expected_src);
        assert_alike(end, expected);
    }
}

/// Whatever begins when: the same as the solver of phases, which knows all begins beforehand.
#[test]
fn it_is_what_the_solver_of_phases_says() {
    let network = generate(
        "xgft",
        &values(&[("down", "4x4"), ("up", "1x2"), ("rate", "1 Gb/s")]),
        1.0,
    );
    let network = network.unwrap().unwrap();
    let hosts = network.hosts() as u32;
    let mut program = Program::idle(network.hosts());
    let mut random = 12_345u64;
    let mut draw = |most: u64| {
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) % most
    };
    let mut sent = Vec::new();
    for src in 0..hosts {
        let dst = (src + 1 + draw(u64::from(hosts) - 1) as u32) % hosts;
        let (bytes, ns) = (1000 + draw(1_000_000), draw(2_000_000));
        let message = |peer| Message {
            peer,
            bytes,
            tag: src,
        };
        let node = &mut program.nodes[src as usize];
        let first = node.add(Action::Compute { ns });
        let send = node.add(Action::Send(message(dst)));
        node.after(send, first);
        // On a processor of its own, so that it is not late because of what that node computes.
        let receiver = &mut program.nodes[dst as usize];
        let receive = receiver.add(Action::Receive(message(src)));
        receiver.operations[receive as usize].cpu = 1;
        sent.push((src, dst, bytes, ns));
    }
    let parameters = Parameters {
        overhead_s: 0.0,
        segments_per_ack: 0,
        ..Parameters::default()
    };
    let simulator = Simulator {
        network: &*network,
        parameters,
    };
    let (_, found) = run(&simulator, Costs::default(), program, u64::MAX).unwrap();

    let (mut transfers, mut ways) = (Transfers::default(), Vec::new());
    for (src, dst, bytes, ns) in sent {
        let mut route = Vec::new();
        let path = network
            .path(Flow::between(src as usize, dst as usize), &mut route)
            .unwrap();
        let framing = network.framing();
        let demand = Demand::of_bits(framing.wire_bytes(bytes, path.mtu_bytes) as f64 * 8.0);
        let start_s = ns as f64 / 1e9;
        transfers.push(&route, Demand { start_s, ..demand });
        ways.push(path.latency_s(framing.first_frame_bytes(bytes, path.mtu_bytes)));
    }
    let stop = &AtomicBool::new(false);
    let settings = Settings {
        tolerance: 0.0,
        stop,
    };
    let expected = Solver::default()
        .ends(network.capacities(), &transfers, settings)
        .unwrap();
    let mut shared = 0;
    for (index, one) in found.iter().enumerate() {
        let end_s = expected.end_s[index] + ways[index];
        assert!(
            (one.end_s - end_s).abs() < 1e-9,
            "{index}: {} for {end_s}",
            one.end_s
        );
        let alone_s = one.start_s + transfers.demand(index).bits / 1e9 + ways[index];
        shared += u32::from(one.end_s > alone_s + 1e-6);
    }
    assert!(shared > 3, "{shared} messages met others");
}

fn values(given: &[(&str, &str)]) -> std::collections::BTreeMap<String, String> {
    given
        .iter()
        .map(|(key, value)| (key.to_string(), value.to_string()))
        .collect()
}

/// Each rank sends to the next, the one behind it, and so on, without waiting for anything.
fn linear_alltoall(ranks: u32, bytes: u64) -> Program {
    let mut program = Program::idle(ranks as usize);
    for rank in 0..ranks {
        let node = &mut program.nodes[rank as usize];
        for distance in 1..ranks {
            let to = |peer| Message {
                peer,
                bytes,
                tag: 0,
            };
            node.add(Action::Send(to((rank + distance) % ranks)));
            node.add(Action::Receive(to((rank + ranks - distance) % ranks)));
        }
    }
    program
}

#[test]
fn a_linear_alltoall_is_as_fast_as_links_and_solved_by_round() {
    let (ranks, bytes) = (64, 100_000);
    let network = crate::crossbar(ranks, 8, 1000);
    let parameters = Parameters {
        overhead_s: 1e-6,
        ..Parameters::default()
    };
    let simulator = Simulator {
        network: &network,
        parameters,
    };
    let program = linear_alltoall(ranks, bytes);
    let (outcome, messages) = run(&simulator, Costs::default(), program, 65_535).unwrap();
    assert_eq!(messages.len(), 64 * 63);
    let last_s = outcome
        .activities
        .iter()
        .map(|one| one.end_s)
        .fold(0.0, f64::max);
    let links_s = f64::from(ranks - 1) * bytes as f64 * 8e-9;
    assert!(
        (last_s / links_s - 1.0).abs() < 1e-3,
        "{last_s} for {links_s}"
    );
    assert!(outcome.events <= 2 * 63, "{} solutions", outcome.events);
}

#[test]
fn connections_of_a_node_share_its_link_and_do_not_wait_for_each_other() {
    let bytes = 1_250_000;
    let mut program = Program::idle(4);
    // Node 3 takes two messages at a time; node 0 has another one behind its own of these.
    for (src, dst) in [(0, 3), (0, 2), (1, 3)] {
        let to = |peer| Message {
            peer,
            bytes,
            tag: 0,
        };
        program.nodes[src].add(Action::Send(to(dst)));
        program.nodes[dst as usize].add(Action::Receive(to(src as u32)));
    }
    let last_s = |outgoing| {
        let network = crate::crossbar(4, 8, 1000);
        let simulator = Simulator {
            network: &network,
            parameters: Parameters {
                overhead_s: 0.0,
                segments_per_ack: 0,
                outgoing,
                ..Parameters::default()
            },
        };
        let (outcome, _) = run(&simulator, Costs::default(), program.clone(), u64::MAX).unwrap();
        let ends = outcome.activities.iter().map(|one| one.end_s);
        ends.fold(0.0, f64::max)
    };
    let [queue_s, connections_s] = [Outgoing::Queue, Outgoing::Connections].map(last_s);
    // Alone a message takes 10 ms, and two that share a link 20 ms.
    assert!((queue_s / 0.03 - 1.0).abs() < 0.01, "{queue_s}");
    assert!((connections_s / 0.02 - 1.0).abs() < 0.01, "{connections_s}");
}
