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

/// Neighbours in pairs exchange what they got last, with the one to either side in turn, so that no message goes farther than
/// to a neighbour (J. Chen, L. Zhang, Y. Zhang and W. Yuan, PDCAT 2005). For an even number of nodes.
pub fn neighbors(to: &mut dyn Mover) {
    let nodes = to.nodes();
    // What each node got last: of the first round its own slot, then the two of a pair.
    let mut held: Vec<u32> = (0..nodes).collect();
    for round in 0..nodes / 2 {
        let partner = |node: u32| match (node + round) % 2 {
            0 => (node + 1) % nodes,
            _ => (node + nodes - 1) % nodes,
        };
        let count = if round == 0 { 1 } else { 2 };
        let give = |node: u32| {
            let first = held[node as usize];
            copy(node, partner(node), Slots::Range { first, count })
        };
        to.round(&(0..nodes).map(give).collect::<Vec<_>>());
        held = (0..nodes)
            .map(|node| match round {
                0 => node & !1,
                _ => held[partner(node) as usize],
            })
            .collect();
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
