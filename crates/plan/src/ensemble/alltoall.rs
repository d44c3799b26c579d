//! All-to-all personalised communication (AAPC): each node has a block for each other node.

use serde::{Deserialize, Serialize};

use super::Ensemble;
use crate::error::Result;
use crate::phase::Transfer;
use crate::positions;
use crate::reading::Section;

/// The keys of a step that are its own.
pub(crate) const KEYS: [&str; 3] = ["nodes", "network", "mode"];

/// Each node sends to each other node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AllToAll {
    /// All of the testbed's where absent.
    pub nodes: Option<Vec<u32>>,
    pub mode: Mode,
}

json_enum! {
    /// When an all-to-all sends what.
    pub enum Mode {
        /// In phase i node k sends to k+i mod n: each sends one block and receives one at a time.
        Phased = "phased",
        /// All n(n-1) at once.
        Unphased = "unphased",
    }
}

impl AllToAll {
    pub(crate) fn read(step: &Section) -> Result<Self> {
        Ok(Self {
            nodes: positions::read_nodes(step)?,
            mode: step.choice("mode", &Mode::NAMED)?.unwrap_or(Mode::Phased),
        })
    }
}

impl Ensemble for AllToAll {
    fn nodes(&self) -> Option<&[u32]> {
        self.nodes.as_deref()
    }

    fn transfers(&self, members: u64) -> u64 {
        members * members.saturating_sub(1)
    }

    fn rounds(&self, members: &[u32], bytes: u64) -> Vec<Vec<Transfer>> {
        let phases = (1..members.len()).map(|distance| shift(members, distance, bytes));
        match self.mode {
            Mode::Phased => phases.collect(),
            Mode::Unphased => vec![phases.flatten().collect()],
        }
    }

    /// Without making them: there may be many.
    fn round_count(&self, members: &[u32]) -> usize {
        match self.mode {
            Mode::Phased => members.len() - 1,
            Mode::Unphased => 1,
        }
    }

    fn round(&self, members: &[u32], bytes: u64, number: usize) -> Vec<Transfer> {
        match self.mode {
            Mode::Phased => shift(members, number + 1, bytes),
            Mode::Unphased => self.rounds(members, bytes).swap_remove(number),
        }
    }
}

/// Every member sends to the one so far behind it, round and round.
pub(super) fn shift(members: &[u32], distance: usize, bytes: u64) -> Vec<Transfer> {
    let partners = members.iter().cycle().skip(distance);
    let transfer = |(src, dst): (&u32, &u32)| Transfer::new(*src, *dst, bytes);
    members.iter().zip(partners).map(transfer).collect()
}
