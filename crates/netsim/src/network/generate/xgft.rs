//! Extended generalised fat trees: from a single switch to three levels with oversubscription.
//!
//! XGFT(h; m1..mh; w1..wh): a node of level l has m_l children and w_(l+1) parents (S. Öhring et al., "On generalized
//! fat trees", IPPS 1995). The path up is chosen by the destination, d mod k, so that all that goes to a host comes
//! down one way (E. Zahavi, "D-Mod-K routing", 2010), or by a hash of both ends, as switches with equal-cost
//! multi-path do. The path down has no choice.

use super::topology::{Topology, generated};
use super::values::Values;
use crate::network::{Flow, Network};
use weft_fabric::{Fields, Hashing, Unit, Wiring};

/// The tree; links have a constraint for each direction.
#[derive(Debug)]
pub struct Xgft {
    /// The first so many places have hosts.
    hosts: u64,
    levels: Vec<Level>,
    /// All links that lead up; as many lead down.
    links_up: u64,
    routing: Routing,
    /// What the switch passes that all traffic shares, where there is one: bit/s.
    backplane: Option<f64>,
    /// By host, then level: divisions would be most of what a route takes.
    ports: Vec<Port>,
}

#[derive(Debug, Clone, Copy)]
struct Port {
    /// The first of the links up from the host's group.
    first: u32,
    /// Which of them leads to the host, by d mod k.
    choice: u32,
}

#[derive(Debug, Clone, Copy)]
struct Level {
    /// Places for hosts below a node of the level under this one.
    hosts_below: u64,
    /// Nodes of the level under this one below each of its own.
    children: u64,
    /// Links from each group of such hosts up to this level.
    parents: u64,
    /// Its first link, of those that lead up.
    first: u64,
}

/// How the path up is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Routing {
    DModK,
    Hash(Hashing),
}

/// All hosts on a switch that limits nothing.
pub fn crossbar(values: &Values<'_>) -> Result<Box<dyn Network>, String> {
    let hosts = values.number("hosts", 2)?;
    generated(values, Xgft::new(values, &[hosts], &[1], hosts)?)
}

/// All hosts on a switch that passes no more than its capacity.
pub fn star(values: &Values<'_>) -> Result<Box<dyn Network>, String> {
    let hosts = values.number("hosts", 2)?;
    let capacity = values.rate("capacity", f64::INFINITY)?;
    let star = Xgft {
        backplane: Some(capacity),
        ..Xgft::new(values, &[hosts], &[1], hosts)?
    };
    generated(values, star)
}

/// Children of each level, parents of each level below.
pub fn xgft(values: &Values<'_>) -> Result<Box<dyn Network>, String> {
    let (down, up) = (values.dims("down", 1)?, values.dims("up", 1)?);
    if down.len() != up.len() {
        let (levels, paths) = (down.len(), up.len());
        return Err(format!(
            "down has {levels} levels, up {paths}; each needs both"
        ));
    }
    let hosts = values.hosts_of("hosts", product(&down))?;
    generated(values, Xgft::new(values, &down, &up, hosts)?)
}

/// Leaves that are each joined to all spines.
pub fn clos(values: &Values<'_>) -> Result<Box<dyn Network>, String> {
    let hosts = values.number("hosts", 1)?;
    let (leaves, spines) = (values.number("leaves", 1)?, values.number("spines", 1)?);
    let total = values.hosts_of("total", hosts.saturating_mul(leaves))?;
    generated(
        values,
        Xgft::new(values, &[hosts, leaves], &[1, spines], total)?,
    )
}

/// Switches of k ports: half of them up, but at the top; `oversubscription` times as many hosts as a leaf has ports up.
pub fn fat_tree(values: &Values<'_>) -> Result<Box<dyn Network>, String> {
    let k = values.number("k", 2)?;
    if k % 2 == 1 {
        return Err(format!("k = {k}: must be even, half of the ports lead up"));
    }
    let levels = values.number_or("levels", 1, Some(3))?.unwrap_or(3) as usize;
    if levels > 6 {
        return Err(format!("levels = {levels}: must be from 1 to 6"));
    }
    let over = values
        .number_or("oversubscription", 1, Some(1))?
        .unwrap_or(1);
    let mut children = vec![k / 2; levels];
    let mut parents = vec![k / 2; levels];
    children[levels - 1] = k;
    children[0] *= over;
    parents[0] = 1;
    let hosts = values.hosts_of("hosts", product(&children))?;
    generated(values, Xgft::new(values, &children, &parents, hosts)?)
}

impl Xgft {
    fn new(
        values: &Values<'_>,
        children: &[u64],
        parents: &[u64],
        hosts: u64,
    ) -> Result<Self, String> {
        let routing = match values.choice("routing", &[("d-mod-k", false), ("hash", true)])? {
            false => Routing::DModK,
            true => Routing::Hash(Hashing {
                seed: values.number_or("seed", 0, Some(1))?.unwrap_or(1) as u32,
                fields: Fields::FiveTuple,
                unit: Unit::Flow,
                polarised: false,
            }),
        };
        let mut levels = Vec::new();
        let mut count = 0u64;
        for level in 0..children.len() {
            let groups = product(&children[level..]);
            let parents = product(&parents[..=level]);
            levels.push(Level {
                hosts_below: product(&children[..level]),
                children: children[level],
                parents,
                first: count,
            });
            count = count.saturating_add(groups.saturating_mul(parents));
        }
        Ok(Self {
            hosts,
            levels,
            links_up: count,
            routing,
            backplane: None,
            ports: Vec::new(),
        })
    }

    /// A host's ports, from the lowest level up.
    fn ports(&self, host: u64) -> &[Port] {
        let count = self.levels.len();
        &self.ports[host as usize * count..][..count]
    }
}

/// As large as it may be where it has no place.
fn product(list: &[u64]) -> u64 {
    let product = list.iter().try_fold(1u64, |all, one| all.checked_mul(*one));
    product.unwrap_or(u64::MAX)
}

impl Level {
    /// Nodes of the level under this one that have hosts below them.
    fn children_with(&self, hosts: u64) -> u64 {
        hosts.div_ceil(self.hosts_below)
    }

    fn port(&self, host: u64) -> Port {
        Port {
            first: (self.first + host / self.hosts_below * self.parents) as u32,
            choice: (host % self.parents) as u32,
        }
    }
}

impl Topology for Xgft {
    fn hosts(&self) -> u64 {
        self.hosts
    }

    fn constraints(&self) -> u64 {
        let links = self.links_up.saturating_mul(2);
        links.saturating_add(u64::from(self.backplane.is_some()))
    }

    fn constraint_name(&self, constraint: u64, host_name: &dyn Fn(u64) -> String) -> String {
        let up = self.links_up;
        let (link, path) = match constraint {
            at if at < up => (at, "up"),
            at if at < 2 * up => (at - up, "down"),
            _ => return "the switch".to_owned(),
        };
        let level = self.levels.iter().rposition(|level| level.first <= link);
        let level = level.unwrap_or(0);
        let found = self.levels[level];
        let (group, parent) = (
            (link - found.first) / found.parents,
            (link - found.first) % found.parents,
        );
        match (level, path) {
            (0, "up") => format!("{} out", host_name(group)),
            (0, _) => format!("{} in", host_name(group)),
            _ => format!("level {level} group {} {path} {}", group + 1, parent + 1),
        }
    }

    fn inner_capacity(&self, constraint: u64) -> Option<f64> {
        self.backplane.filter(|_| constraint == 2 * self.links_up)
    }

    /// Of the links from a group up, link p leads to the p-th of the switches above it, so that d mod k, level by level,
    /// stays on the links that `route` takes.
    fn wiring(&self) -> Wiring {
        let (mut switch_ports, mut cables) = (Vec::new(), Vec::new());
        // The nodes below are the hosts at first: one in each group.
        let (mut below, mut in_group) = (0, 1);
        for (level, found) in self.levels.iter().enumerate() {
            let groups = found.children_with(self.hosts);
            let above = self.hosts + switch_ports.len() as u64;
            let up = self.levels.get(level + 1);
            let ports_up = up.map_or(0, |up| up.parents / found.parents);
            for (group, link) in (0..groups).flat_map(|g| (0..found.parents).map(move |l| (g, l))) {
                let lower = below + group * in_group + link % in_group;
                let upper = above + group / found.children * found.parents + link;
                cables.push([lower as u32, upper as u32]);
            }
            let switches = groups.div_ceil(found.children) * found.parents;
            switch_ports.extend((0..switches).map(|_| (found.children + ports_up) as u32));
            (below, in_group) = (above, found.parents);
        }
        Wiring::of_one_network(self.hosts as u32, switch_ports, cables)
    }

    fn prepare(&mut self) {
        let of = |host| self.levels.iter().map(move |level| level.port(host));
        self.ports = (0..self.hosts).flat_map(of).collect();
    }

    fn hashes_ports(&self) -> bool {
        self.routing != Routing::DModK
    }

    fn routing(&self) -> &'static str {
        match self.routing {
            _ if self.levels.iter().all(|level| level.parents == 1) => "one path",
            Routing::DModK => "d-mod-k",
            Routing::Hash(_) => "hash",
        }
    }

    fn route(&self, flow: Flow, route: &mut Vec<u32>) -> u32 {
        let (from, to) = (self.ports(flow.src as u64), self.ports(flow.dst as u64));
        let hash = match self.routing {
            Routing::DModK => None,
            Routing::Hash(hashing) => Some(hashing.of_flow(flow.src, flow.dst, flow.ports())),
        };
        let choice = |level: usize| match hash {
            None => to[level].choice,
            Some(hash) => (hash % self.levels[level].parents) as u32,
        };
        let up = self.links_up as u32;
        let mut top = 0;
        // Of the switches above the two hosts the lowest that is the same is where the path turns.
        while top == 0 || (top < to.len() && from[top].first != to[top].first) {
            route.push(from[top].first + choice(top));
            top += 1;
        }
        if self.backplane.is_some() {
            route.push(2 * up);
        }
        for level in (0..top).rev() {
            route.push(up + to[level].first + choice(level));
        }
        2 * top as u32
    }
}
