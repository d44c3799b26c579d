//! What has to be bought and connected: hosts, switches with their ports, and cables.

use std::collections::HashMap;

use crate::fabric::Fabric;

/// The pieces of a network by number: hosts first, then switches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wiring {
    pub hosts: u32,
    /// Cables that go into one interface: 1, unless hosts pass on what others send.
    pub cables_per_interface: u32,
    /// By switch; those that no cable uses are among them.
    pub switch_ports: Vec<u32>,
    /// The two ends of each cable.
    pub cables: Vec<[u32; 2]>,
    /// By cable; the first network is 0.
    pub networks: Vec<u32>,
}

impl Wiring {
    /// Pieces of one network, whose switches have the ports that are given.
    pub fn of_one_network(hosts: u32, switch_ports: Vec<u32>, cables: Vec<[u32; 2]>) -> Self {
        Self {
            hosts,
            cables_per_interface: 1,
            switch_ports,
            networks: vec![0; cables.len()],
            cables,
        }
    }

    /// The pieces of a declared fabric. Parts of a switch, and what links inside of a chassis join, are one piece. It
    /// has the ports that its parts declare, or as many as are used where these are more.
    pub fn of(fabric: &Fabric) -> Self {
        let pieces = Pieces::of(fabric);
        let hosts = fabric.hosts.len() as u32;
        let mut numbers: HashMap<&str, u32> = HashMap::new();
        for (host, number) in fabric.hosts.iter().zip(0..) {
            numbers.insert(&host.name, number);
        }
        let mut switch_ports = Vec::new();
        let mut number_of = HashMap::new();
        for (place, switch) in fabric.switches.iter().enumerate() {
            let number = *number_of.entry(pieces.of[place]).or_insert_with(|| {
                switch_ports.push(0);
                switch_ports.len() as u32 - 1
            });
            switch_ports[number as usize] += switch.ports.unwrap_or(0);
            numbers.insert(&switch.name, hosts + number);
        }
        let ends = |link: &crate::Link| link.ends.each_ref().map(|end| numbers[end.as_str()]);
        let links = fabric.links.iter().filter(|link| !link.inside);
        let (cables, networks): (Vec<_>, Vec<_>) =
            links.map(|link| (ends(link), link.network)).unzip();
        let mut used = vec![0; switch_ports.len()];
        for end in cables.iter().flatten().filter(|end| **end >= hosts) {
            used[(end - hosts) as usize] += 1;
        }
        let ports = switch_ports.iter().zip(used);
        Self {
            hosts,
            cables_per_interface: 1,
            switch_ports: ports.map(|(declared, used)| *declared.max(&used)).collect(),
            cables,
            networks,
        }
    }
}

/// Which switches are one piece: by switch the place of one that stands for all of the piece.
struct Pieces {
    of: Vec<usize>,
}

impl Pieces {
    fn of(fabric: &Fabric) -> Self {
        let names = fabric.switches.iter().map(|switch| switch.name.as_str());
        let places: HashMap<&str, usize> = names.zip(0..).collect();
        let mut pieces = Self {
            of: (0..fabric.switches.len()).collect(),
        };
        for (place, switch) in fabric.switches.iter().enumerate() {
            if let Some(parent) = &switch.parent {
                pieces.join(place, places[parent.as_str()]);
            }
        }
        for link in fabric.links.iter().filter(|link| link.inside) {
            let [one, other] = link.ends.each_ref().map(|end| places[end.as_str()]);
            pieces.join(one, other);
        }
        pieces.of = (0..pieces.of.len()).map(|at| pieces.first(at)).collect();
        pieces
    }

    fn join(&mut self, one: usize, other: usize) {
        let (one, other) = (self.first(one), self.first(other));
        self.of[one.max(other)] = one.min(other);
    }

    fn first(&self, mut at: usize) -> usize {
        while self.of[at] != at {
            at = self.of[at];
        }
        at
    }
}
