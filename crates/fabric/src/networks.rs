//! Which network a link between switches belongs to: that of the hosts it joins.

use std::collections::HashMap;

use weft_plan::reading::{Result, Section};

use crate::draft::Draft;

impl Draft {
    /// Gives each link between switches the network of the hosts around it. Switches that serve two
    /// networks are refused: the fabric would have loops.
    pub fn assign_networks(&mut self, root: &Section<'_>) -> Result<()> {
        let islands = self.islands();
        let mut network_of: HashMap<&String, u32> = HashMap::new();
        for link in self.links().filter(|link| !self.joins_switches(&link.ends)) {
            let Some(switch) = link.ends.iter().find(|end| islands.contains_key(*end)) else {
                continue;
            };
            let network = *network_of.entry(&islands[switch]).or_insert(link.network);
            if network != link.network {
                let message = format!(
                    "the switch {switch:?} belongs to network {} and to network {}; each needs \
                     switches of its own",
                    network.min(link.network) + 1,
                    network.max(link.network) + 1
                );
                return Err(root.refuse("attachments", message));
            }
        }
        for link in &mut self.trunks {
            let island = islands.get(&link.ends[0]);
            let network = island.and_then(|island| network_of.get(island));
            link.network = network.copied().unwrap_or_default();
        }
        Ok(())
    }

    /// For each switch the name of one that stands for all it is connected with.
    fn islands(&self) -> HashMap<String, String> {
        let mut island_of: HashMap<String, String> = self
            .switches
            .iter()
            .map(|switch| (switch.name.clone(), switch.name.clone()))
            .collect();
        let parts = self.switches.iter().filter_map(|switch| {
            let parent = switch.parent.as_ref()?;
            Some((&switch.name, parent))
        });
        let links = self.trunks.iter().map(|link| link.ends.each_ref().into());
        for (one, other) in parts.chain(links) {
            let (Some(from), Some(to)) = (island_of.get(one), island_of.get(other)) else {
                continue;
            };
            let (from, to) = (from.clone(), to.clone());
            let members = island_of.values_mut().filter(|island| **island == from);
            members.for_each(|island| island.clone_from(&to));
        }
        island_of
    }

    fn joins_switches(&self, ends: &[String; 2]) -> bool {
        ends.iter().all(|end| self.is_switch(end))
    }
}
