//! A fabric while it is being read, and what the readers of its parts look up in it.

use std::collections::{HashMap, HashSet};

use weft_plan::reading::{Result, Section};

use crate::contention::read_capacity;
use crate::fabric::{Host, LimitedPath, Link, Switch};
use crate::guest::read::{is_namespace, read_guests};
use crate::link_keys::{DEFAULT_QUEUE_FRAMES, read_queue_frames};
use crate::node_set;

/// What has been read so far.
#[derive(Default)]
pub struct Draft {
    pub scale: f64,
    pub hosts: Vec<Host>,
    /// Those that the file declares, then those that it only mentions.
    pub switches: Vec<Switch>,
    /// The links that the hosts' own entries ask for.
    pub host_links: Vec<Link>,
    /// The links of `[[links]]`.
    pub trunks: Vec<Link>,
    pub paths: Vec<LimitedPath>,
    pub ports_used: HashMap<String, u32>,
    host_names: HashSet<String>,
    /// By name the place among `switches`.
    switch_places: HashMap<String, usize>,
}

impl Draft {
    pub fn new(scale: f64) -> Self {
        Self {
            scale,
            ..Self::default()
        }
    }

    /// Reads one entry of `[[switches]]`.
    pub fn read_switches(&mut self, section: &Section<'_>) -> Result<()> {
        let names = read_ids(section, "switch[1-2]")?;
        let ports = section.count("ports", 1..=1_000_000)?;
        let (capacity_bits_per_s, capacity_by_ports) = read_capacity(section, self.scale)?;
        let queue_frames = read_queue_frames(section)?.unwrap_or(DEFAULT_QUEUE_FRAMES);
        section.finish()?;
        for name in names {
            self.refuse_known(section, &name)?;
            self.add_switch(Switch {
                parent: parent_of(&name),
                name,
                ports,
                capacity_bits_per_s,
                capacity_by_ports: capacity_by_ports.clone(),
                queue_frames,
            });
        }
        Ok(())
    }

    /// Adds the hosts of one entry of `[[hosts]]`.
    pub fn read_host_names(&mut self, section: &Section<'_>) -> Result<Vec<String>> {
        let names = read_ids(section, "n[1-4]")?;
        let namespace = is_namespace(section)?;
        for (name, guest) in names.iter().zip(read_guests(section, &names)?) {
            self.refuse_known(section, name)?;
            self.host_names.insert(name.clone());
            self.hosts.push(Host {
                name: name.clone(),
                guest,
                namespace,
            });
        }
        Ok(names)
    }

    /// Adds a switch without limits, and the switches that it is inside of, unless they are there.
    pub fn imply_switch(&mut self, name: &str) {
        if self.is_switch(name) {
            return;
        }
        let parent = parent_of(name);
        self.add_switch(Switch {
            name: name.to_owned(),
            parent: parent.clone(),
            ports: None,
            capacity_bits_per_s: None,
            capacity_by_ports: None,
            queue_frames: DEFAULT_QUEUE_FRAMES,
        });
        if let Some(parent) = parent {
            self.imply_switch(&parent);
        }
    }

    /// Adds the switches that the declared ones are inside of.
    pub fn imply_parents(&mut self) {
        let parents = self.switches.iter().filter_map(|s| s.parent.clone());
        let parents: Vec<_> = parents.collect();
        parents.iter().for_each(|name| self.imply_switch(name));
    }

    pub fn is_host(&self, name: &str) -> bool {
        self.host_names.contains(name)
    }

    pub fn is_switch(&self, name: &str) -> bool {
        self.switch_places.contains_key(name)
    }

    /// Where a switch stands among all.
    pub fn switch_place(&self, name: &str) -> Option<usize> {
        self.switch_places.get(name).copied()
    }

    pub fn switch(&self, name: &str) -> Option<&Switch> {
        self.switch_place(name).map(|place| &self.switches[place])
    }

    fn add_switch(&mut self, switch: Switch) {
        let place = self.switches.len();
        self.switch_places.insert(switch.name.clone(), place);
        self.switches.push(switch);
    }

    /// All links, those of the hosts first.
    pub fn links(&self) -> impl Iterator<Item = &Link> {
        self.host_links.iter().chain(&self.trunks)
    }

    /// Refuses a host that is not there.
    pub fn check_host(&self, section: &Section<'_>, key: &str, name: &str) -> Result<()> {
        if self.is_host(name) {
            return Ok(());
        }
        let known = list_names(self.hosts.iter().map(|host| host.name.as_str()));
        let message = format!("unknown host {name:?}; the hosts are {known}");
        Err(section.refuse(key, message))
    }

    fn refuse_known(&self, section: &Section<'_>, name: &str) -> Result<()> {
        if self.is_host(name) || self.is_switch(name) {
            return Err(section.refuse("ids", format!("{name:?} appears twice")));
        }
        Ok(())
    }
}

fn parent_of(name: &str) -> Option<String> {
    name.rsplit_once('/').map(|(parent, _)| parent.to_owned())
}

/// Reads a set of nodes that must be there.
pub fn read_set(section: &Section<'_>, key: &'static str, example: &str) -> Result<Vec<String>> {
    section.required_text(key, example)?;
    Ok(section.parsed(key, node_set::expand)?.unwrap_or_default())
}

fn read_ids(section: &Section<'_>, example: &str) -> Result<Vec<String>> {
    let names = read_set(section, "ids", example)?;
    let mut seen = HashSet::new();
    match names.iter().find(|name| !seen.insert(*name)) {
        Some(name) => Err(section.refuse("ids", format!("{name:?} appears twice"))),
        None => Ok(names),
    }
}

/// Names for a message, the first few of many.
pub fn list_names<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<_> = names.collect();
    let shown = names[..names.len().min(12)].join(", ");
    match names.len() {
        0 => "none".to_owned(),
        1..=12 => shown,
        count => format!("{shown}, ... ({count} in all)"),
    }
}
