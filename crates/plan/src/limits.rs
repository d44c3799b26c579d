//! What a plan may ask for at most.

/// What the caller's machine allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The largest message; more would not fit the machine's memory.
    pub max_message_bytes: u64,
}

/// How far a step may reach, given what carries it out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reach {
    /// The most nodes that it may have.
    pub most_nodes: u32,
    /// The most transfers that all phases asked for may have.
    pub most_transfers: u64,
}

impl Reach {
    /// With an agent on each node.
    pub const AGENTS: Self = Self {
        most_nodes: MOST_NODES,
        most_transfers: MOST_TRANSFERS,
    };
    /// In a simulator, some phases at a time: about 2 GB for all that is kept of so many transfers.
    pub const SIMULATOR: Self = Self {
        most_nodes: 1 << 20,
        most_transfers: 1 << 24,
    };
}

/// The most nodes that a step with agents may have, and that it may name.
pub(crate) const MOST_NODES: u32 = 4096;
/// The most transfers that a step may have in all of its phases: an unphased all-to-all of 2048 nodes.
pub(crate) const MOST_TRANSFERS: u64 = 1 << 22;
