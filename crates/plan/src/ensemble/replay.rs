//! A program that comes with the run, such as the trace of an application.

use serde::{Deserialize, Serialize};

use super::Ensemble;
use crate::collective::Ways;
use crate::error::Result;
use crate::phase::Transfer;
use crate::positions;
use crate::reading::Section;

/// The keys of a step that are its own.
pub(crate) const KEYS: [&str; 7] = [
    "nodes",
    "trace",
    "rendezvous",
    "compute",
    "trials",
    "groups",
    "algorithms",
];

/// LogGOPSim's default.
const DEFAULT_RENDEZVOUS_BYTES: u64 = 65_535;

/// Rank r of the program is the r-th of the nodes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Replay {
    /// The testbed's first, as many as there are ranks, where absent.
    pub nodes: Option<Vec<u32>>,
    /// Longer messages wait for their receive; as the format has it where absent.
    pub rendezvous_bytes: Option<u64>,
    /// The file that holds it, or the folder of its files; none until a run names one.
    pub trace: Option<String>,
    /// Of a trace of Chakra: a file that says which ranks process groups have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub groups: Option<String>,
    /// Of a trace of Chakra: in which ways its collectives go.
    #[serde(default)]
    pub algorithms: Ways,
    /// How agents compute; the testbed decides where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compute: Option<Compute>,
    /// Of the content of all files, once they have been read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
}

impl Replay {
    pub(crate) fn read(step: &Section) -> Result<Self> {
        let trace = step.text("trace")?.filter(|path| !path.is_empty());
        Ok(Self {
            nodes: positions::read_nodes(step)?,
            trace: trace.map(str::to_owned),
            groups: step.text("groups")?.map(str::to_owned),
            algorithms: Ways::read(step)?,
            compute: read_compute(step)?,
            sha256: None,
            rendezvous_bytes: step.size_or_zero("rendezvous")?,
        })
    }
}

json_enum! {
    /// How an agent spends the time that a program computes.
    pub enum Compute {
        /// It keeps the processor, and looks after messages meanwhile.
        Spin = "spin",
        /// It leaves the processor to others, so that many nodes can share one.
        Sleep = "sleep",
        /// It calculates as much as takes so long on a processor that does nothing else.
        Work = "work",
    }
}

/// How agents compute, where it is said.
pub(crate) fn read_compute(step: &Section) -> Result<Option<Compute>> {
    step.choice("compute", &Compute::NAMED)
}

/// From how many bytes on a message waits for its receive.
pub(crate) fn read_rendezvous(step: &Section) -> Result<u64> {
    let bytes = step.size_or_zero("rendezvous")?;
    Ok(bytes.unwrap_or(DEFAULT_RENDEZVOUS_BYTES))
}

/// Its messages depend on each other, so that none of them are a set that begins at once: phases have no transfers.
impl Ensemble for Replay {
    fn nodes(&self) -> Option<&[u32]> {
        self.nodes.as_deref()
    }

    fn rounds(&self, _members: &[u32], _bytes: u64) -> Vec<Vec<Transfer>> {
        vec![Vec::new()]
    }
}
