//! What a plan may ask for at most.

/// What the caller's machine allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The largest message; more would not fit the machine's memory.
    pub max_message_bytes: u64,
}

/// The most nodes that a step may have.
pub(crate) const MOST_NODES: u32 = 4096;
/// The most transfers that a step may have in all of its phases: an unphased all-to-all of 2048 nodes.
pub(crate) const MOST_TRANSFERS: u64 = 1 << 22;
