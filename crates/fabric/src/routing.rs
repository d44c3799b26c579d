//! How a path is chosen where a fabric has several.

use serde::{Deserialize, Serialize};
use weft_plan::reading::{Result, Section};

use crate::hash;
use crate::quantity::Nanoseconds;

/// What chooses the path between two hosts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Routing {
    /// There is one way only: switches and links form a tree.
    #[default]
    Tree,
    /// Fewest links; of several such paths the one whose links stand first in the file.
    Shortest,
    /// Fewest links; of several such paths a hash takes one, as equal-cost multi-path does.
    Hash(Hashing),
}

/// How switches hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hashing {
    pub seed: u32,
    #[serde(default)]
    pub fields: Fields,
    #[serde(default)]
    pub unit: Unit,
    /// Whether all switches hash alike, so that those behind a choice all choose the same again.
    #[serde(default)]
    pub polarised: bool,
}

/// What of a packet is hashed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fields {
    /// Addresses, protocol and ports.
    #[default]
    FiveTuple,
    /// Addresses alone: all connections of a pair take one path.
    Addresses,
}

/// What stays together on a path.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    /// All that hashes alike.
    #[default]
    Flow,
    /// What of a flow follows within a gap; what comes later takes another path, by chance.
    Flowlet { gap_ns: Nanoseconds },
    /// Each packet takes a path by chance.
    Packet,
}

const DEFAULT_GAP: Nanoseconds = Nanoseconds(500_000);
const KEYS: [&str; 5] = [
    "routing_seed",
    "routing_fields",
    "routing_unit",
    "routing_gap",
    "routing_polarised",
];

impl Routing {
    /// Reads `routing` and the keys that belong to a hash.
    pub fn read(root: &Section<'_>) -> Result<Self> {
        let routing = match root.text("routing")? {
            None | Some("tree") => Self::Tree,
            Some("shortest") => Self::Shortest,
            Some("hash") => return Hashing::read(root).map(Self::Hash),
            Some(_) => {
                let message = "must be \"tree\", \"shortest\" or \"hash\"";
                return Err(root.refuse("routing", message));
            }
        };
        match KEYS.into_iter().find(|key| root.get(key).is_some()) {
            Some(key) => Err(root.refuse(key, "belongs to routing = \"hash\"; remove it")),
            None => Ok(routing),
        }
    }

    /// How switches hash, where they do.
    pub fn hashing(self) -> Option<Hashing> {
        match self {
            Self::Hash(hashing) => Some(hashing),
            Self::Tree | Self::Shortest => None,
        }
    }
}

impl Hashing {
    fn read(root: &Section<'_>) -> Result<Self> {
        let fields = match root.text("routing_fields")? {
            None | Some("five-tuple") => Fields::FiveTuple,
            Some("addresses") => Fields::Addresses,
            Some(_) => {
                let message = "must be \"five-tuple\" or \"addresses\"";
                return Err(root.refuse("routing_fields", message));
            }
        };
        Ok(Self {
            seed: root.count("routing_seed", 0..=u32::MAX)?.unwrap_or(1),
            fields,
            unit: read_unit(root)?,
            polarised: root.flag("routing_polarised")?.unwrap_or(false),
        })
    }

    /// What a flow between two hosts hashes to. Ports are none where a packet has none.
    pub fn of_flow(self, src: usize, dst: usize, ports: Option<[u16; 2]>) -> u64 {
        let pair = hash::of_pair(u64::from(self.seed), src as u64, dst as u64);
        match (self.fields, ports) {
            (Fields::FiveTuple, Some([from, to])) => {
                hash::mixed(pair ^ u64::from(from) << 16 ^ u64::from(to))
            }
            _ => pair,
        }
    }

    /// Which of so many paths a switch takes for what hashes to so much.
    pub fn choice(self, hashed: u64, switch: usize, paths: usize) -> usize {
        // Switches in a row would else all choose alike.
        let own = if self.polarised { 0 } else { switch as u64 };
        (hash::mixed(hashed ^ own) % paths.max(1) as u64) as usize
    }
}

fn read_unit(root: &Section<'_>) -> Result<Unit> {
    let gap = root.parsed("routing_gap", Nanoseconds::parse)?;
    let unit = match root.text("routing_unit")? {
        None | Some("flow") => Unit::Flow,
        Some("packet") => Unit::Packet,
        Some("flowlet") => {
            let gap_ns = gap.unwrap_or(DEFAULT_GAP);
            return Ok(Unit::Flowlet { gap_ns });
        }
        Some(_) => {
            let message = "must be \"flow\", \"flowlet\" or \"packet\"";
            return Err(root.refuse("routing_unit", message));
        }
    };
    match gap {
        Some(_) => Err(root.refuse(
            "routing_gap",
            "belongs to routing_unit = \"flowlet\"; remove it",
        )),
        None => Ok(unit),
    }
}
