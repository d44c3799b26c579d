//! What fills the network beside a victim.

use toml::Value;

use crate::error::Result;
use crate::reading::{Section, did_you_mean};

json_enum! {
    /// Which nodes send to which, over and over.
    pub enum Congestor {
        /// All others to the first.
        Incast = "incast",
        /// Each to all others in turn.
        Alltoall = "alltoall",
        /// The first to all others in turn.
        Broadcast = "broadcast",
        /// Each to the one half of them further on.
        Permutation = "permutation",
        /// All of these at once, each among as many nodes of its own.
        Mixed = "mixed",
    }
}

/// What a mixed congestor is made of.
const PARTS: [Congestor; 4] = [
    Congestor::Incast,
    Congestor::Alltoall,
    Congestor::Broadcast,
    Congestor::Permutation,
];
/// That one of them takes.
const LEAST_NODES: usize = 2;

impl Congestor {
    /// Those of a step, each once.
    pub(super) fn read(step: &Section) -> Result<Vec<Self>> {
        let found = step.value("congestors", read_list)?;
        found.ok_or_else(|| step.refuse("congestors", right()))
    }

    /// By member: to which members it sends, in turn.
    pub(super) fn targets(self, members: &[u32]) -> Vec<Vec<u32>> {
        if self == Self::Mixed {
            return mixed_targets(members);
        }
        let count = members.len();
        let behind = |at: usize, by: usize| members[(at + by) % count];
        let of = |at: usize| match (self, at) {
            (Self::Incast, 0) => Vec::new(),
            (Self::Incast, _) => vec![members[0]],
            (Self::Broadcast, 0) => members[1..].to_vec(),
            (Self::Broadcast, _) => Vec::new(),
            (Self::Alltoall, at) => (1..count).map(|by| behind(at, by)).collect(),
            (Self::Permutation | Self::Mixed, at) => vec![behind(at, count / 2)],
        };
        (0..count).map(of).collect()
    }
}

/// Members are dealt to the parts in turn; where they are too few, to the first ones only.
fn mixed_targets(members: &[u32]) -> Vec<Vec<u32>> {
    let parts = &PARTS[..PARTS.len().min(members.len() / LEAST_NODES).max(1)];
    let mut found = vec![Vec::new(); members.len()];
    for (first, part) in parts.iter().enumerate() {
        let places = (first..members.len()).step_by(parts.len());
        let own: Vec<u32> = places.clone().map(|at| members[at]).collect();
        for (at, targets) in places.zip(part.targets(&own)) {
            found[at] = targets;
        }
    }
    found
}

fn read_list(value: &Value) -> Result<Vec<Congestor>, String> {
    let list = value.as_array().filter(|list| !list.is_empty());
    let mut found = Vec::new();
    for one in list.ok_or_else(right)? {
        let name = one.as_str().ok_or_else(right)?;
        let congestor = Congestor::named(name).ok_or_else(|| unknown(name))?;
        if !found.contains(&congestor) {
            found.push(congestor);
        }
    }
    Ok(found)
}

fn unknown(name: &str) -> String {
    let names = Congestor::ALL.map(Congestor::name);
    let nearest = did_you_mean(name, names.into_iter());
    format!(
        "unknown congestor {name:?}{nearest}; known: {}",
        names.join(", ")
    )
}

fn right() -> String {
    let names = Congestor::ALL.map(Congestor::name).join(", ");
    format!("must be a list of some of: {names}; such as [\"incast\"]")
}
