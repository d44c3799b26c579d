//! Health: rounds of random partners until each node and leaf is known to be like the others, or not to be.

use serde::{Deserialize, Serialize};

use super::{Ensemble, Wrong, searched};
use crate::error::Result;
use crate::positions;
use crate::reading::Section;
use crate::stop::StopRule;

/// The keys of a step that are its own.
pub(crate) const KEYS: [&str; 3] = ["nodes", "network", "time"];

const DEFAULT_TIME_NS: u64 = 60_000_000_000;

/// A search for what fails a little, whose phases are chosen while it runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Health {
    /// All of the testbed's where absent.
    pub nodes: Option<Vec<u32>>,
    /// The search ends after this long, decided or not.
    pub time_ns: u64,
}

impl Health {
    pub(crate) fn read(step: &Section) -> Result<Self> {
        Ok(Self {
            nodes: positions::read_nodes(step)?,
            time_ns: step.time("time")?.unwrap_or(DEFAULT_TIME_NS),
        })
    }
}

impl Ensemble for Health {
    fn nodes(&self) -> Option<&[u32]> {
        self.nodes.as_deref()
    }

    fn suits(&self, sizes: &[u64], stop: &StopRule) -> Result<(), Wrong> {
        searched::suits("health", sizes, stop)
    }
}
