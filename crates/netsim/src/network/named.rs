//! Hosts and constraints that are listed one by one.

use weft_fabric::{CapacityByPorts, Fabric};

use super::constraints::Inventory;
use super::{Contended, End, Hop, Path};

/// Hosts by index; and constraints by index, each with its name and what it costs a frame.
#[derive(Debug, Default)]
pub struct Named {
    name: String,
    hosts: Vec<String>,
    names: Vec<String>,
    hops: Vec<Hop>,
    capacities: Vec<f64>,
    contended: Vec<Contended>,
}

impl Named {
    /// Hosts without any constraints yet.
    pub fn of(name: String, hosts: Vec<String>) -> Self {
        Self {
            name,
            hosts,
            ..Self::default()
        }
    }

    /// The hosts of a fabric.
    pub fn of_fabric(fabric: &Fabric) -> Self {
        let hosts = fabric.hosts.iter().map(|host| host.name.clone());
        Self::of(fabric.name.clone(), hosts.collect())
    }

    /// Adds a constraint; one that is dead carries nothing.
    pub fn add(&mut self, name: String, hop: Hop, is_dead: bool) -> u32 {
        self.names.push(name);
        self.capacities
            .push(if is_dead { 0.0 } else { hop.bits_per_s });
        self.hops.push(hop);
        self.names.len() as u32 - 1
    }

    /// Lets a constraint's capacity depend on how many hosts contend. A message alone meets what one host gets.
    pub fn contend(&mut self, constraint: u32, by_ports: &CapacityByPorts, gain: f64, end: End) {
        let contended = Contended {
            constraint,
            by_ports: by_ports.clone(),
            gain,
            end,
        };
        self.hops[constraint as usize].bits_per_s = contended.bits_per_s(1);
        self.contended.push(contended);
    }

    /// What a path over these constraints costs.
    pub fn path(&self, route: &[u32]) -> Path {
        Path::of(route.iter().map(|at| self.hops[*at as usize]))
    }
}

/// A network that has such lists.
pub trait Listed {
    /// Its hosts and constraints.
    fn named(&self) -> &Named;
}

impl<T: Listed> Inventory for T {
    fn name(&self) -> &str {
        &self.named().name
    }

    fn hosts(&self) -> usize {
        self.named().hosts.len()
    }

    fn host_name(&self, host: usize) -> String {
        self.named().hosts[host].clone()
    }

    fn capacities(&self) -> &[f64] {
        &self.named().capacities
    }

    fn contended(&self) -> &[Contended] {
        &self.named().contended
    }

    fn constraint_name(&self, constraint: usize) -> String {
        self.named().names[constraint].clone()
    }

    fn constraint_delay_s(&self, constraint: usize) -> f64 {
        self.named().hops[constraint].delay_s
    }
}
