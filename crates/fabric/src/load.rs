//! From a TOML file to a resolved fabric.

use std::collections::{BTreeMap, HashMap};

use crate::error::FabricError;
use crate::fabric::{Fabric, Host, Link, Price, Switch};
use crate::link_keys::{pair_ends, read_link, read_rate, unshaped_link};
use crate::node_set;
use crate::reader::{Section, Source};

type Result<T> = std::result::Result<T, FabricError>;

/// Reads a fabric description and multiplies its rates by `scale`.
///
/// `origin` is what messages call the text, usually its file name.
pub fn load(text: &str, origin: &str, scale: f64) -> Result<Fabric> {
    let source = Source { origin, text };
    if !(scale.is_finite() && (1e-6..=1e6).contains(&scale)) {
        let message = format!("{scale} is not possible; it must be from 0.000001 to 1000000");
        return Err(source.error(None, "scale", message));
    }
    let table = source.parse()?;
    Loader::new(scale).load(&Section::root(&source, &table))
}

/// What has been read so far.
struct Loader {
    scale: f64,
    hosts: Vec<Host>,
    switches: Vec<Switch>,
    links: Vec<Link>,
    ports_used: HashMap<String, u32>,
}

impl Loader {
    fn new(scale: f64) -> Self {
        Self {
            scale,
            hosts: Vec::new(),
            switches: Vec::new(),
            links: Vec::new(),
            ports_used: HashMap::new(),
        }
    }

    fn load(mut self, root: &Section<'_>) -> Result<Fabric> {
        let name = root.required_text("name", "fast-ethernet-pair")?.to_owned();
        let title = root.text("title")?.unwrap_or_default().to_owned();
        // Hosts refer to switches and links to both, in whatever order the file has them.
        let (hosts, switches) = (root.sections("hosts")?, root.sections("switches")?);
        let (links, cost) = (root.sections("links")?, read_cost(root)?);
        root.finish()?;
        switches
            .iter()
            .try_for_each(|section| self.read_switches(section))?;
        hosts
            .iter()
            .try_for_each(|section| self.read_hosts(section))?;
        links
            .iter()
            .try_for_each(|section| self.read_links(section))?;
        if self.hosts.is_empty() {
            return Err(root.error("hosts", "no hosts; write [[hosts]] with ids = \"n[1-2]\""));
        }
        let Self {
            scale,
            hosts,
            switches,
            links,
            ..
        } = self;
        Ok(Fabric {
            name,
            title,
            scale,
            hosts,
            switches,
            links,
            cost,
        })
    }

    fn read_switches(&mut self, section: &Section<'_>) -> Result<()> {
        let names = read_ids(section, "switch[1-2]")?;
        let ports = section.integer("ports", 1, 1_000_000)?;
        let capacity_bits_per_s = read_rate(section, "capacity", self.scale)?;
        section.finish()?;
        for name in names {
            self.refuse_known(section, &name)?;
            let parent = name.rsplit_once('/').map(|(parent, _)| parent.to_owned());
            self.switches.push(Switch {
                name,
                parent,
                ports,
                capacity_bits_per_s,
            });
        }
        Ok(())
    }

    fn read_hosts(&mut self, section: &Section<'_>) -> Result<()> {
        let names = read_ids(section, "n[1-4]")?;
        let link = section.section("link")?;
        let attach = section.parsed("attach", node_set::expand)?;
        section.finish()?;
        for name in &names {
            self.refuse_known(section, name)?;
            self.hosts.push(Host { name: name.clone() });
        }
        match (attach, link) {
            (None, None) => Ok(()),
            (None, Some(_)) => {
                let message = "a link to nowhere; add attach = \"SWITCH\" or remove it";
                Err(section.error("link", message))
            }
            (Some(switches), link) => self.attach(section, &names, &switches, link.as_ref()),
        }
    }

    /// Fills the switches in order, each up to its number of ports.
    fn attach(
        &mut self,
        section: &Section<'_>,
        names: &[String],
        switches: &[String],
        link: Option<&Section<'_>>,
    ) -> Result<()> {
        self.check_switches(section, switches)?;
        let template = self.read_host_link(link)?;
        for name in names {
            let free = switches.iter().find(|switch| self.has_free_port(switch));
            let switch = free.cloned().ok_or_else(|| {
                let message = format!("no port left for {name:?}; more ports or fewer hosts");
                section.error("attach", message)
            })?;
            *self.ports_used.entry(switch.clone()).or_default() += 1;
            self.links.push(Link {
                ends: [name.clone(), switch],
                ..template.clone()
            });
        }
        Ok(())
    }

    fn check_switches(&self, section: &Section<'_>, names: &[String]) -> Result<()> {
        for name in names {
            let Some(switch) = self.switches.iter().find(|s| s.name == *name) else {
                let known = list_names(self.switches.iter().map(|s| s.name.as_str()));
                let message = format!("unknown switch {name:?}; the switches are {known}");
                return Err(section.error("attach", message));
            };
            if names.len() > 1 && switch.ports.is_none() {
                let message = format!("{name:?} needs a number of ports to be filled in order");
                return Err(section.error("attach", message));
            }
        }
        Ok(())
    }

    fn has_free_port(&self, name: &str) -> bool {
        let used = self.ports_used.get(name).copied().unwrap_or_default();
        let switch = self.switches.iter().find(|switch| switch.name == name);
        switch.is_some_and(|switch| switch.ports.is_none_or(|ports| used < ports))
    }

    fn read_host_link(&self, link: Option<&Section<'_>>) -> Result<Link> {
        match link {
            None => Ok(unshaped_link()),
            Some(section) => {
                let link = read_link(section, self.scale)?;
                section.finish()?;
                Ok(link)
            }
        }
    }

    fn read_links(&mut self, section: &Section<'_>) -> Result<()> {
        let between = section.texts("between")?;
        let template = read_link(section, self.scale)?;
        section.finish()?;
        for ends in pair_ends(section, &between)? {
            for end in &ends {
                self.check_node(section, end)?;
            }
            if ends[0] == ends[1] {
                let message = format!("{:?} cannot be linked to itself", ends[0]);
                return Err(section.error("between", message));
            }
            self.links.push(Link {
                ends,
                ..template.clone()
            });
        }
        Ok(())
    }

    fn check_node(&self, section: &Section<'_>, name: &str) -> Result<()> {
        if self.is_node(name) {
            return Ok(());
        }
        let hosts = self.hosts.iter().map(|host| host.name.as_str());
        let switches = self.switches.iter().map(|switch| switch.name.as_str());
        let known = list_names(hosts.chain(switches));
        let message = format!("unknown node {name:?}; the nodes are {known}");
        Err(section.error("between", message))
    }

    /// A switch that only has parts, such as `module1` of `module1/asic1`, is a node too.
    fn is_node(&self, name: &str) -> bool {
        let has_parts = |s: &Switch| s.parent.as_deref() == Some(name);
        self.is_declared(name) || self.switches.iter().any(has_parts)
    }

    fn is_declared(&self, name: &str) -> bool {
        let is_switch = self.switches.iter().any(|switch| switch.name == name);
        is_switch || self.hosts.iter().any(|host| host.name == name)
    }

    fn refuse_known(&self, section: &Section<'_>, name: &str) -> Result<()> {
        if self.is_declared(name) {
            return Err(section.error("ids", format!("{name:?} appears twice")));
        }
        Ok(())
    }
}

fn read_ids(section: &Section<'_>, example: &str) -> Result<Vec<String>> {
    section.required_text("ids", example)?;
    let names = section.parsed("ids", node_set::expand)?.unwrap_or_default();
    match names
        .iter()
        .enumerate()
        .find(|(i, name)| names[..*i].contains(name))
    {
        Some((_, name)) => Err(section.error("ids", format!("{name:?} appears twice"))),
        None => Ok(names),
    }
}

fn read_cost(root: &Section<'_>) -> Result<BTreeMap<String, Price>> {
    let mut cost = BTreeMap::new();
    let Some(section) = root.section("cost")? else {
        return Ok(cost);
    };
    for key in ["fixed", "per_host", "per_switch", "per_port", "per_link"] {
        let Some(price) = section.section(key)? else {
            continue;
        };
        let value = price.amount("value")?;
        let currency = price.required_text("currency", "USD")?.to_owned();
        price.finish()?;
        cost.insert(key.to_owned(), Price { value, currency });
    }
    section.finish()?;
    Ok(cost)
}

fn list_names<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<_> = names.collect();
    let shown = names
        .iter()
        .take(12)
        .copied()
        .collect::<Vec<_>>()
        .join(", ");
    match names.len() {
        0 => "none".to_owned(),
        1..=12 => shown,
        count => format!("{shown}, ... ({count} in all)"),
    }
}
