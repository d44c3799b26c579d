//! `[[links]]`: the links that are not part of a host's own entry.

use weft_plan::reading::{Result, Section};

use crate::draft::{Draft, list_names};
use crate::fabric::Link;
use crate::link_keys::{pair_off, read_link};

/// Links of one entry between the same two ends.
const MOST_PARALLEL: u32 = 256;

impl Draft {
    /// Reads one entry of `[[links]]`. An end that nothing declares is a switch without limits.
    pub fn read_trunk(&mut self, section: &Section<'_>) -> Result<()> {
        let mut template = read_link(section, self.scale)?;
        template.inside = section.flag("inside")?.unwrap_or(false);
        let count = section.count("count", 1..=MOST_PARALLEL)?.unwrap_or(1);
        let pairs = read_ends(section)?;
        section.finish()?;
        for ends in pairs {
            for end in &ends {
                if !self.is_host(end) {
                    self.imply_switch(end);
                }
            }
            if template.inside && ends.iter().any(|end| self.is_host(end)) {
                let message = "belongs to links between parts of a switch; a host has a cable";
                return Err(section.refuse("inside", message));
            }
            let links = (0..count).map(|_| Link {
                ends: ends.clone(),
                ..template.clone()
            });
            self.trunks.extend(links);
        }
        Ok(())
    }

    /// Refuses an entry of `[[links]]` that mentions a switch that none of the first `declared` is and that
    /// joins nothing else: a slip of the finger.
    pub fn refuse_lonely(&self, section: &Section<'_>, declared: usize) -> Result<()> {
        let is_mentioned = |name: &String| {
            self.switch_place(name)
                .is_some_and(|place| place >= declared)
        };
        let is_lonely = |name: &String| is_mentioned(name) && self.joined_to(name).count() < 2;
        let pairs = read_ends(section)?;
        let Some(name) = pairs.iter().flatten().find(|name| is_lonely(name)) else {
            return Ok(());
        };
        let hosts = self.hosts.iter().map(|host| host.name.as_str());
        let switches = self.switches[..declared].iter().map(|s| s.name.as_str());
        let known = list_names(hosts.chain(switches));
        let only = list_names(self.joined_to(name));
        let message = format!(
            "unknown node {name:?}; the nodes are {known} (as a switch it would join only {only})"
        );
        Err(section.refuse("between", message))
    }

    /// What a switch joins: the other ends of its links, its parts, and what it is a part of.
    fn joined_to<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        let other_end = move |link: &'a Link| match &link.ends {
            [one, other] if one == name => Some(other.as_str()),
            [one, other] if other == name => Some(one.as_str()),
            _ => None,
        };
        let parts = self.switches.iter().filter_map(move |switch| {
            let is_part = switch.parent.as_deref() == Some(name);
            let is_it = switch.name == name;
            match is_part {
                true => Some(switch.name.as_str()),
                false => switch.parent.as_deref().filter(|_| is_it),
            }
        });
        self.links().filter_map(other_end).chain(parts)
    }
}

fn read_ends(section: &Section<'_>) -> Result<Vec<[String; 2]>> {
    let [left, right] = section.texts("between")?[..] else {
        let message = "must name two ends, such as [\"n1\", \"n2\"]";
        return Err(section.refuse("between", message));
    };
    let pairs = pair_off(section, "between", left, right)?;
    match pairs.iter().find(|[one, other]| one == other) {
        None => Ok(pairs),
        Some([name, _]) => {
            let message = format!("{name:?} cannot be linked to itself");
            Err(section.refuse("between", message))
        }
    }
}
