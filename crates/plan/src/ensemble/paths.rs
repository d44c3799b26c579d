//! Paths: phases that are chosen during the run, to tell apart the paths between switches by the ports of connections.

use serde::{Deserialize, Serialize};

use super::{Ensemble, Wrong, searched};
use crate::error::Result;
use crate::positions;
use crate::reading::Section;
use crate::stop::StopRule;

/// The keys of a step that are its own.
pub(crate) const KEYS: [&str; 4] = ["nodes", "network", "time", "ports"];

const DEFAULT_TIME_NS: u64 = 120_000_000_000;
const DEFAULT_PORTS: u32 = 24;
const MOST_PORTS: u32 = 1024;

/// A search whose transfers have ports of their own, and whose phases are chosen while it runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Paths {
    /// All of the testbed's where absent.
    pub nodes: Option<Vec<u32>>,
    /// The search ends after this long, decided or not.
    pub time_ns: u64,
    /// Connections of different ports that are tried between two groups of nodes.
    pub ports: u32,
}

impl Paths {
    pub(crate) fn read(step: &Section) -> Result<Self> {
        Ok(Self {
            nodes: positions::read_nodes(step)?,
            time_ns: step.time("time")?.unwrap_or(DEFAULT_TIME_NS),
            ports: step
                .count("ports", 8..=MOST_PORTS)?
                .unwrap_or(DEFAULT_PORTS),
        })
    }
}

impl Ensemble for Paths {
    fn nodes(&self) -> Option<&[u32]> {
        self.nodes.as_deref()
    }

    fn suits(&self, sizes: &[u64], stop: &StopRule) -> Result<(), Wrong> {
        searched::suits("paths", sizes, stop)
    }
}
