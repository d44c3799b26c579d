//! Random permutations and bisections, the same for the same seed on every machine.

use rand_pcg::Pcg64;
use rand_pcg::rand_core::{RngCore, SeedableRng};
use serde::{Deserialize, Serialize};

use super::{Duplex, Ensemble, Wrong, check_count};
use crate::error::Result;
use crate::phase::Transfer;
use crate::positions;
use crate::reading::Section;

/// The keys of a step that are its own.
pub(crate) const KEYS: [&str; 5] = ["nodes", "network", "permutations", "seed", "shape"];

const DEFAULT_PERMUTATIONS: u32 = 10;
const MOST_PERMUTATIONS: u32 = 10_000;
const DEFAULT_SEED: u32 = 1;

/// Each node sends to one other and receives from one other, chosen at random.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Random {
    /// All of the testbed's where absent.
    pub nodes: Option<Vec<u32>>,
    /// Each is a phase.
    pub permutations: u32,
    pub seed: u32,
    pub shape: Shape,
}

json_enum! {
    /// What is drawn by chance.
    pub enum Shape {
        /// A permutation in which no node sends to itself.
        Permutation = "permutation",
        /// Two halves, paired across, both ways at once; one of an odd number sits out.
        Bisection = "bisection",
    }
}

impl Random {
    pub(crate) fn read(step: &Section) -> Result<Self> {
        let permutations = step.count("permutations", 1..=MOST_PERMUTATIONS)?;
        Ok(Self {
            nodes: positions::read_nodes(step)?,
            permutations: permutations.unwrap_or(DEFAULT_PERMUTATIONS),
            seed: step.count("seed", 0..=u32::MAX)?.unwrap_or(DEFAULT_SEED),
            shape: step
                .choice("shape", &Shape::NAMED)?
                .unwrap_or(Shape::Permutation),
        })
    }

    fn round(&self, members: &[u32], bytes: u64, chance: &mut Pcg64) -> Vec<Transfer> {
        match self.shape {
            Shape::Permutation => {
                let partners = derangement(members, chance);
                Duplex::Half.transfers(members.iter().copied().zip(partners), bytes)
            }
            Shape::Bisection => {
                let all = shuffled(members, chance);
                let (one, other) = all.split_at(all.len() / 2);
                let pairs = one.iter().copied().zip(other.iter().copied());
                Duplex::Full.transfers(pairs, bytes)
            }
        }
    }
}

impl Ensemble for Random {
    fn nodes(&self) -> Option<&[u32]> {
        self.nodes.as_deref()
    }

    fn check(&self) -> Result<(), Wrong> {
        check_count("permutations", self.permutations, MOST_PERMUTATIONS)
    }

    fn transfers(&self, members: u64) -> u64 {
        members * u64::from(self.permutations)
    }

    /// Each size meets the same permutations, so that sizes can be compared.
    fn rounds(&self, members: &[u32], bytes: u64) -> Vec<Vec<Transfer>> {
        let mut chance = Pcg64::seed_from_u64(u64::from(self.seed));
        let mut round = |_| self.round(members, bytes, &mut chance);
        (0..self.permutations).map(&mut round).collect()
    }
}

/// Members in an order that leaves none in its place: shuffled again until it is so, about e times on average,
/// which keeps all such orders equally likely. There must be two members or more.
fn derangement(members: &[u32], chance: &mut Pcg64) -> Vec<u32> {
    loop {
        let order = shuffled(members, chance);
        if order.iter().zip(members).all(|(one, other)| one != other) {
            return order;
        }
    }
}

/// Fisher and Yates's shuffle, written out: a crate's may draw differently in its next version.
pub(crate) fn shuffled(members: &[u32], chance: &mut Pcg64) -> Vec<u32> {
    let mut order = members.to_vec();
    for last in (1..order.len()).rev() {
        order.swap(last, below(last as u32 + 1, chance) as usize);
    }
    order
}

/// SplitMix64's finaliser: every bit of the input changes half of the output (G. Steele, D. Lea and C. Flood, "Fast
/// splittable pseudorandom number generators", OOPSLA 2014).
#[inline]
pub fn mixed(number: u64) -> u64 {
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

/// A number below `bound`, all equally likely: numbers of an incomplete last block are drawn again.
fn below(bound: u32, chance: &mut Pcg64) -> u32 {
    let complete = u32::MAX - u32::MAX % bound;
    loop {
        let drawn = chance.next_u32();
        if drawn < complete {
            return drawn % bound;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What seed 1 draws; these numbers change only in a commit that says why.
    #[test]
    fn a_seed_draws_the_same_for_ever() {
        let mut chance = Pcg64::seed_from_u64(1);
        let members: Vec<u32> = (0..8).collect();
        assert_eq!(derangement(&members, &mut chance), [2, 6, 7, 5, 0, 4, 3, 1]);
        assert_eq!(derangement(&members, &mut chance), [7, 5, 3, 1, 2, 6, 4, 0]);
    }
}
