//! What slots hold after all moves, by the names of what was put in.

use super::contents::{Content, after, before};
use super::moves::{Move, Mover};
use super::{Algorithm, Collective, Operation};

struct Contents {
    nodes: u32,
    bytes: u64,
    /// By node and slot.
    slots: Vec<Vec<Content>>,
}

impl Mover for Contents {
    fn nodes(&self) -> u32 {
        self.nodes
    }

    fn bytes(&self) -> u64 {
        self.bytes
    }

    fn round(&mut self, moves: &[Move]) {
        let before = self.slots.clone();
        for one in moves {
            assert_ne!(one.src, one.dst);
            for slot in one.slots.numbers(self.nodes) {
                let sent = &before[one.src as usize][slot as usize];
                let there = &mut self.slots[one.dst as usize][slot as usize];
                match one.adds {
                    true => there.extend(sent),
                    false => there.clone_from(sent),
                }
            }
        }
    }
}

fn collective(operation: Operation, group: u32) -> Collective {
    Collective {
        group,
        ..Collective::of(operation)
    }
}

fn check(operation: Operation, algorithm: Algorithm, nodes: u32, bytes: u64) {
    let each = |node| {
        (0..nodes)
            .map(|slot| before(operation, nodes, node, slot))
            .collect()
    };
    let mut contents = Contents {
        nodes,
        bytes,
        slots: (0..nodes).map(each).collect(),
    };
    collective(operation, 3).move_all(algorithm, &mut contents);
    for node in 0..nodes {
        for slot in 0..nodes {
            let mut found = contents.slots[node as usize][slot as usize].clone();
            found.sort_unstable();
            if let Some(right) = after(operation, nodes, node, slot) {
                let name = algorithm.name();
                assert_eq!(
                    found, right,
                    "{operation:?} {name}, {nodes} nodes: slot {slot} of {node}"
                );
            }
        }
    }
}

#[test]
fn every_slot_has_what_it_should_have_whatever_the_number_of_nodes() {
    let mut checked = 0;
    for operation in Operation::ALL {
        for nodes in (2..=17).chain([31, 32, 33]) {
            for algorithm in collective(operation, 3).ways(nodes as usize) {
                // One piece of a chain, and some.
                for bytes in [1000, 400_000] {
                    check(operation, algorithm, nodes, bytes);
                    checked += 1;
                }
            }
        }
    }
    assert!(checked > 400, "{checked}");
}

#[test]
fn the_first_nodes_say_what_all_do() {
    let mut fewer = 0;
    for operation in Operation::ALL {
        let whole = collective(operation, 3);
        for (nodes, bytes) in [(16, 24), (16, 8), (12, 100), (12, 48_000), (7, 1000)] {
            for algorithm in whole.ways(nodes as usize) {
                let repeated = whole.repeated(algorithm, nodes, bytes).unwrap();
                let program = whole.program(algorithm, nodes, bytes).unwrap();
                let name = algorithm.name();
                let is_same = *repeated.first(nodes as usize) == *program.nodes;
                assert!(
                    is_same,
                    "{operation:?} {name}, {nodes} nodes, {bytes} bytes"
                );
                assert!(program.period() <= repeated.nodes.len());
                fewer += u32::from(repeated.nodes.len() < nodes as usize);
            }
        }
    }
    assert_eq!(fewer, 26);
}

#[test]
fn what_moves_is_what_the_literature_says() {
    let (nodes, bytes) = (16, 16_000);
    let sent = |operation, algorithm| {
        let program = collective(operation, 4)
            .program(algorithm, nodes, bytes)
            .unwrap();
        let of_last = program.sends().filter(|(src, _)| *src == nodes - 1);
        let sizes: Vec<u64> = of_last.map(|(_, message)| message.bytes).collect();
        (sizes.len(), sizes.iter().sum::<u64>())
    };
    use Algorithm::{Bruck, Pairwise, Rabenseifner, RecursiveDoubling, RecursiveHalving, Ring};
    // Messages, and bytes as a part of the buffer: 2(n-1)/n, log n, (n-1)/n, log(n)/2.
    assert_eq!(sent(Operation::Allreduce, Ring), (30, 30_000));
    assert_eq!(sent(Operation::Allreduce, Rabenseifner), (8, 30_000));
    assert_eq!(sent(Operation::Allreduce, RecursiveDoubling), (4, 64_000));
    assert_eq!(sent(Operation::Allgather, Ring), (15, 15_000));
    assert_eq!(sent(Operation::Allgather, Bruck), (4, 15_000));
    assert_eq!(
        sent(Operation::ReduceScatter, RecursiveHalving),
        (4, 15_000)
    );
    assert_eq!(sent(Operation::Alltoall, Pairwise), (15, 15_000));
    assert_eq!(sent(Operation::Alltoall, Bruck), (4, 32_000));
}

#[test]
fn a_million_nodes_are_refused_with_what_they_would_take() {
    let linear = collective(Operation::Alltoall, 8);
    let refused = linear
        .program(Algorithm::Linear, 1_000_000, 1 << 20)
        .unwrap_err();
    assert!(refused.contains("GB of memory"), "{refused}");
}
