//! Dragonflies: groups of routers that are all joined to each other, and groups that are all joined to each other.

use super::check_size;
use super::links::Links;
use super::values::Values;
use crate::network::{Framing, Network, Way};

/// A dragonfly with minimal routing: to the router that has the group's link to the other group, over it, and to the
/// router of the destination (J. Kim et al., "Technology-driven, highly-scalable dragonfly topology", ISCA 2008). From
/// group i the link number (j - i - 1) mod g leads to group j; routers have them in order.
#[derive(Debug)]
pub struct Dragonfly {
    name: String,
    groups: u64,
    routers: u64,
    hosts_each: u64,
    global_each: u64,
    links: Links,
    capacities: Vec<f64>,
}

/// Reads `groups`, `routers` of a group, `hosts` of a router, and its `global` links.
pub fn dragonfly(values: &Values<'_>) -> Result<Box<dyn Network>, String> {
    let (groups, routers) = (values.number("groups", 1)?, values.number("routers", 1)?);
    let (hosts_each, global_each) = (values.number("hosts", 1)?, values.number("global", 1)?);
    let links = Links::read(values)?;
    if groups > routers.saturating_mul(global_each) + 1 {
        return Err(format!(
            "groups = {groups}: {routers} routers with {global_each} global links reach {} groups",
            routers.saturating_mul(global_each) + 1
        ));
    }
    let all_routers = groups.saturating_mul(routers);
    let hosts = all_routers.saturating_mul(hosts_each);
    let constraints = hosts
        .saturating_mul(2)
        .saturating_add(all_routers.saturating_mul(routers))
        .saturating_add(groups.saturating_mul(groups));
    check_size(hosts, constraints)?;
    Ok(Box::new(Dragonfly {
        name: values.title(),
        groups,
        routers,
        hosts_each,
        global_each,
        links,
        capacities: vec![links.bits_per_s; constraints as usize],
    }))
}

impl Dragonfly {
    fn all_hosts(&self) -> u64 {
        self.groups * self.routers * self.hosts_each
    }

    /// From one router of a group to another.
    fn local(&self, group: u64, from: u64, to: u64) -> u32 {
        let first = 2 * self.all_hosts();
        (first + (group * self.routers + from) * self.routers + to) as u32
    }

    fn global(&self, from: u64, to: u64) -> u32 {
        let first = 2 * self.all_hosts() + self.groups * self.routers * self.routers;
        (first + from * self.groups + to) as u32
    }

    /// The router of a group that has its link to another group.
    fn gateway(&self, from: u64, to: u64) -> u64 {
        (to + self.groups - from - 1) % self.groups / self.global_each
    }

    fn between_routers(
        &self,
        (from, one): (u64, u64),
        (to, other): (u64, u64),
        route: &mut Vec<u32>,
    ) {
        if from == to {
            if one != other {
                route.push(self.local(from, one, other));
            }
            return;
        }
        let (exit, entry) = (self.gateway(from, to), self.gateway(to, from));
        if one != exit {
            route.push(self.local(from, one, exit));
        }
        route.push(self.global(from, to));
        if entry != other {
            route.push(self.local(to, entry, other));
        }
    }
}

impl Network for Dragonfly {
    fn name(&self) -> &str {
        &self.name
    }

    fn hosts(&self) -> usize {
        self.all_hosts() as usize
    }

    fn host_name(&self, host: usize) -> String {
        format!("n{}", host + 1)
    }

    fn capacities(&self) -> &[f64] {
        &self.capacities
    }

    fn constraint_name(&self, constraint: usize) -> String {
        let (at, hosts) = (constraint as u64, self.all_hosts());
        let local = self.groups * self.routers * self.routers;
        match at {
            _ if at < hosts => format!("n{} out", at + 1),
            _ if at < 2 * hosts => format!("n{} in", at - hosts + 1),
            _ if at < 2 * hosts + local => {
                let (router, to) = (
                    (at - 2 * hosts) / self.routers,
                    (at - 2 * hosts) % self.routers,
                );
                let (group, from) = (router / self.routers, router % self.routers);
                format!("group {} router {} to {}", group + 1, from + 1, to + 1)
            }
            _ => {
                let link = at - 2 * hosts - local;
                let (from, to) = (link / self.groups, link % self.groups);
                format!("group {} to group {}", from + 1, to + 1)
            }
        }
    }

    fn constraint_delay_s(&self, _constraint: usize) -> f64 {
        self.links.delay_s
    }

    fn framing(&self) -> Framing {
        self.links.framing
    }

    fn way(&self, src: usize, dst: usize, network: u32, route: &mut Vec<u32>) -> Option<Way> {
        if network > 0 {
            return None;
        }
        if src == dst {
            return Some(Way::of([]));
        }
        let start = route.len();
        let place = |host: usize| {
            let router = host as u64 / self.hosts_each;
            (router / self.routers, router % self.routers)
        };
        route.push(src as u32);
        self.between_routers(place(src), place(dst), route);
        route.push((self.all_hosts() + dst as u64) as u32);
        Some(Way::alike(
            self.links.hop(1.0),
            (route.len() - start) as u32,
        ))
    }
}
