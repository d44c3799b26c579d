//! Who sends to whom: a pattern expands into phases of transfers.

use serde::{Deserialize, Serialize};

use crate::error::Fault;
use crate::read::Section;

const DEFAULT_WINDOW: u32 = 64;
const MOST_WINDOW: u32 = 1 << 20;

/// A communication pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Pattern {
    /// A message there and the same back.
    Pingpong,
    /// One direction: `window` messages, then one acknowledgement.
    Stream { window: u32 },
}

/// One message, or one of many alike, from a node to a node (indices into the run's nodes).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Transfer {
    pub src: u32,
    pub dst: u32,
    pub bytes: u64,
}

/// The transfers that run at the same time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Phase {
    /// Position in the step.
    pub index: u32,
    pub size_bytes: u64,
    pub transfers: Vec<Transfer>,
}

impl Pattern {
    /// The pattern's name in a plan.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Pingpong => "pingpong",
            Self::Stream { .. } => "stream",
        }
    }

    /// Nodes that the pattern needs when each must be another one.
    pub fn nodes(&self) -> u32 {
        match self {
            Self::Pingpong | Self::Stream { .. } => 2,
        }
    }

    /// The transfers of one message of this size; with a single node it sends to itself.
    pub(crate) fn transfers(&self, bytes: u64, nodes: u32) -> Vec<Transfer> {
        let peer = u32::from(nodes > 1);
        let there = Transfer {
            src: 0,
            dst: peer,
            bytes,
        };
        match self {
            Self::Pingpong => vec![
                there,
                Transfer {
                    src: peer,
                    dst: 0,
                    bytes,
                },
            ],
            Self::Stream { .. } => vec![there],
        }
    }

    /// Reads the `pattern` of a step, with the parameters that are the pattern's own.
    pub(crate) fn read(step: &Section) -> Result<Self, Fault> {
        let default = Self::Stream {
            window: DEFAULT_WINDOW,
        };
        let known = [("pingpong", Self::Pingpong), ("stream", default)];
        match step.choice("pattern", &known)? {
            Some(Self::Stream { window }) => read_stream(step, window),
            Some(pattern) => step
                .only_for("window", "pattern = \"stream\"")
                .map(|()| pattern),
            None => Err(step.refuse("pattern", "give a pattern: pingpong or stream")),
        }
    }
}

fn read_stream(step: &Section, default: u32) -> Result<Pattern, Fault> {
    let window = step.count("window", 1..=MOST_WINDOW)?.unwrap_or(default);
    Ok(Pattern::Stream { window })
}
