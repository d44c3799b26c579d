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

    /// The ways that there are to do it.
    pub fn algorithms(self) -> &'static [Algorithm] {
        use Algorithm::{
            Binomial, Bruck, Chain, Hierarchical, Linear, Pairwise, Rabenseifner,
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
            Self::Allgather => &[RecursiveDoubling, Bruck, Ring],
            Self::Alltoall => &[Bruck, Pairwise, Linear],
            Self::Bcast => &[Binomial, ScatterAllgather, Chain],
            Self::ReduceScatter => &[RecursiveHalving, Pairwise, Ring],
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
        }
    }
}
