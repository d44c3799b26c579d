//! What has to be bought and connected: hosts, switches with their ports, and cables.

use std::collections::HashMap;

use crate::fabric::{Fabric, Link};

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
    /// By cable: bit/s of its faster direction; 0 where nothing limits it.
    pub rates: Vec<u64>,
}

impl Wiring {
    /// Pieces of one network, whose switches have the ports that are given.
    pub fn of_one_network(hosts: u32, switch_ports: Vec<u32>, cables: Vec<[u32; 2]>) -> Self {
        Self {
            hosts,
            cables_per_interface: 1,
            switch_ports,
            networks: vec![0; cables.len()],
            rates: vec![0; cables.len()],
            cables,
        }
    }

    /// The same with cables that all have one rate in bit/s.
    pub fn at_rate(self, bits_per_s: u64) -> Self {
        let rates = vec![bits_per_s; self.cables.len()];
        Self { rates, ..self }
    }

    /// The pieces of a declared fabric. Parts of a switch, and what links inside of a chassis join, are one piece. It
    /// has the ports that its parts declare, or as many as are used where these are more. The error names what is not
    /// there, though a link or a part refers to it.
    pub fn of(fabric: &Fabric) -> Result<Self, String> {
        let hosts = fabric.hosts.len() as u32;
        let (numbers, declared) = number(fabric)?;
        let (mut cables, mut networks, mut rates) = (Vec::new(), Vec::new(), Vec::new());
        for link in fabric.links.iter().filter(|link| !link.inside) {
            cables.push(ends_of(link, &numbers)?);
            networks.push(link.network);
            rates.push(rate_of(link, fabric.scale));
        }
        let mut used = vec![0; declared.len()];
        for end in cables.iter().flatten().filter(|end| **end >= hosts) {
            used[(end - hosts) as usize] += 1;
        }
        let ports = declared.into_iter().zip(used);
        Ok(Self {
            hosts,
            cables_per_interface: 1,
            switch_ports: ports.map(|(declared, used)| declared.max(used)).collect(),
            cables,
            networks,
            rates,
        })
    }
}

/// The number of each host and switch, the same for all that are one piece; and the ports that each piece declares.
fn number(fabric: &Fabric) -> Result<(HashMap<&str, u32>, Vec<u32>), String> {
    let pieces = Pieces::of(fabric)?;
    let hosts = fabric.hosts.iter().map(|host| host.name.as_str());
    let mut numbers: HashMap<&str, u32> = hosts.zip(0..).collect();
    let mut declared = Vec::new();
    let mut number_of = HashMap::new();
    for (place, switch) in fabric.switches.iter().enumerate() {
        let number = *number_of.entry(pieces.of[place]).or_insert_with(|| {
            declared.push(0);
            declared.len() - 1
        });
        declared[number] += switch.ports.unwrap_or(0);
        numbers.insert(&switch.name, (fabric.hosts.len() + number) as u32);
    }
    Ok((numbers, declared))
}

/// As it is sold: before all rates were multiplied by the scale.
fn rate_of(link: &Link, scale: f64) -> u64 {
    let rates =
        [&link.forward, &link.backward].map(|one| one.rate_bits_per_s.map_or(0, |rate| rate.0));
    (rates[0].max(rates[1]) as f64 / scale).round() as u64
}

fn ends_of<T: Copy>(link: &Link, places: &HashMap<&str, T>) -> Result<[T; 2], String> {
    let [one, other] = &link.ends;
    Ok([place_of(one, places)?, place_of(other, places)?])
}

fn place_of<T: Copy>(name: &str, places: &HashMap<&str, T>) -> Result<T, String> {
    let place = places.get(name).copied();
    place.ok_or_else(|| format!("there is no node {name:?}"))
}

/// Which switches are one piece: by switch the place of one that stands for all of the piece.
struct Pieces {
    of: Vec<usize>,
}

impl Pieces {
    fn of(fabric: &Fabric) -> Result<Self, String> {
        let names = fabric.switches.iter().map(|switch| switch.name.as_str());
        let places: HashMap<&str, usize> = names.zip(0..).collect();
        let mut pieces = Self {
            of: (0..fabric.switches.len()).collect(),
        };
        for (place, switch) in fabric.switches.iter().enumerate() {
            if let Some(parent) = &switch.parent {
                pieces.join(place, place_of(parent, &places)?);
            }
        }
        for link in fabric.links.iter().filter(|link| link.inside) {
            let [one, other] = ends_of(link, &places)?;
            pieces.join(one, other);
        }
        pieces.of = (0..pieces.of.len()).map(|at| pieces.first(at)).collect();
        Ok(pieces)
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
