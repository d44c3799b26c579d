//! What the machine of a site did meanwhile: processors, memory and disks that tasks waited for, time that a hypervisor
//! took, and interfaces without a link. Looked at every second; it is said when it begins to matter and when it is over.

mod carrier;
mod condition;
mod episode;
mod pressure;
mod source;
mod steal;
mod waiting;

use std::collections::BTreeMap;
use std::time::Instant;

use carrier::Carrier;
use condition::Condition;

use super::notes::{LinkState, Notes};
use crate::system::counters;

pub struct Host {
    conditions: Vec<Condition>,
    /// By link: each has an interface of its own that its probes leave by.
    carriers: BTreeMap<i16, Carrier>,
    began: Instant,
    looked_s: f64,
}

impl Host {
    /// What this kernel does not tell is left out.
    pub fn new() -> Host {
        Host {
            conditions: condition::all(),
            carriers: BTreeMap::new(),
            began: Instant::now(),
            looked_s: 0.0,
        }
    }

    /// Note what has come to matter, or is over, since the last call.
    pub fn look(&mut self, links: &[LinkState], notes: &Notes) {
        let now_s = self.began.elapsed().as_secs_f64();
        let look = (self.looked_s, now_s);
        self.looked_s = now_s;
        for one in &mut self.conditions {
            one.look(look, notes);
        }
        self.carriers
            .retain(|link, _| links.iter().any(|one| one.link == *link));
        let errors = counters::errors();
        for link in links {
            let carrier = self.carriers.entry(link.link).or_default();
            carrier.look(link, &errors, look, notes);
        }
    }

    /// Note what lasts still.
    pub fn end(&mut self, notes: &Notes) {
        let now_s = self.began.elapsed().as_secs_f64();
        for one in &mut self.conditions {
            one.end(now_s, notes);
        }
        for (link, carrier) in &mut self.carriers {
            carrier.end(*link, now_s, notes);
        }
    }
}
