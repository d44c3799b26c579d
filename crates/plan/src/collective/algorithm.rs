//! What there is to do together, and in which ways.

use serde::{Deserialize, Serialize};

/// What nodes do together with a buffer that has a part for each of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Operation {
    /// All have the sum of all buffers.
    Allreduce,
    /// All have the part of each.
    Allgather,
    /// Each has the part of every other one that is for it.
    Alltoall,
    /// All have what the first has.
    Bcast,
    /// Each has its own part of the sum of all buffers.
    ReduceScatter,
}

/// A way to do it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Algorithm {
    Ring,
    RecursiveDoubling,
    RecursiveHalving,
    Rabenseifner,
    Binomial,
    Hierarchical,
    Bruck,
    Pairwise,
    Linear,
    ScatterAllgather,
    Chain,
    NeighborExchange,
    /// As an MPI library has it, in whichever way it chooses.
    Library,
    /// Stands for all of those that weft has itself.
    All,
}

impl Operation {
    /// By the names that plans have for them.
    pub(crate) const NAMED: [(&'static str, Self); 5] = [
        ("allreduce", Self::Allreduce),
        ("allgather", Self::Allgather),
        ("alltoall", Self::Alltoall),
        ("bcast", Self::Bcast),
        ("reduce-scatter", Self::ReduceScatter),
    ];

    /// Its name in a plan.
    pub fn name(self) -> &'static str {
        let found = Self::NAMED.iter().find(|(_, one)| *one == self);
        found.expect("every operation has a name").0
    }

    /// The ways that weft has to do it.
    pub fn algorithms(self) -> &'static [Algorithm] {
        use Algorithm::{
            Binomial, Bruck, Chain, Hierarchical, Linear, NeighborExchange, Pairwise, Rabenseifner,
            RecursiveDoubling, RecursiveHalving, Ring, ScatterAllgather,
        };
        match self {
            Self::Allreduce => &[
                RecursiveDoubling,
                Rabenseifner,
                Ring,
                Binomial,
                Hierarchical,
            ],
            Self::Allgather => &[RecursiveDoubling, Bruck, NeighborExchange, Ring],
            Self::Alltoall => &[Bruck, Pairwise, Linear],
            Self::Bcast => &[Binomial, ScatterAllgather, Chain],
            Self::ReduceScatter => &[RecursiveHalving, Pairwise, Ring],
        }
    }
}

impl Operation {
    /// What there must be of nodes for an algorithm.
    pub(super) fn needs(self, algorithm: Algorithm) -> Option<Need> {
        match (self, algorithm) {
            (Self::Allgather, Algorithm::RecursiveDoubling)
            | (Self::ReduceScatter, Algorithm::RecursiveHalving) => Some(Need::Power),
            (_, Algorithm::NeighborExchange) => Some(Need::Even),
            _ => None,
        }
    }
}

impl Algorithm {
    /// Its name in a plan.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ring => "ring",
            Self::RecursiveDoubling => "recursive-doubling",
            Self::RecursiveHalving => "recursive-halving",
            Self::Rabenseifner => "rabenseifner",
            Self::Binomial => "binomial",
            Self::Hierarchical => "hierarchical",
            Self::Bruck => "bruck",
            Self::Pairwise => "pairwise",
            Self::Linear => "linear",
            Self::ScatterAllgather => "scatter-allgather",
            Self::Chain => "chain",
            Self::NeighborExchange => "neighbor-exchange",
            Self::Library => "library",
            Self::All => "all",
        }
    }
}

/// How many nodes an algorithm needs.
#[derive(Clone, Copy, Debug)]
pub(super) enum Need {
    Power,
    Even,
}

impl Need {
    pub(super) fn is_met(self, nodes: usize) -> bool {
        match self {
            Self::Power => nodes.is_power_of_two(),
            Self::Even => nodes % 2 == 0,
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Power => "a power of two nodes",
            Self::Even => "an even number of nodes",
        }
    }
}
