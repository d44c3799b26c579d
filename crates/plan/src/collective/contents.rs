//! What slots hold before a collective and after it, by the names of what was put in, and the bytes that stand for it.
//!
//! The elements are bytes, and are added modulo 256, as MPI_SUM does of MPI_UINT8_T: sums come out the same in any order, and
//! a buffer can be of any size.

use std::ops::Range;

use super::Operation;

/// Which contributions a slot has, and how often: by node, or by source and destination.
pub type Content = Vec<(u32, u32)>;

/// Neighbours in a slot are weighed differently, by so many weights: another content has the same bytes by chance only
/// once in 256 to this power.
const WEIGHTS: usize = 8;

/// A part of the buffer and what its bytes are made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stretch {
    pub range: Range<u64>,
    pub weights: [u8; WEIGHTS],
}

/// What a slot holds in the beginning.
pub fn before(operation: Operation, nodes: u32, node: u32, slot: u32) -> Content {
    match operation {
        Operation::Allreduce | Operation::ReduceScatter => vec![(node, 0)],
        Operation::Allgather if node == slot => vec![(node, 0)],
        Operation::Alltoall => vec![(node, (node + slot) % nodes)],
        Operation::Bcast if node == 0 => vec![(0, slot)],
        Operation::Allgather | Operation::Bcast => Vec::new(),
    }
}

/// What it must hold in the end; none where it does not matter.
pub fn after(operation: Operation, nodes: u32, node: u32, slot: u32) -> Option<Content> {
    let sum = || (0..nodes).map(|one| (one, 0)).collect();
    match operation {
        Operation::Allreduce => Some(sum()),
        Operation::ReduceScatter => (node == slot).then(sum),
        Operation::Allgather => Some(vec![(slot, 0)]),
        Operation::Alltoall => Some(vec![((node + nodes - slot) % nodes, node)]),
        Operation::Bcast => Some(vec![(0, slot)]),
    }
}

/// What the bytes of a content are made of.
pub fn weights_of(content: &[(u32, u32)]) -> [u8; WEIGHTS] {
    let mut weights = [0_u8; WEIGHTS];
    for (which, weight) in weights.iter_mut().enumerate() {
        let each = content.iter().map(|one| weight_of(*one, which));
        *weight = each.fold(0, u8::wrapping_add);
    }
    weights
}

/// The bytes of a content whose first byte is at `offset` of the buffer.
pub fn bytes_of(content: &[(u32, u32)], offset: u64) -> impl Iterator<Item = u8> {
    let weights = weights_of(content);
    (offset..).map(move |at| {
        let element = ((at ^ (at >> 8)) as u8) << 1 | 1;
        weights[at as usize % WEIGHTS].wrapping_mul(element)
    })
}

impl Stretch {
    /// Whether another goes on where this one ends, with the same bytes.
    fn is_continued_by(&self, other: &Self) -> bool {
        self.range.end == other.range.start && self.weights == other.weights
    }
}

/// As few stretches as say the same, without empty ones.
pub fn joined(stretches: impl IntoIterator<Item = Stretch>) -> Vec<Stretch> {
    let mut all: Vec<Stretch> = Vec::new();
    for one in stretches {
        match all.last_mut() {
            _ if one.range.is_empty() => {}
            Some(last) if last.is_continued_by(&one) => last.range.end = one.range.end,
            _ => all.push(one),
        }
    }
    all
}

fn weight_of((node, other): (u32, u32), which: usize) -> u8 {
    let mixed = (u64::from(node) << 35 | u64::from(other) << 3 | which as u64)
        .wrapping_add(1)
        .wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed ^ mixed >> 29)
        .wrapping_mul(0xbf58_476d_1ce4_e5b9)
        .to_be_bytes()[0]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(content: &[(u32, u32)]) -> Vec<u8> {
        bytes_of(content, 1000).take(64).collect()
    }

    #[test]
    fn bytes_of_a_sum_are_the_sum_of_bytes() {
        let [one, other, both] = [&[(3, 0)][..], &[(4, 1)], &[(4, 1), (3, 0)]].map(bytes);
        let added: Vec<u8> = one
            .iter()
            .zip(&other)
            .map(|(a, b)| a.wrapping_add(*b))
            .collect();
        assert_eq!(added, both);
    }

    #[test]
    fn what_is_missing_twice_or_another_s_is_seen() {
        let right = bytes(&[(0, 0), (1, 0), (2, 0), (3, 0)]);
        for wrong in [
            &[(0, 0), (1, 0), (2, 0)][..],
            &[(0, 0), (1, 0), (2, 0), (2, 0)],
            &[(1, 0), (1, 0), (2, 0), (2, 0)],
            &[],
        ] {
            assert_ne!(bytes(wrong), right);
        }
        assert_ne!(bytes(&[(0, 1)]), bytes(&[(1, 0)]));
    }
}
