//! How hosts get their ports: `attach` of `[[hosts]]`, and `[[attachments]]` for further networks.

use std::collections::HashMap;

use weft_plan::Fault;
use weft_plan::reading::{Result, Section};

use crate::draft::{Draft, list_names, read_set};
use crate::fabric::Link;
use crate::link_keys::{read_link, unshaped_link};
use crate::node_set;

/// Where the hosts of an entry go.
pub struct Places {
    switches: Vec<String>,
    /// How many of the entry's hosts each switch takes; as many as it has ports where absent.
    per_switch: Option<u32>,
    link: Link,
}

impl Draft {
    /// Reads where the hosts of an entry of `[[hosts]]` go, if they go anywhere.
    pub fn read_places(&self, section: &Section<'_>) -> Result<Option<Places>> {
        let per_switch = section.count("per_switch", 1..=1_000_000)?;
        let attach = section.parsed("attach", node_set::expand)?;
        let link_section = section.section("link")?;
        section.finish()?;
        let Some(switches) = attach else {
            return match (link_section, per_switch) {
                (None, None) => Ok(None),
                (Some(_), _) => {
                    let message = "a link to nowhere; add attach = \"SWITCH\" or remove it";
                    Err(section.refuse("link", message))
                }
                _ => Err(section.refuse("per_switch", "add attach = \"SWITCH\" or remove it")),
            };
        };
        let link = match link_section {
            None => unshaped_link(),
            Some(section) => {
                let link = read_link(&section, self.scale)?;
                section.finish()?;
                link
            }
        };
        Ok(Some(Places {
            switches,
            per_switch,
            link,
        }))
    }

    /// Reads one entry of `[[attachments]]`, which gives its hosts one more interface.
    pub fn read_attachment(&mut self, section: &Section<'_>) -> Result<()> {
        let hosts = read_set(section, "hosts", "n[1-4]")?;
        section.required_text("attach", "switch2")?;
        for host in &hosts {
            self.check_host(section, "hosts", host)?;
        }
        let Some(places) = self.read_places(section)? else {
            return Ok(());
        };
        for mut link in self.attach(section, &hosts, &places)? {
            let interfaces = self.links().filter(|other| other.joins(&link.ends[0]));
            link.network = interfaces.count() as u32;
            self.host_links.push(link);
        }
        Ok(())
    }

    /// The links of hosts to switches, which are filled in order, each up to its number of ports.
    pub fn attach(
        &mut self,
        section: &Section<'_>,
        hosts: &[String],
        places: &Places,
    ) -> Result<Vec<Link>> {
        self.check_switches(section, places)?;
        let mut links = Vec::new();
        let mut taken: HashMap<&str, u32> = HashMap::new();
        for host in hosts {
            let has_room = |name: &str| {
                let here = taken.get(name).copied().unwrap_or_default();
                places.per_switch.is_none_or(|most| here < most) && self.has_free_port(name)
            };
            let switch = places.switches.iter().find(|switch| has_room(switch));
            let switch = switch.ok_or_else(|| no_room(section, host, places))?;
            *taken.entry(switch).or_default() += 1;
            *self.ports_used.entry(switch.clone()).or_default() += 1;
            links.push(Link {
                ends: [host.clone(), switch.clone()],
                ..places.link.clone()
            });
        }
        Ok(links)
    }

    fn check_switches(&self, section: &Section<'_>, places: &Places) -> Result<()> {
        for name in &places.switches {
            let Some(switch) = self.switch(name) else {
                let known = list_names(self.switches.iter().map(|s| s.name.as_str()));
                let message = format!("unknown switch {name:?}; the switches are {known}");
                return Err(section.refuse("attach", message));
            };
            let is_bounded = switch.ports.is_some() || places.per_switch.is_some();
            if places.switches.len() > 1 && !is_bounded {
                let message = format!(
                    "{name:?} needs a number of ports to be filled in order, or this entry per_switch"
                );
                return Err(section.refuse("attach", message));
            }
        }
        Ok(())
    }

    fn has_free_port(&self, name: &str) -> bool {
        let used = self.ports_used.get(name).copied().unwrap_or_default();
        self.switch(name)
            .is_some_and(|switch| switch.ports.is_none_or(|ports| used < ports))
    }
}

fn no_room(section: &Section<'_>, host: &str, places: &Places) -> Fault {
    let more = match places.per_switch {
        None => "more ports or fewer hosts",
        Some(_) => "more switches, more ports, a larger per_switch or fewer hosts",
    };
    section.refuse("attach", format!("no port left for {host:?}; {more}"))
}
