//! Every ordered pair once, in rounds of disjoint pairs: a matrix without congestion at the nodes.

use serde::{Deserialize, Serialize};

use super::{Duplex, Ensemble, Wrong, given};
use crate::error::Result;
use crate::phase::{Transfer, Work};
use crate::positions;
use crate::reading::Section;

/// Every ordered pair once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Matrix {
    /// All of the testbed's where absent.
    pub nodes: Option<Vec<u32>>,
    pub measure: Measure,
    /// Of rates; a ping-pong goes both ways by itself.
    pub duplex: Option<Duplex>,
}

/// What is measured of each pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    Rate,
    /// One ping-pong for both directions of a pair.
    Latency,
}

const MEASURES: [(&str, Measure); 2] = [("rate", Measure::Rate), ("latency", Measure::Latency)];

impl Matrix {
    pub(crate) fn read(step: &Section) -> Result<Self> {
        let measure = step.choice("measure", &MEASURES)?.unwrap_or(Measure::Rate);
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
        })
    }

    fn round(&self, pairs: Vec<(u32, u32)>, bytes: u64) -> Vec<Vec<Transfer>> {
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

    fn lists(&self) -> Vec<(&'static str, &[u32])> {
        given([("nodes", &self.nodes)])
    }

    fn check(&self) -> Result<(), Wrong> {
        match (self.measure, self.duplex) {
            (Measure::Latency, Some(_)) => {
                Err(("duplex", "belongs to measure = \"rate\"".to_owned()))
            }
            (Measure::Rate, None) => Err(("duplex", "give \"half\" or \"full\"".to_owned())),
            _ => Ok(()),
        }
    }

    fn transfers(&self, members: u64) -> u64 {
        members * members.saturating_sub(1)
    }

    fn rounds(&self, members: &[u32], bytes: u64) -> Vec<Vec<Transfer>> {
        let rounds = circle(members).into_iter();
        rounds.flat_map(|pairs| self.round(pairs, bytes)).collect()
    }
}

/// The circle method of round-robin tournaments: the last seat stays, the others move on by one each round.
///
/// With an odd number the last seat is empty and the node paired with it sits out. Every unordered pair once.
fn circle(members: &[u32]) -> Vec<Vec<(u32, u32)>> {
    let seats = members.len().next_multiple_of(2);
    let moving = seats - 1;
    let pair = |round: usize, i: usize| match i {
        0 => (round, moving),
        _ => ((round + i) % moving, (round + moving - i) % moving),
    };
    let member = |(a, b): (usize, usize)| Some((*members.get(a)?, *members.get(b)?));
    let round = |round| {
        (0..seats / 2)
            .filter_map(|i| member(pair(round, i)))
            .collect()
    };
    (0..moving).map(round).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_meet_in_three_rounds_and_three_too() {
        assert_eq!(
            circle(&[0, 1, 2, 3]),
            [[(0, 3), (1, 2)], [(1, 3), (2, 0)], [(2, 3), (0, 1)]]
        );
        assert_eq!(circle(&[7, 8, 9]), [[(8, 9)], [(9, 7)], [(7, 8)]]);
        assert_eq!(circle(&[4, 2]), [[(4, 2)]]);
    }
}
