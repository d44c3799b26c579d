//! Which pairs of processes run at the same time, over which interfaces.

use serde::{Deserialize, Serialize};

/// How pairs use the interfaces of their nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Policy {
    /// One pair, over each interface in turn: what the others are compared with.
    #[serde(rename = "alone")]
    Isolated,
    /// Pair i over interface i; where there are fewer interfaces they take turns.
    Independent,
    /// All pairs over the first interface.
    Shared,
    /// Each pair stripes its messages over connections, one for each interface.
    Striped,
    /// Each pair has a Multipath TCP connection.
    Mptcp,
    /// All pairs over the first interface that bonds others.
    Bonded,
    /// Inside one node, over shared memory.
    Memory,
}

/// What runs at the same time: so many pairs under a policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Arrangement {
    pub policy: Policy,
    pub pairs: u32,
    /// The interface of the first pair.
    pub first: u32,
}
