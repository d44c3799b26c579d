//! What there is to do together, and in which ways.

json_enum! {
    /// What nodes do together with a buffer that has a part for each of them.
    #[derive(Hash)]
    pub enum Operation {
        /// All have the sum of all buffers.
        Allreduce = "allreduce",
        /// All have the part of each.
        Allgather = "allgather",
        /// Each has the part of every other one that is for it.
        Alltoall = "alltoall",
        /// All have what the first has.
        Bcast = "bcast",
        /// Each has its own part of the sum of all buffers.
        ReduceScatter = "reduce-scatter",
    }
}

json_enum! {
    /// A way to do it.
    pub enum Algorithm {
        Ring = "ring",
        RecursiveDoubling = "recursive-doubling",
        RecursiveHalving = "recursive-halving",
        Rabenseifner = "rabenseifner",
        Binomial = "binomial",
        Hierarchical = "hierarchical",
        Bruck = "bruck",
        Pairwise = "pairwise",
        Linear = "linear",
        ScatterAllgather = "scatter-allgather",
        Chain = "chain",
        NeighborExchange = "neighbor-exchange",
        /// As an MPI library has it, in whichever way it chooses.
        Library = "library",
        /// Stands for all of those that weft has itself.
        All = "all",
    }
}

impl Operation {
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
