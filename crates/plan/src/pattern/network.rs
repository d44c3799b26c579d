//! Which of their nodes' networks the transfers of a step take.

use serde::{Deserialize, Serialize};
use toml::Value;

use crate::error::Result;
use crate::phase::Phase;
use crate::reading::{Section, count};
use crate::transport::Transport;

pub(crate) const KEY: &str = "network";
const MOST_NETWORKS: u32 = 64;

/// The network of a step between many nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Network {
    /// By its position, from 0.
    One(u32),
    /// Each that the testbed has, in steps of their own; as long as no testbed is known, the first.
    All(Each),
}

/// The word for all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Each {
    Each,
}

impl Network {
    /// Reads a number from 1, or "each". An MPI chooses interfaces itself, so that "each" is nothing to it.
    pub(crate) fn read(step: &Section, transport: Transport) -> Result<Option<Self>> {
        let found = step.value(KEY, |value| match value {
            Value::String(text) if text == "each" => Ok(Self::All(Each::Each)),
            _ => count(value, 1..=MOST_NETWORKS)
                .map(|number| Self::One(number - 1))
                .map_err(|_| {
                    format!("must be a number from 1 to {MOST_NETWORKS}, or \"each\" for one after the other")
                }),
        })?;
        if transport != Transport::Mpi {
            return Ok(found);
        }
        if matches!(found, Some(Self::One(_))) {
            step.only_for(KEY, "transport = \"tcp\": an MPI chooses interfaces itself")?;
        }
        Ok(None)
    }

    /// Lets the transfers of phases take it.
    pub(crate) fn set(self, phases: &mut [Phase]) {
        let Self::One(network) = self else { return };
        let transfers = phases.iter_mut().flat_map(|phase| &mut phase.transfers);
        transfers.for_each(|transfer| transfer.network = network);
    }
}
