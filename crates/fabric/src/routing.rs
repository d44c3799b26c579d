//! How a path is chosen where a fabric has several.

use serde::{Deserialize, Serialize};
use weft_plan::reading::{Result, Section};

/// What chooses the path between two hosts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Routing {
    /// There is one way only: switches and links form a tree.
    #[default]
    Tree,
    /// Fewest links; of several such paths the one whose links stand first in the file.
    Shortest,
    /// Fewest links; of several such paths each pair of hosts takes one by a hash, as equal-cost multi-path does.
    Hash { seed: u32 },
}

impl Routing {
    /// Reads `routing` and `routing_seed`.
    pub fn read(root: &Section<'_>) -> Result<Self> {
        let seed = root.count("routing_seed", 0..=u32::MAX)?;
        let routing = match root.text("routing")? {
            None | Some("tree") => Self::Tree,
            Some("shortest") => Self::Shortest,
            Some("hash") => Self::Hash {
                seed: seed.unwrap_or(1),
            },
            Some(_) => {
                let message = "must be \"tree\", \"shortest\" or \"hash\"";
                return Err(root.refuse("routing", message));
            }
        };
        match (seed, routing) {
            (Some(_), Self::Tree | Self::Shortest) => {
                Err(root.refuse("routing_seed", "belongs to routing = \"hash\"; remove it"))
            }
            _ => Ok(routing),
        }
    }
}
