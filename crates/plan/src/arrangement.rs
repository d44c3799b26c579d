//! Which pairs of processes run at the same time, over which interfaces.

use serde::{Deserialize, Serialize};

json_enum! {
    /// How pairs use the interfaces of their nodes.
    pub enum Policy {
        /// One pair, over each interface in turn: what the others are compared with.
        Isolated = "alone",
        /// Pair i over interface i; where there are fewer interfaces they take turns.
        Independent = "independent",
        /// All pairs over the first interface.
        Shared = "shared",
        /// Each pair stripes its messages over connections, one for each interface.
        Striped = "striped",
        /// Each pair has a Multipath TCP connection.
        Mptcp = "mptcp",
        /// All pairs over the first interface that bonds others.
        Bonded = "bonded",
        /// Inside one node, over shared memory.
        Memory = "memory",
    }
}

/// What runs at the same time: so many pairs under a policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Arrangement {
    pub policy: Policy,
    pub pairs: u32,
    /// The interface of the first pair.
    pub first: u32,
}
