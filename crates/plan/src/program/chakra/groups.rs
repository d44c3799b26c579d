//! Process groups: which ranks a collective is among.

use std::collections::HashMap;

use serde::Deserialize;

use super::file::File;
use super::schema::Node;

/// What a converter calls the node that lists them.
const LISTED_IN: &str = "process_group:init";

/// By name, the ranks of each in their order.
type Named = HashMap<String, Vec<u32>>;

/// Those that are given for all ranks, and those that each rank's trace lists.
#[derive(Debug)]
pub struct Groups {
    given: Named,
    listed: Vec<Named>,
}

#[derive(Deserialize)]
struct Listed {
    pg_name: String,
    ranks: Vec<u32>,
}

impl Groups {
    /// `given` is a JSON object such as `{"0": [0, 1]}`, as ASTRA-sim takes it.
    pub fn read(files: &[File], given: Option<&str>) -> Result<Self, String> {
        let given = given.map_or(Ok(Named::new()), serde_json::from_str);
        let groups = Self {
            given: given
                .map_err(|why| format!("process groups: {why}; write {{\"0\": [0, 1]}}"))?,
            listed: files.iter().map(listed).collect::<Result<_, _>>()?,
        };
        groups.check()?;
        Ok(groups)
    }

    /// The ranks of a group of a rank; all where it has no name, or lists none.
    pub fn of(&self, rank: u32, name: &str) -> Option<Vec<u32>> {
        let listed = self.listed[rank as usize].get(name);
        let found = listed.or_else(|| self.given.get(name));
        match found.map(Vec::as_slice) {
            None if !name.is_empty() => None,
            None | Some([]) => Some((0..self.listed.len() as u32).collect()),
            Some(ranks) => Some(ranks.to_vec()),
        }
    }

    fn check(&self) -> Result<(), String> {
        let there = self.listed.len();
        for (name, ranks) in self.listed.iter().chain([&self.given]).flatten() {
            if let Some(rank) = ranks.iter().find(|rank| **rank as usize >= there) {
                return Err(format!(
                    "process group {name:?} has rank {rank}, and there are traces of {there}, counted from 0"
                ));
            }
            let mut sorted = ranks.clone();
            sorted.sort_unstable();
            if let Some(twice) = sorted.windows(2).find(|two| two[0] == two[1]) {
                return Err(format!(
                    "process group {name:?} has rank {} twice",
                    twice[0]
                ));
            }
        }
        Ok(())
    }
}

fn listed(file: &File) -> Result<Named, String> {
    let nodes = file.nodes.iter().filter(|one| one.name.contains(LISTED_IN));
    let mut found = Named::new();
    for node in nodes {
        for one in listed_in(file, node)? {
            found.insert(one.pg_name, one.ranks);
        }
    }
    Ok(found)
}

/// What a node lists: JSON that is the only text of a list, `['[{"pg_name": "0", "ranks": [0, 1]}]']`.
fn listed_in(file: &File, node: &Node) -> Result<Vec<Listed>, String> {
    let values = node.inputs.as_ref().map_or("", |inputs| &inputs.values);
    let Some((first, last)) = values.find('{').zip(values.rfind('}')) else {
        return Ok(Vec::new());
    };
    let listed = values.get(first..=last).unwrap_or_default();
    serde_json::from_str(&format!("[{listed}]"))
        .map_err(|why| file.wrong(node, &format!("its process groups cannot be read ({why})")))
}
