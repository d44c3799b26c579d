//! What the coordinator asks of a node of a cast, and what the node says.

use std::net::{IpAddr, SocketAddr};

use serde::{Deserialize, Serialize};
use weft_plan::{Compression, Options};

use super::times::Spent;
use crate::listener::ports::PortRange;
use crate::listener::token::Token;

/// The first request, and the one before a cast.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Request {
    /// What is there? Nothing is changed.
    CastLook {
        job: Job,
    },
    CastOpen(Box<Opening>),
}

/// Whether it is one of these.
pub fn is_request(kind: Option<&str>) -> bool {
    matches!(kind, Some("cast_look" | "cast_open"))
}

/// A file on a node: the one that is cast, or one that is to become the same.
#[derive(Clone, Debug, Deserialize)]
pub struct Job {
    pub path: String,
    pub is_source: bool,
    /// That of the source; not looked at where it is not known yet.
    pub size_bytes: u64,
    pub chunk_bytes: u64,
    pub overwrite: bool,
    pub compress: Option<Compression>,
    /// What an earlier cast has left does not count.
    pub is_fresh: bool,
}

/// Open the file, and listen on each address.
#[derive(Debug, Deserialize)]
pub struct Opening {
    pub job: Job,
    /// This agent's index among the run's nodes.
    pub node: u32,
    /// One measured address for each network.
    pub addresses: Vec<IpAddr>,
    pub ports: Option<PortRange>,
    pub options: Options,
    pub token: Token,
    pub patience_ms: u64,
    /// The run's start on this node's CLOCK_MONOTONIC.
    pub epoch_ns: i64,
}

/// What may follow while a cast goes on.
#[derive(Debug, Deserialize)]
#[serde(tag = "type")]
pub enum Next {
    /// That node connects, over all networks.
    #[serde(rename = "cast_accept")]
    Accept { generation: u32, from: u32 },
    /// Send on to a node that listens there, on each network; without addresses this is the last.
    #[serde(rename = "cast_connect")]
    Connect {
        generation: u32,
        peers: Vec<SocketAddr>,
    },
    /// The end; the file gets its name if it is whole.
    #[serde(rename = "cast_over")]
    Over { is_good: bool },
}

/// Which of a node's neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    Predecessor,
    Successor,
}

#[derive(Clone, Debug, Serialize)]
#[serde(tag = "type")]
pub enum Reply {
    #[serde(rename = "cast_looked")]
    Looked { size_bytes: u64 },
    #[serde(rename = "cast_opened")]
    Opened { ports: Vec<u16> },
    /// Said at intervals.
    #[serde(rename = "cast_alive")]
    Alive {
        #[serde(flatten)]
        spent: Spent,
    },
    /// A connection ended, or did not come about; the link goes on over the other networks, if it has any.
    #[serde(rename = "cast_broken")]
    Broken {
        generation: u32,
        side: Side,
        network: u32,
        reason: String,
    },
    /// This node cannot read, or write, the file any more.
    #[serde(rename = "cast_failed")]
    Failed { message: String },
    /// All is there, and on the disk.
    #[serde(rename = "cast_whole")]
    Whole { hash: String },
    #[serde(rename = "cast_done")]
    Done {
        #[serde(flatten)]
        spent: Spent,
        rejected: u64,
        /// The source has been written to since it was read.
        has_changed: bool,
    },
}
