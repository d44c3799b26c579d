//! A ring: each node sends to the next at the same time.

use serde::{Deserialize, Serialize};

use super::{Ensemble, alltoall::shift};
use crate::error::Result;
use crate::phase::Transfer;
use crate::positions;
use crate::reading::Section;

/// The keys of a step that are its own.
pub(crate) const KEYS: [&str; 2] = ["nodes", "network"];

/// Node k sends to k+1 mod n.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ring {
    /// All of the testbed's where absent.
    pub nodes: Option<Vec<u32>>,
}

impl Ring {
    pub(crate) fn read(step: &Section) -> Result<Self> {
        let nodes = positions::read_nodes(step)?;
        Ok(Self { nodes })
    }
}

impl Ensemble for Ring {
    fn nodes(&self) -> Option<&[u32]> {
        self.nodes.as_deref()
    }

    fn transfers(&self, members: u64) -> u64 {
        members
    }

    fn rounds(&self, members: &[u32], bytes: u64) -> Vec<Vec<Transfer>> {
        vec![shift(members, 1, bytes)]
    }
}
