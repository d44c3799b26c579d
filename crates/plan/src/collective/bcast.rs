//! The first node's slots go to all.

use super::gather::{copy, ring};
use super::moves::{Mover, Slots};

/// A chain passes on pieces of so many bytes.
const PIECE_BYTES: u64 = 64 << 10;

/// In round k each of the first 2^k nodes, which have it, sends all to the 2^k-th behind it.
pub fn binomial(to: &mut dyn Mover) {
    let nodes = to.nodes();
    let mut having = 1;
    while having < nodes {
        let behind = (0..having).filter(|node| node + having < nodes);
        let give = |node: u32| copy(node, node + having, Slots::all(nodes));
        to.round(&behind.map(give).collect::<Vec<_>>());
        having *= 2;
    }
}

/// Halves of halves go down a tree until each node has its own slot; then a ring gathers them (R. van de Geijn; as in
/// R. Thakur, R. Rabenseifner and W. Gropp, Int. J. of High Performance Computing Applications 19(1), 2005).
pub fn scatter_allgather(to: &mut dyn Mover) {
    let nodes = to.nodes();
    let mut stride = nodes.next_power_of_two();
    while stride > 1 {
        let half = stride / 2;
        let holders = (0..nodes).step_by(stride as usize);
        let give = |node: u32| {
            let first = node + half;
            let count = half.min(nodes - first);
            copy(node, first, Slots::Range { first, count })
        };
        let moves = holders.filter(|node| node + half < nodes).map(give);
        to.round(&moves.collect::<Vec<_>>());
        stride = half;
    }
    ring(to);
}

/// Each passes pieces on to the next while further ones come in.
pub fn chain(to: &mut dyn Mover) {
    let nodes = to.nodes();
    let pieces = to.bytes().div_ceil(PIECE_BYTES).clamp(1, nodes.into()) as u32;
    let bound = |piece: u32| (u64::from(nodes) * u64::from(piece) / u64::from(pieces)) as u32;
    for round in 0..pieces + nodes - 2 {
        let holders = (0..nodes - 1).filter(|node| *node <= round && round - node < pieces);
        let pass = |node: u32| {
            let (first, end) = (bound(round - node), bound(round - node + 1));
            let count = end - first;
            copy(node, node + 1, Slots::Range { first, count })
        };
        to.round(&holders.map(pass).collect::<Vec<_>>());
    }
}
