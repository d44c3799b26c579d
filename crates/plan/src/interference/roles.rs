//! Which nodes are the victim's, and which the congestor's.

use rand_pcg::Pcg64;
use rand_pcg::rand_core::SeedableRng;

use crate::ensemble::shuffled;
use crate::error::Result;
use crate::reading::Section;

json_enum! {
    /// How nodes are divided.
    pub enum Placement {
        /// Those of either are as evenly among all as their numbers allow.
        Interleaved = "interleaved",
        /// As a seed draws them, which is what GPCNeT does.
        Random = "random",
        /// The first are the victim's.
        Blocks = "blocks",
    }
}

/// Ranks of a program, in rising order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Roles {
    pub victims: Vec<u32>,
    pub congestors: Vec<u32>,
}

impl Placement {
    pub(super) fn read(step: &Section) -> Result<Self> {
        let placement = step.choice("placement", &Self::NAMED)?;
        Ok(placement.unwrap_or(Self::Interleaved))
    }

    /// Divides so many nodes, of which a share is the victim's.
    pub(super) fn divide(self, nodes: usize, share: f64, seed: u32) -> Roles {
        let count = (share * nodes as f64).round() as usize;
        let is_victim: Vec<bool> = match self {
            Self::Interleaved => (0..nodes)
                .map(|at| at * count / nodes != (at + 1) * count / nodes)
                .collect(),
            Self::Blocks => (0..nodes).map(|at| at < count).collect(),
            Self::Random => drawn(nodes, count, seed),
        };
        let of = |side: bool| (0..).zip(&is_victim).filter(move |(_, one)| **one == side);
        Roles {
            victims: of(true).map(|(rank, _)| rank).collect(),
            congestors: of(false).map(|(rank, _)| rank).collect(),
        }
    }
}

fn drawn(nodes: usize, count: usize, seed: u32) -> Vec<bool> {
    let all: Vec<u32> = (0..nodes as u32).collect();
    let order = shuffled(&all, &mut Pcg64::seed_from_u64(seed.into()));
    let mut is_drawn = vec![false; nodes];
    order[..count]
        .iter()
        .for_each(|rank| is_drawn[*rank as usize] = true);
    is_drawn
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_node_has_one_role_and_the_victim_its_share() {
        for placement in Placement::ALL {
            for (nodes, share, victims) in [(8, 0.5, 4), (10, 0.2, 2), (7, 0.75, 5), (4, 0.0, 0)] {
                let roles = placement.divide(nodes, share, 1);
                assert_eq!(
                    roles.victims.len(),
                    victims,
                    "{placement:?} {nodes} {share}"
                );
                let mut all = [roles.victims, roles.congestors].concat();
                all.sort_unstable();
                assert_eq!(all, (0..nodes as u32).collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn interleaved_nodes_alternate_and_a_seed_draws_the_same_for_ever() {
        let victims = |placement: Placement| placement.divide(8, 0.5, 1).victims;
        assert_eq!(victims(Placement::Interleaved), [1, 3, 5, 7]);
        assert_eq!(victims(Placement::Blocks), [0, 1, 2, 3]);
        assert_eq!(victims(Placement::Random), [1, 3, 5, 6]);
    }
}
