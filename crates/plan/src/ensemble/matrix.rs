//! Every ordered pair once, or a sample of them, in rounds of disjoint pairs: a matrix without congestion at the nodes.

use rand_pcg::Pcg64;
use rand_pcg::rand_core::SeedableRng;
use serde::{Deserialize, Serialize};

use super::random::shuffled;
use super::{Duplex, Ensemble, Wrong, check_count};
use crate::error::Result;
use crate::limits::MOST_NODES;
use crate::phase::{Transfer, Work};
use crate::positions;
use crate::reading::Section;

/// The keys of a step that are its own.
pub(crate) const KEYS: [&str; 5] = ["nodes", "network", "measure", "duplex", "rounds"];

const MOST_ROUNDS: u32 = MOST_NODES;
const SEED: u64 = 1;

/// Every ordered pair once, or in some rounds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Matrix {
    /// All of the testbed's where absent.
    pub nodes: Option<Vec<u32>>,
    pub measure: Measure,
    /// Of rates; a ping-pong goes both ways by itself.
    pub duplex: Option<Duplex>,
    /// At most so many rounds of disjoint pairs; where all pairs take more, a sample of them. All where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rounds: Option<u32>,
}

json_enum! {
    /// What is measured of each pair.
    pub enum Measure {
        Rate = "rate",
        /// One ping-pong for both directions of a pair.
        Latency = "latency",
    }
}

impl Matrix {
    pub(crate) fn read(step: &Section) -> Result<Self> {
        let measure = step
            .choice("measure", &Measure::NAMED)?
            .unwrap_or(Measure::Rate);
        let duplex = match measure {
            Measure::Rate => Some(Duplex::read(step)?.unwrap_or(Duplex::Half)),
            Measure::Latency => {
                step.only_for("duplex", "measure = \"rate\"")?;
                None
            }
        };
        Ok(Self {
            nodes: positions::read_nodes(step)?,
            measure,
            duplex,
            rounds: step.count("rounds", 1..=MOST_ROUNDS)?,
        })
    }

    /// How many rounds of disjoint pairs there are of so many members.
    fn pairings(&self, members: usize) -> usize {
        let all = members.next_multiple_of(2).saturating_sub(1);
        self.rounds.map_or(all, |most| all.min(most as usize))
    }

    /// The disjoint pairs of one of the rounds.
    fn pairing(&self, members: &[u32], number: usize) -> Vec<(u32, u32)> {
        let all = members.len().next_multiple_of(2).saturating_sub(1);
        match self.pairings(members.len()) {
            kept if kept < all => sampled(members, kept, number),
            _ => circle(members, number),
        }
    }

    /// How many phases one round of disjoint pairs takes: two where each direction has its own.
    fn phases_of_round(&self) -> usize {
        match (self.measure, self.duplex) {
            (Measure::Rate, Some(Duplex::Half)) => 2,
            _ => 1,
        }
    }

    /// One round of disjoint pairs as phases.
    fn phases(&self, pairs: Vec<(u32, u32)>, bytes: u64) -> Vec<Vec<Transfer>> {
        let flipped = || pairs.iter().map(|(src, dst)| (*dst, *src));
        let upwards = || pairs.iter().map(|(a, b)| (*a.min(b), *a.max(b)));
        match (self.measure, self.duplex) {
            (Measure::Latency, _) => vec![Duplex::Half.transfers(upwards(), bytes)],
            (Measure::Rate, Some(Duplex::Full)) => vec![Duplex::Full.transfers(pairs, bytes)],
            (Measure::Rate, _) => vec![
                Duplex::Half.transfers(pairs.iter().copied(), bytes),
                Duplex::Half.transfers(flipped(), bytes),
            ],
        }
    }
}

impl Ensemble for Matrix {
    fn work(&self) -> Work {
        match self.measure {
            Measure::Rate => Work::Stream,
            Measure::Latency => Work::Pingpong,
        }
    }

    fn nodes(&self) -> Option<&[u32]> {
        self.nodes.as_deref()
    }

    fn check(&self) -> Result<(), Wrong> {
        if let Some(rounds) = self.rounds {
            check_count("rounds", rounds, MOST_ROUNDS)?;
        }
        match (self.measure, self.duplex) {
            (Measure::Latency, Some(_)) => {
                Err(("duplex", "belongs to measure = \"rate\"".to_owned()))
            }
            (Measure::Rate, None) => Err(("duplex", "give \"half\" or \"full\"".to_owned())),
            _ => Ok(()),
        }
    }

    fn transfers(&self, members: u64) -> u64 {
        let rounds = self.pairings(usize::try_from(members).unwrap_or(usize::MAX)) as u64;
        members * rounds
    }

    fn rounds(&self, members: &[u32], bytes: u64) -> Vec<Vec<Transfer>> {
        let rounds = (0..self.pairings(members.len())).map(|number| self.pairing(members, number));
        rounds.flat_map(|pairs| self.phases(pairs, bytes)).collect()
    }

    fn round_count(&self, members: &[u32]) -> usize {
        self.pairings(members.len()) * self.phases_of_round()
    }

    fn round(&self, members: &[u32], bytes: u64, number: usize) -> Vec<Transfer> {
        let each = self.phases_of_round();
        let pairs = self.pairing(members, number / each);
        self.phases(pairs, bytes).swap_remove(number % each)
    }
}

/// A round of the circle method of round-robin tournaments: the last seat stays, the others move on by one each round.
///
/// With an odd number the last seat is empty and the node paired with it sits out. Every unordered pair once.
fn circle(members: &[u32], round: usize) -> Vec<(u32, u32)> {
    let seats = members.len().next_multiple_of(2);
    let moving = seats - 1;
    let pair = |i: usize| match i {
        0 => (round, moving),
        _ => ((round + i) % moving, (round + moving - i) % moving),
    };
    let member = |(a, b): (usize, usize)| Some((*members.get(a)?, *members.get(b)?));
    (0..seats / 2).map(pair).filter_map(member).collect()
}

/// A round of a sample of all pairs that has `rounds` of them, no pair twice.
///
/// In the first half each member meets those next to it in the list, at distances of 1, 2, ...: names mostly follow
/// the racks. In the other half it meets others from all over, by the circle method on shuffled seats.
fn sampled(members: &[u32], rounds: usize, number: usize) -> Vec<(u32, u32)> {
    let reach = rounds / 4;
    if number < 2 * reach {
        return neighbours(members, number / 2 + 1, number % 2);
    }
    let moving = members.len().next_multiple_of(2) - 1;
    let mut seats: Vec<u32> = (0..members.len() as u32).collect();
    seats = shuffled(&seats, &mut Pcg64::seed_from_u64(SEED));
    let far = circle(&seats, (number - 2 * reach) * moving / (rounds - 2 * reach));
    let is_new = |(a, b): &(u32, u32)| a.abs_diff(*b) as usize > reach;
    let named = |(a, b): (u32, u32)| (members[a as usize], members[b as usize]);
    far.into_iter().filter(is_new).map(named).collect()
}

/// The pairs at a distance in the list: every other block of so many with the block after it.
fn neighbours(members: &[u32], distance: usize, first_block: usize) -> Vec<(u32, u32)> {
    let is_first = |at: &usize| (at / distance) % 2 == first_block;
    let pair = |at: usize| Some((members[at], *members.get(at + distance)?));
    (0..members.len())
        .filter(is_first)
        .filter_map(pair)
        .collect()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn four_meet_in_three_rounds_and_three_too() {
        let rounds = |members: &[u32]| -> Vec<_> {
            (0..members.len().next_multiple_of(2) - 1)
                .map(|number| circle(members, number))
                .collect()
        };
        assert_eq!(
            rounds(&[0, 1, 2, 3]),
            [[(0, 3), (1, 2)], [(1, 3), (2, 0)], [(2, 3), (0, 1)]]
        );
        assert_eq!(rounds(&[7, 8, 9]), [[(8, 9)], [(9, 7)], [(7, 8)]]);
        assert_eq!(rounds(&[4, 2]), [[(4, 2)]]);
    }

    #[test]
    fn a_sample_has_near_and_far_pairs_and_none_twice() {
        let members: Vec<u32> = (100..301).collect();
        let mut met = HashSet::new();
        for number in 0..20 {
            let pairs = sampled(&members, 20, number);
            assert!(pairs.len() >= 80, "round {number} has {}", pairs.len());
            let ends: HashSet<_> = pairs.iter().flat_map(|(a, b)| [*a, *b]).collect();
            assert_eq!(ends.len(), 2 * pairs.len());
            for (a, b) in pairs {
                assert!(met.insert((a.min(b), a.max(b))));
            }
        }
        let near = met.iter().filter(|(a, b)| b - a <= 5).count();
        assert_eq!(near, 5 * 201 - (1..=5).sum::<usize>());
        assert!(met.iter().filter(|(a, b)| b - a > 50).count() > 500);
    }
}
