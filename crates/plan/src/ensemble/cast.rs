//! A multi-drop chain: an image goes from node to node, and each sends it on while it still receives.

use serde::{Deserialize, Serialize};

use super::{CastFile, Ensemble, Wrong, check_count, streams::doubling};
use crate::error::Result;
use crate::phase::{Transfer, Work};
use crate::positions;
use crate::reading::Section;
use crate::stop::StopRule;

/// The keys of a step that are its own.
pub(crate) const KEYS: [&str; 8] = [
    "nodes",
    "chunk",
    "networks",
    "sweep",
    "file",
    "to",
    "overwrite",
    "compress",
];

const DEFAULT_CHUNK_BYTES: u64 = 64 << 10;
/// A node holds several chunks of each network.
const MOST_CHUNK_BYTES: u64 = 64 << 20;
const LEAST_FILE_CHUNK_BYTES: u64 = 4 << 10;
const MOST_NETWORKS: u32 = 2;

/// A chain over the nodes in order; the sizes are those of the image.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cast {
    /// All of the testbed's where absent.
    pub nodes: Option<Vec<u32>>,
    /// What a node receives before it sends it on.
    pub chunk_bytes: u64,
    /// With two, each carries half of the image at the same time.
    pub networks: u32,
    /// A phase for each chain of 2, 4, 8, ... nodes and all of them, not only for all of them.
    pub sweep: bool,
    /// Synthetic bytes where it is missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<CastFile>,
}

impl Cast {
    pub(crate) fn read(step: &Section) -> Result<Self> {
        Ok(Self {
            nodes: positions::read_nodes(step)?,
            chunk_bytes: step.size("chunk")?.unwrap_or(DEFAULT_CHUNK_BYTES),
            networks: step.count("networks", 1..=MOST_NETWORKS)?.unwrap_or(1),
            sweep: step.flag("sweep")?.unwrap_or(false),
            file: CastFile::read(step)?,
        })
    }

    /// Chunks of a file are parts of the tree that its hash is made of.
    fn check_file(&self) -> Result<(), Wrong> {
        if self.sweep {
            return Err((
                "sweep",
                "must be false: a file goes to all nodes".to_owned(),
            ));
        }
        if !self.chunk_bytes.is_power_of_two() || self.chunk_bytes < LEAST_FILE_CHUNK_BYTES {
            let right = "must be a power of two from 4 KiB to 64 MiB where a file is cast";
            return Err(("chunk", right.to_owned()));
        }
        Ok(())
    }

    fn chain(&self, members: &[u32], bytes: u64) -> Vec<Transfer> {
        let networks = u64::from(self.networks);
        let part = |network: u32| (bytes + networks - 1 - u64::from(network)) / networks;
        let link = |network, ends: &[u32]| Transfer {
            network,
            ..Transfer::new(ends[0], ends[1], part(network))
        };
        let links = |network| members.windows(2).map(move |ends| link(network, ends));
        (0..self.networks).flat_map(links).collect()
    }
}

impl Ensemble for Cast {
    fn work(&self) -> Work {
        Work::Cast
    }

    fn nodes(&self) -> Option<&[u32]> {
        self.nodes.as_deref()
    }

    fn check(&self) -> Result<(), Wrong> {
        if !(1..=MOST_CHUNK_BYTES).contains(&self.chunk_bytes) {
            return Err(("chunk", "must be at most 64 MiB, and positive".to_owned()));
        }
        if self.file.is_some() {
            self.check_file()?;
        }
        check_count("networks", self.networks, MOST_NETWORKS)
    }

    fn suits(&self, sizes: &[u64], stop: &StopRule) -> Result<(), Wrong> {
        if !matches!(stop, StopRule::Count { repeats: 1, .. }) {
            let right =
                "a trial casts the image once: { rule = \"count\", repeats = 1, trials = 1 }";
            return Err(("stop", right.to_owned()));
        }
        if sizes.iter().any(|bytes| *bytes < u64::from(self.networks)) {
            return Err((
                "sizes",
                "an image for two networks has at least 2 B".to_owned(),
            ));
        }
        Ok(())
    }

    fn transfers(&self, members: u64) -> u64 {
        // Below the whole chain the chains of a sweep have 1 + 3 + 7 + ... links, less than as many again.
        let chains = if self.sweep { 2 } else { 1 };
        chains * u64::from(self.networks) * members
    }

    fn rounds(&self, members: &[u32], bytes: u64) -> Vec<Vec<Transfer>> {
        let lengths = if self.sweep {
            doubling(2, members.len())
        } else {
            vec![members.len()]
        };
        let phase = |length: usize| self.chain(&members[..length], bytes);
        lengths.into_iter().map(phase).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_networks_carry_a_half_each_the_first_rounded_up() {
        let cast = Cast {
            nodes: None,
            chunk_bytes: 1,
            networks: 2,
            sweep: true,
            file: None,
        };
        let link = |src, dst, bytes, network| Transfer {
            network,
            ..Transfer::new(src, dst, bytes)
        };
        assert_eq!(
            cast.rounds(&[5, 6, 8], 7),
            [
                vec![link(5, 6, 4, 0), link(5, 6, 3, 1)],
                vec![
                    link(5, 6, 4, 0),
                    link(6, 8, 4, 0),
                    link(5, 6, 3, 1),
                    link(6, 8, 3, 1)
                ],
            ]
        );
    }
}
