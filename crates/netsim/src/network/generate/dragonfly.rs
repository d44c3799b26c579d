//! Dragonflies: groups of routers that are all joined to each other, and groups that are all joined to each other.

use super::topology::{Topology, generated};
use super::values::Values;
use crate::network::{Flow, Network};
use weft_fabric::{Fields, Hashing, Unit, Wiring};

/// A dragonfly (J. Kim et al., "Technology-driven, highly-scalable dragonfly topology", ISCA 2008). Minimal routing goes
/// to the router that has the group's link to the other group, over it, and to the router of the destination; Valiant's
/// goes so to a group that a hash chooses, and on from there. From group i the link number (j - i - 1) mod g leads to
/// group j; routers have them in order.
#[derive(Debug)]
pub struct Dragonfly {
    groups: u64,
    routers: u64,
    hosts_each: u64,
    global_each: u64,
    /// The first so many places have hosts.
    total: u64,
    /// What chooses the group between; None: minimal routing.
    detours: Option<Hashing>,
}

/// Reads `groups`, `routers` of a group, `hosts` of a router, its `global` links, how many hosts there are in `total`, and
/// `routing` with a `seed`.
pub fn dragonfly(values: &Values<'_>) -> Result<Box<dyn Network>, String> {
    let (groups, routers) = (values.number("groups", 1)?, values.number("routers", 1)?);
    let (hosts_each, global_each) = (values.number("hosts", 1)?, values.number("global", 1)?);
    if groups > routers.saturating_mul(global_each) + 1 {
        return Err(format!(
            "groups = {groups}: {routers} routers with {global_each} global links reach {} groups",
            routers.saturating_mul(global_each) + 1
        ));
    }
    let places = groups.saturating_mul(routers).saturating_mul(hosts_each);
    let has_detours = values.choice("routing", &[("minimal", false), ("valiant", true)])?;
    let seed = values.number_or("seed", 0, Some(1))?.unwrap_or(1) as u32;
    generated(
        values,
        Dragonfly {
            detours: has_detours.then_some(Hashing {
                seed,
                fields: Fields::FiveTuple,
                unit: Unit::Flow,
                polarised: false,
            }),
            total: values.hosts_of("total", places)?,
            groups,
            routers,
            hosts_each,
            global_each,
        },
    )
}

impl Dragonfly {
    fn all_routers(&self) -> u64 {
        self.groups.saturating_mul(self.routers)
    }

    fn place(&self, host: u64) -> (u64, u64) {
        let router = host / self.hosts_each;
        (router / self.routers, router % self.routers)
    }

    /// From one router of a group to another.
    fn local(&self, group: u64, from: u64, to: u64) -> u32 {
        let first = 2 * self.hosts();
        (first + (group * self.routers + from) * self.routers + to) as u32
    }

    fn global(&self, from: u64, to: u64) -> u32 {
        let first = 2 * self.hosts() + self.all_routers() * self.routers;
        (first + from * self.groups + to) as u32
    }

    /// The router of a group that has its link to another group.
    fn gateway(&self, from: u64, to: u64) -> u64 {
        (to + self.groups - from - 1) % self.groups / self.global_each
    }

    /// Groups that have hosts: the others are not there.
    fn groups_there(&self) -> u64 {
        self.total.div_ceil(self.routers * self.hosts_each)
    }

    /// The group that a flow between two others goes by; None where it goes straight.
    fn detour(&self, flow: Flow, from: u64, to: u64) -> Option<u64> {
        let hashing = self
            .detours
            .filter(|_| from != to && self.groups_there() > 2)?;
        let hash = hashing.of_flow(flow.src, flow.dst, flow.ports());
        let (low, high) = (from.min(to), from.max(to));
        let among = hash % (self.groups_there() - 2);
        let group = among + u64::from(among >= low);
        Some(group + u64::from(group >= high))
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

impl Topology for Dragonfly {
    fn hosts(&self) -> u64 {
        self.total
    }

    fn constraints(&self) -> u64 {
        let local = self.all_routers().saturating_mul(self.routers);
        let global = self.groups.saturating_mul(self.groups);
        let of_hosts = self.hosts().saturating_mul(2);
        of_hosts.saturating_add(local).saturating_add(global)
    }

    fn constraint_name(&self, constraint: u64, host_name: &dyn Fn(u64) -> String) -> String {
        let (at, hosts) = (constraint, self.hosts());
        let local = self.all_routers() * self.routers;
        match at {
            _ if at < hosts => format!("{} out", host_name(at)),
            _ if at < 2 * hosts => format!("{} in", host_name(at - hosts)),
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

    fn wiring(&self) -> Wiring {
        let groups = self.groups_there();
        let router = |group: u64, at: u64| (self.total + group * self.routers + at) as u32;
        let hosts = (0..self.total).map(|host| {
            let (group, at) = self.place(host);
            [host as u32, router(group, at)]
        });
        let pairs = |count: u64| (0..count).flat_map(move |j| (0..j).map(move |i| (i, j)));
        let local = (0..groups).flat_map(|group| {
            pairs(self.routers).map(move |(i, j)| [router(group, i), router(group, j)])
        });
        let global = pairs(groups)
            .map(|(i, j)| [router(i, self.gateway(i, j)), router(j, self.gateway(j, i))]);
        let ports = (self.hosts_each + self.routers - 1 + self.global_each) as u32;
        Wiring::of_one_network(
            self.total as u32,
            vec![ports; (groups * self.routers) as usize],
            hosts.chain(local).chain(global).collect(),
        )
    }

    fn routing(&self) -> &'static str {
        match self.detours {
            None => "minimal",
            Some(_) => "valiant",
        }
    }

    fn hashes_ports(&self) -> bool {
        self.detours.is_some()
    }

    fn route(&self, flow: Flow, route: &mut Vec<u32>) -> u32 {
        let (src, dst) = (flow.src as u64, flow.dst as u64);
        let (mut from, to) = (self.place(src), self.place(dst));
        let start = route.len();
        route.push(src as u32);
        if let Some(group) = self.detour(flow, from.0, to.0) {
            let entry = (group, self.gateway(group, from.0));
            self.between_routers(from, entry, route);
            from = entry;
        }
        self.between_routers(from, to, route);
        route.push((self.hosts() + dst) as u32);
        (route.len() - start) as u32
    }
}
