//! `[[overrides]]` and `[[paths]]`: what is different about single hosts and single routes.

use std::mem::swap;

use weft_plan::reading::{Result, Section};

use crate::draft::{Draft, read_set};
use crate::fabric::{LimitedPath, Link};
use crate::link_keys::{
    DEFAULT_QUEUE_FRAMES, LinkKeys, pair_off, read_direction, read_network, read_queue_frames,
};

impl Draft {
    /// Reads one entry of `[[overrides]]` and changes the hosts' links.
    pub fn read_override(&mut self, section: &Section<'_>) -> Result<()> {
        let hosts = read_set(section, "ids", "n7")?;
        let network = read_network(section)?;
        let dead = section.flag("dead")?.unwrap_or(false);
        let keys = match section.section("link")? {
            None => None,
            Some(link) => {
                let keys = LinkKeys::read(&link, self.scale)?;
                link.finish()?;
                Some(keys)
            }
        };
        section.finish()?;
        if keys.is_none() && !dead {
            let message = "changes nothing; add link = { rate = \"10 Mb/s\" } or dead = true";
            return Err(section.refuse("ids", message));
        }
        for host in hosts {
            self.check_host(section, "ids", &host)?;
            let link = self.link_of(section, &host, network)?;
            link.dead |= dead;
            if let Some(keys) = &keys {
                apply_from(keys, link, &host);
            }
        }
        Ok(())
    }

    /// Reads one entry of `[[paths]]`.
    pub fn read_path(&mut self, section: &Section<'_>) -> Result<()> {
        let from = section.required_text("from", "n3")?;
        let to = section.required_text("to", "n7")?;
        let direction = read_direction(section, self.scale)?;
        let queue_frames = read_queue_frames(section)?.unwrap_or(DEFAULT_QUEUE_FRAMES);
        let network = read_network(section)?;
        section.finish()?;
        if direction.is_unshaped() {
            let message =
                "limits nothing; add rate = \"10 Mb/s\", delay = \"1 ms\" or loss = \"1 %\"";
            return Err(section.refuse("from", message));
        }
        for [from, to] in pair_off(section, "to", from, to)? {
            self.check_host(section, "from", &from)?;
            self.check_host(section, "to", &to)?;
            if from == to {
                return Err(section.refuse("to", format!("{to:?} sends to itself")));
            }
            self.link_of(section, &from, network)?;
            self.link_of(section, &to, network)?;
            self.paths.push(LimitedPath {
                from,
                to,
                direction,
                queue_frames,
                network,
            });
        }
        Ok(())
    }

    fn link_of(&mut self, section: &Section<'_>, host: &str, network: u32) -> Result<&mut Link> {
        let mut links = self.host_links.iter_mut().chain(&mut self.trunks);
        let link = links.find(|link| link.network == network && link.joins(host));
        link.ok_or_else(|| {
            let message = format!("{host:?} has no link in network {}", network + 1);
            section.refuse("network", message)
        })
    }
}

/// Whichever way round a link is written, for an override forward is away from its host.
fn apply_from(keys: &LinkKeys, link: &mut Link, host: &str) {
    let turned = link.ends[0] != host;
    if turned {
        swap(&mut link.forward, &mut link.backward);
    }
    keys.apply(link);
    if turned {
        swap(&mut link.forward, &mut link.backward);
    }
}
