//! X-ray: phases that are chosen during the run, by what is still undecided.

use serde::{Deserialize, Serialize};

use super::{Ensemble, Wrong, searched};
use crate::error::Result;
use crate::positions;
use crate::reading::Section;
use crate::stop::StopRule;

/// The keys of a step that are its own.
pub(crate) const KEYS: [&str; 4] = ["nodes", "network", "time", "quick"];

const DEFAULT_TIME_NS: u64 = 60_000_000_000;

/// A search whose phases are chosen while it runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Xray {
    /// All of the testbed's where absent.
    pub nodes: Option<Vec<u32>>,
    /// The search ends after this long, decided or not.
    pub time_ns: u64,
    /// Only which nodes and uplinks are not like the others.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub quick: bool,
}

impl Xray {
    pub(crate) fn read(step: &Section) -> Result<Self> {
        Ok(Self {
            nodes: positions::read_nodes(step)?,
            time_ns: step.time("time")?.unwrap_or(DEFAULT_TIME_NS),
            quick: step.flag("quick")?.unwrap_or(false),
        })
    }
}

impl Ensemble for Xray {
    fn nodes(&self) -> Option<&[u32]> {
        self.nodes.as_deref()
    }

    fn suits(&self, sizes: &[u64], stop: &StopRule) -> Result<(), Wrong> {
        searched::suits("xray", sizes, stop)
    }
}
