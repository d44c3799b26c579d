//! What repeats on a network that does so, too, is what each node by itself would be.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

use weft_netsim::network::{Flow, Network, generate};
use weft_netsim::program::{Cast, Costs, Delivery, Outcome, play, play_each};
use weft_netsim::samples::{Parameters, Simulator};
use weft_plan::program::{Action, Message, Program, Repeated};

type Played = (Outcome, Vec<Delivery>);

/// The same program, its first nodes for all and each node by itself.
fn both(network: &dyn Network, parameters: Parameters, cast: &Cast) -> [Played; 2] {
    let simulator = Simulator {
        network,
        parameters,
    };
    let (costs, stop) = (Costs::default(), AtomicBool::new(false));
    [true, false].map(|is_first| {
        let mut messages = Vec::new();
        let mut tell = |one| messages.push(one);
        let found = match is_first {
            true => play(&simulator, costs, cast, &stop, &mut tell),
            false => play_each(&simulator, costs, cast, &stop, &mut tell),
        };
        (found.unwrap(), messages)
    })
}

fn generated(text: &str) -> Box<dyn Network> {
    let (name, values) = text.split_once(' ').unwrap_or((text, ""));
    let pairs = values.split(' ').filter_map(|one| one.split_once('='));
    let values: BTreeMap<_, _> = pairs.map(|(k, v)| (k.to_owned(), v.to_owned())).collect();
    generate(name, &values, 1.0).unwrap().unwrap()
}

/// Rounds in which each node passes on to the one `by` behind it.
fn ring(nodes: u32, rounds: u32, by: u32, bytes: u64) -> Program {
    let mut program = Program::idle(nodes as usize);
    for node in 0..nodes {
        let message = |peer: u32| Message {
            peer: peer % nodes,
            bytes,
            tag: 0,
        };
        let own = &mut program.nodes[node as usize];
        let mut before: Option<[u32; 2]> = None;
        for _ in 0..rounds {
            let send = own.add(Action::Send(message(node + by)));
            let receive = own.add(Action::Receive(message(node + nodes - by)));
            for on in before.into_iter().flatten() {
                own.after(send, on);
                own.after(receive, on);
            }
            before = Some([send, receive]);
        }
    }
    program
}

/// All to all at once, each beginning behind itself.
fn linear(nodes: u32, bytes: u64) -> Program {
    let mut program = Program::idle(nodes as usize);
    for node in 0..nodes {
        let own = &mut program.nodes[node as usize];
        for step in 1..nodes {
            let message = |peer: u32| Message {
                peer: peer % nodes,
                bytes,
                tag: 0,
            };
            own.add(Action::Compute { ns: 100 });
            own.add(Action::Send(message(node + step)));
            own.add(Action::Receive(message(node + nodes - step)));
        }
    }
    program
}

fn assert_same(what: &str, [first, each]: [Played; 2]) {
    let close = |one: f64, other: f64| (one - other).abs() <= 1e-9 * other;
    assert_eq!(first.1.len(), each.1.len());
    for (one, other) in first.1.iter().zip(&each.1) {
        assert_eq!(
            (one.src, one.dst, one.bytes),
            (other.src, other.dst, other.bytes)
        );
        let is_same = close(one.start_s, other.start_s) && close(one.end_s, other.end_s);
        assert!(is_same, "{what}: {one:?} is not {other:?}");
    }
    for (one, other) in first.0.activities.iter().zip(&each.0.activities) {
        for (one, other) in [
            (one.compute_s, other.compute_s),
            (one.communicate_s, other.communicate_s),
            (one.wait_s, other.wait_s),
            (one.end_s, other.end_s),
        ] {
            assert!(
                (one - other).abs() < 1e-9 * each.0.activities[0].end_s,
                "{what}"
            );
        }
    }
    assert_eq!(first.0.activities.len(), each.0.activities.len());
}

#[test]
fn the_first_nodes_are_like_all_others_to_a_billionth() {
    let networks = [
        "crossbar hosts=16",
        "star hosts=16 capacity=3Gb/s",
        "fat-tree k=4",
        "fat-tree k=4 oversubscription=2 hosts=32",
        "torus dims=4x4",
        "dragonfly groups=4 routers=2 hosts=2 global=2",
        "stacked switches=4 hosts=4 uplink=2Gb/s join=star",
    ];
    let mut fewer = 0;
    for text in networks {
        let network = generated(text);
        let nodes = network.hosts() as u32;
        for segments_per_ack in [0, 2] {
            for program in [
                ring(nodes, 3 * nodes, 1, 4096),
                ring(nodes, 20, 3, 100_000),
                linear(nodes, 20_000),
            ] {
                let cast = Cast {
                    hosts: (0..nodes).collect(),
                    program: Repeated::of(&program),
                    rendezvous_bytes: 65_535,
                };
                let parameters = Parameters {
                    segments_per_ack,
                    ..Parameters::default()
                };
                let found = both(network.as_ref(), parameters, &cast);
                fewer += u32::from(found[0].0.played < found[1].0.played);
                assert_same(&format!("{text}, {segments_per_ack}"), found);
            }
        }
    }
    assert_eq!(fewer, 40, "of 42 programs");
}

#[test]
fn a_message_is_held_back_by_what_it_crosses_itself() {
    let network = generated("stacked switches=4 hosts=4 uplink=2Gb/s join=star");
    let program = ring(16, 4, 4, 1_000_000);
    let cast = Cast {
        hosts: (0..16).collect(),
        program: Repeated::of(&program),
        rendezvous_bytes: 65_535,
    };
    let [(_, first), (_, each)] = both(network.as_ref(), Parameters::default(), &cast);
    for (one, other) in first.iter().zip(each) {
        let [one_name, other_name] =
            [one.bottleneck, other.bottleneck].map(|at| network.constraint_name(at as usize));
        let mut route = Vec::new();
        network.path(
            Flow::between(one.src as usize, one.dst as usize),
            &mut route,
        );
        assert!(route.contains(&one.bottleneck), "{one:?}: {one_name}");
        assert_eq!(one_name, other_name);
    }
}
