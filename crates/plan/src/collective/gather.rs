//! All nodes get the slots of all.

use super::moves::{Move, Mover, Slots};

/// Each passes on to the next what it got last: in round k node i sends slot i - k.
pub fn ring(to: &mut dyn Mover) {
    ring_from(to, 0);
}

/// The same where node i begins with slot i + shift.
pub fn ring_from(to: &mut dyn Mover, shift: u32) {
    let nodes = to.nodes();
    for round in 0..nodes - 1 {
        let slot = |node: u32| Slots::one((node + shift + nodes - round) % nodes);
        let pass = |node: u32| copy(node, (node + 1) % nodes, slot(node));
        to.round(&(0..nodes).map(pass).collect::<Vec<_>>());
    }
}

/// In round k nodes whose numbers differ in bit k exchange all that they have. For a power of two.
pub fn doubling(to: &mut dyn Mover) {
    let nodes = to.nodes();
    for bit in 0..nodes.ilog2() {
        let count = 1 << bit;
        let held = |node: u32| Slots::Range {
            first: node & !(count - 1),
            count,
        };
        let give = |node: u32| copy(node, node ^ count, held(node));
        to.round(&(0..nodes).map(give).collect::<Vec<_>>());
    }
}

/// In round k node i sends what it has, slots from i on, to node i - 2^k (J. Bruck et al., IEEE Trans. on Parallel and
/// Distributed Systems 8(11), 1997).
pub fn bruck(to: &mut dyn Mover) {
    let nodes = to.nodes();
    let mut distance = 1;
    while distance < nodes {
        let count = distance.min(nodes - distance);
        let give = |node: u32| {
            let held = Slots::Range { first: node, count };
            copy(node, (node + nodes - distance) % nodes, held)
        };
        to.round(&(0..nodes).map(give).collect::<Vec<_>>());
        distance *= 2;
    }
}

/// A move that takes the place of what is there.
pub fn copy(src: u32, dst: u32, slots: Slots) -> Move {
    let adds = false;
    Move {
        src,
        dst,
        slots,
        adds,
    }
}
