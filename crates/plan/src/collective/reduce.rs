//! Slots of all nodes are added up.

use super::gather::{copy, doubling as gather_doubling};
use super::moves::{Move, Mover, Slots};

/// Each adds what it gets to its own and passes it on: in round k node i sends slot i - 1 - k, and has slot i at the end.
pub fn scatter_ring(to: &mut dyn Mover) {
    let nodes = to.nodes();
    for round in 0..nodes - 1 {
        let slot = |node: u32| Slots::one((node + 2 * nodes - 1 - round) % nodes);
        let pass = |node: u32| add(node, (node + 1) % nodes, slot(node));
        to.round(&(0..nodes).map(pass).collect::<Vec<_>>());
    }
}

/// In round k each node sends to the k-th behind it that one's slot, to be added.
pub fn pairwise(to: &mut dyn Mover) {
    let nodes = to.nodes();
    for distance in 1..nodes {
        let give = |node: u32| {
            let other = (node + distance) % nodes;
            add(node, other, Slots::one(other))
        };
        to.round(&(0..nodes).map(give).collect::<Vec<_>>());
    }
}

/// Nodes that differ in the highest bit exchange the halves that the other one is in, then those of the next bit. For a
/// power of two.
pub fn halving(to: &mut dyn Mover) {
    let nodes = to.nodes();
    for bit in (0..nodes.ilog2()).rev() {
        let count = 1 << bit;
        let give = |node: u32| {
            let other = node ^ count;
            let first = other & !(count - 1);
            add(node, other, Slots::Range { first, count })
        };
        to.round(&(0..nodes).map(give).collect::<Vec<_>>());
    }
}

/// Nodes that differ in a bit exchange and add all, bit by bit.
pub fn doubling(to: &mut dyn Mover) {
    folded(to, &mut |core| {
        let (count, all) = (core.nodes(), Slots::all(core.nodes()));
        for bit in 0..count.ilog2() {
            let give = |node: u32| add(node, node ^ (1 << bit), all);
            core.round(&(0..count).map(give).collect::<Vec<_>>());
        }
    });
}

/// Sums are scattered by halving and gathered by doubling (R. Rabenseifner, ICCS 2004).
pub fn rabenseifner(to: &mut dyn Mover) {
    folded(to, &mut |core| {
        halving(core);
        gather_doubling(core);
    });
}

/// A binomial tree to the first node, and back.
pub fn binomial(to: &mut dyn Mover) {
    let members: Vec<u32> = (0..to.nodes()).collect();
    tree_up(to, &[&members]);
    tree_down(to, &[&members]);
}

/// Trees in groups of neighbours, doubling among the first of each, and trees back.
pub fn hierarchical(to: &mut dyn Mover, group: u32) {
    let members: Vec<u32> = (0..to.nodes()).collect();
    let groups: Vec<&[u32]> = members.chunks(group as usize).collect();
    let firsts: Vec<u32> = groups.iter().map(|group| group[0]).collect();
    tree_up(to, &groups);
    doubling(&mut Members {
        members: firsts,
        inner: to,
    });
    tree_down(to, &groups);
}

/// All trees side by side.
fn tree_up(to: &mut dyn Mover, groups: &[&[u32]]) {
    for distance in distances(groups) {
        to.round(&tree_moves(
            to.nodes(),
            groups,
            distance,
            |near, far, all| add(far, near, all),
        ));
    }
}

fn tree_down(to: &mut dyn Mover, groups: &[&[u32]]) {
    for distance in distances(groups).into_iter().rev() {
        to.round(&tree_moves(to.nodes(), groups, distance, copy));
    }
}

/// Of neighbours in the trees, the nearest first.
fn distances(groups: &[&[u32]]) -> Vec<usize> {
    let longest = groups.iter().map(|group| group.len()).max().unwrap_or(1);
    let powers = std::iter::successors(Some(1usize), |distance| Some(2 * distance));
    powers.take_while(|distance| *distance < longest).collect()
}

fn tree_moves(
    nodes: u32,
    groups: &[&[u32]],
    distance: usize,
    make: impl Fn(u32, u32, Slots) -> Move,
) -> Vec<Move> {
    let mut moves = Vec::new();
    for group in groups {
        for position in (0..group.len()).step_by(2 * distance) {
            if let Some(far) = group.get(position + distance) {
                moves.push(make(group[position], *far, Slots::all(nodes)));
            }
        }
    }
    moves
}

/// Leaves the largest power of two of nodes: of the first ones each second adds its all to the next one before, and gets
/// all back behind.
fn folded(to: &mut dyn Mover, core: &mut dyn FnMut(&mut dyn Mover)) {
    let nodes = to.nodes();
    let power = 1 << nodes.ilog2();
    let pairs = nodes - power;
    let all = Slots::all(nodes);
    let joined = (0..pairs).map(|pair| add(2 * pair + 1, 2 * pair, all));
    let returned = (0..pairs).map(|pair| copy(2 * pair, 2 * pair + 1, all));
    if pairs > 0 {
        to.round(&joined.collect::<Vec<_>>());
    }
    let stays = |node: &u32| *node >= 2 * pairs || node % 2 == 0;
    let members = (0..nodes).filter(stays).collect();
    core(&mut Members { members, inner: to });
    if pairs > 0 {
        to.round(&returned.collect::<Vec<_>>());
    }
}

/// Some of the nodes as if they were all: each has a part of the slots of all.
struct Members<'a> {
    members: Vec<u32>,
    inner: &'a mut dyn Mover,
}

impl Mover for Members<'_> {
    fn nodes(&self) -> u32 {
        self.members.len() as u32
    }

    fn bytes(&self) -> u64 {
        self.inner.bytes()
    }

    fn round(&mut self, moves: &[Move]) {
        let outer = |one: &Move| Move {
            src: self.members[one.src as usize],
            dst: self.members[one.dst as usize],
            slots: self.spread(one.slots),
            ..*one
        };
        let moves: Vec<_> = moves.iter().map(outer).collect();
        self.inner.round(&moves);
    }
}

impl Members<'_> {
    /// Ranges of the members' slots as those of all.
    fn spread(&self, slots: Slots) -> Slots {
        let (all, own) = (u64::from(self.inner.nodes()), u64::from(self.nodes()));
        let outer = |slot: u32| (all * u64::from(slot) / own) as u32;
        match slots {
            Slots::Range { first, count } => {
                let (from, to) = (outer(first), outer(first + count));
                Slots::Range {
                    first: from,
                    count: to - from,
                }
            }
            bits => bits,
        }
    }
}

/// A move that is added to what is there.
fn add(src: u32, dst: u32, slots: Slots) -> Move {
    let adds = true;
    Move {
        src,
        dst,
        slots,
        adds,
    }
}
