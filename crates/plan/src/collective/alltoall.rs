//! Each node sends a slot to each other one: slot j of a node goes to the j-th behind it.

use super::gather::copy;
use super::moves::{Move, Mover, Slots};

/// In round k each node sends to the k-th behind it, and receives from the k-th before it.
pub fn pairwise(to: &mut dyn Mover) {
    for distance in 1..to.nodes() {
        to.round(&shift(to.nodes(), distance));
    }
}

/// All at once.
pub fn linear(to: &mut dyn Mover) {
    let nodes = to.nodes();
    let moves = (1..nodes).flat_map(|distance| shift(nodes, distance));
    to.round(&moves.collect::<Vec<_>>());
}

/// In round k all slots whose way has 2^k in it go that far, those of other nodes too (J. Bruck et al., IEEE Trans. on
/// Parallel and Distributed Systems 8(11), 1997).
pub fn bruck(to: &mut dyn Mover) {
    let nodes = to.nodes();
    let mut bit = 0;
    while 1 << bit < nodes {
        let give = |node: u32| copy(node, (node + (1 << bit)) % nodes, Slots::WithBit(bit));
        to.round(&(0..nodes).map(give).collect::<Vec<_>>());
        bit += 1;
    }
}

fn shift(nodes: u32, distance: u32) -> Vec<Move> {
    let give = |node: u32| copy(node, (node + distance) % nodes, Slots::one(distance));
    (0..nodes).map(give).collect()
}
