//! A phase: the transfers that run at the same time.

use serde::{Deserialize, Serialize};

use crate::arrangement::Arrangement;

/// One message, or one of many alike, from a node to a node (indices into the run's nodes).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Transfer {
    pub src: u32,
    pub dst: u32,
    /// Bytes of one message.
    pub bytes: u64,
    /// Parallel connections: they share the repeats of a count rule, each runs for the time of a time rule.
    #[serde(default = "one")]
    pub streams: u32,
    /// Which of the fabric's networks it takes.
    #[serde(default)]
    pub network: u32,
    /// The sender's port, of which a network's hash makes a path; 0 where any will do. Further streams have those behind.
    #[serde(default, skip_serializing_if = "is_any")]
    pub port: u16,
}

/// What the transfers of a phase do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Work {
    /// One direction.
    Stream,
    /// There and back, the source of a transfer first.
    Pingpong,
    /// A chain: a node that receives forwards at the same time.
    Cast,
}

/// The transfers that run at the same time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Phase {
    /// Position in the step.
    pub index: u32,
    pub size_bytes: u64,
    pub work: Work,
    pub transfers: Vec<Transfer>,
    /// Which pairs run at the same time, where there are several between two nodes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arrangement: Option<Arrangement>,
}

impl Transfer {
    /// One stream over the first network.
    pub fn new(src: u32, dst: u32, bytes: u64) -> Self {
        Self {
            src,
            dst,
            bytes,
            streams: one(),
            network: 0,
            port: 0,
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
fn is_any(port: &u16) -> bool {
    *port == 0
}

fn one() -> u32 {
    1
}
