//! A network that follows a rule: what its topology says, with links that are all alike.

use std::fmt::Debug;

use crate::network::{Flow, Inventory, Network, Path};
use weft_fabric::{Framing, Wiring};

use super::links::Links;
use super::size::check_size;
use super::values::Values;

/// What distinguishes one rule from another: its hosts, its constraints, and the paths between hosts. Constraints are
/// the directions of its links unless it says otherwise.
pub trait Topology: Debug + Send + Sync {
    fn hosts(&self) -> u64;

    fn constraints(&self) -> u64;

    fn host_name(&self, host: u64) -> String {
        format!("n{}", host + 1)
    }

    /// Given what hosts are called.
    fn constraint_name(&self, constraint: u64, host_name: &dyn Fn(u64) -> String) -> String;

    /// The capacity of a constraint that is no link.
    fn inner_capacity(&self, _constraint: u64) -> Option<f64> {
        None
    }

    /// Called once, when it is known to fit into memory.
    fn prepare(&mut self) {}

    /// Its switches and cables. What no host is below is not there; what a port of it would lead to leaves that free.
    fn wiring(&self) -> Wiring;

    /// What chooses the path of a pair, in a few words.
    fn routing(&self) -> &'static str;

    /// Appends the constraints that a flow crosses; returns how many links are among them.
    fn route(&self, flow: Flow, route: &mut Vec<u32>) -> u32;

    /// Whether a hash of ports chooses among several paths of a pair.
    fn hashes_ports(&self) -> bool {
        false
    }
}

/// A topology with its links.
#[derive(Debug)]
pub struct Generated<T> {
    name: String,
    /// Of the first hosts; the others are called as the topology has it.
    host_names: Vec<String>,
    topology: T,
    links: Links,
    capacities: Vec<f64>,
    /// By the number of links, as far as most paths go: the divisions would be a fifth of what a route takes.
    paths: Vec<Path>,
}

const KNOWN_WAYS: u32 = 32;

/// Gives a topology the links that the values describe. The error says why there would be too many.
pub fn generated<T: Topology + 'static>(
    values: &Values<'_>,
    mut topology: T,
) -> Result<Box<dyn Network>, String> {
    let links = Links::read(values)?;
    let constraints = topology.constraints();
    check_size(topology.hosts(), constraints)?;
    topology.prepare();
    let capacity = |at| topology.inner_capacity(at).unwrap_or(links.bits_per_s);
    Ok(Box::new(Generated {
        name: values.title(),
        host_names: values.host_names().to_vec(),
        capacities: (0..constraints).map(capacity).collect(),
        paths: (0..KNOWN_WAYS)
            .map(|count| Path::alike(links.hop(), count))
            .collect(),
        topology,
        links,
    }))
}

impl<T: Topology> Inventory for Generated<T> {
    fn name(&self) -> &str {
        &self.name
    }

    fn hosts(&self) -> usize {
        self.topology.hosts() as usize
    }

    fn host_name(&self, host: usize) -> String {
        let given = self.host_names.get(host).cloned();
        given.unwrap_or_else(|| self.topology.host_name(host as u64))
    }

    fn capacities(&self) -> &[f64] {
        &self.capacities
    }

    fn constraint_name(&self, constraint: usize) -> String {
        let host_name = |host| self.host_name(host as usize);
        self.topology.constraint_name(constraint as u64, &host_name)
    }

    fn constraint_delay_s(&self, constraint: usize) -> f64 {
        match self.topology.inner_capacity(constraint as u64) {
            Some(_) => 0.0,
            None => self.links.delay_s,
        }
    }
}

impl<T: Topology> Network for Generated<T> {
    fn framing(&self) -> Framing {
        self.links.framing
    }

    fn wiring(&self) -> Option<Wiring> {
        Some(
            self.topology
                .wiring()
                .at_rate(self.links.bits_per_s.round() as u64),
        )
    }

    fn routing(&self) -> &'static str {
        self.topology.routing()
    }

    fn hashes_ports(&self) -> bool {
        self.topology.hashes_ports()
    }

    fn path(&self, flow: Flow, route: &mut Vec<u32>) -> Option<Path> {
        if flow.network > 0 {
            return None;
        }
        if flow.src == flow.dst {
            return Some(Path::of([]));
        }
        let links = self.topology.route(flow, route);
        let known = self.paths.get(links as usize).copied();
        Some(known.unwrap_or_else(|| Path::alike(self.links.hop(), links)))
    }
}
