//! Which host has a port where, and the switches between them.

use std::collections::HashMap;

use crate::fabric::{Direction, Fabric, Link};
use crate::routing::Routing;
use crate::ways::{Mesh, Tree};

/// The ports of a fabric, and what is between them.
#[derive(Debug)]
pub struct Layout {
    /// By network, then by host.
    pub ports: Vec<Port>,
    pub between: Between,
    /// The routes with a limit of their own.
    pub detours: Vec<Detour>,
}

/// What is between the ports.
#[derive(Debug)]
pub enum Between {
    /// Two hosts share it.
    Cable,
    /// The switches of each network, with one way only.
    Trees(Vec<Tree>),
    /// The switches of all networks, with several ways.
    Mesh(Mesh),
}

/// A host's connection to the network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Port {
    /// The host, by its position in the fabric.
    pub host: usize,
    /// The network it is in. The first is 0.
    pub network: usize,
    /// The switch it is at, by its position in its network's tree, or in the mesh.
    pub switch: usize,
    /// From the host.
    pub up: Direction,
    /// To the host.
    pub down: Direction,
    /// The largest IP packet it carries.
    pub mtu_bytes: u32,
    /// Frames that wait in front of each direction.
    pub queue_frames: u32,
    /// Whether it takes everything and delivers nothing.
    pub dead: bool,
}

/// A route with a limit of its own, between two ports.
#[derive(Debug)]
pub struct Detour {
    /// The sender, by position in `ports`.
    pub from: usize,
    /// The receiver, by position in `ports`.
    pub to: usize,
    /// What the route carries.
    pub direction: Direction,
    /// Frames that wait in front of it.
    pub queue_frames: u32,
}

impl Layout {
    /// Finds the ports of a fabric: two hosts on one cable, or hosts around switches. The error says why it is neither.
    pub fn of(fabric: &Fabric) -> Result<Self, String> {
        match (&fabric.hosts[..], &fabric.switches[..], &fabric.links[..]) {
            ([_, _], [], [link]) => Ok(cable(fabric, link)),
            (_, [], _) => {
                let why = "without a switch there must be two hosts and one link between them";
                Err(why.to_owned())
            }
            _ if fabric.routing == Routing::Tree => trees(fabric),
            _ => mesh(fabric),
        }
    }
}

/// Both ends of a cable are ports; each has the direction that leads away from it.
fn cable(fabric: &Fabric, link: &Link) -> Layout {
    let hosts = fabric.hosts.iter().enumerate();
    let ports: Vec<_> = hosts
        .map(|(host, named)| port_of((host, &named.name), link, 0))
        .collect();
    Layout {
        detours: detours(fabric, &ports),
        ports,
        between: Between::Cable,
    }
}

/// The port at a host's end of its link.
fn port_of((host, name): (usize, &str), link: &Link, switch: usize) -> Port {
    let (up, down) = link.directions_from(name);
    Port {
        host,
        network: link.network as usize,
        switch,
        up,
        down,
        mtu_bytes: link.mtu_bytes,
        queue_frames: link.queue_frames,
        dead: link.dead,
    }
}

fn networks_of(fabric: &Fabric) -> u32 {
    let numbers = fabric.links.iter().map(|link| link.network + 1);
    numbers.max().unwrap_or(1)
}

fn trees(fabric: &Fabric) -> Result<Layout, String> {
    let (mut ports, mut trees) = (Vec::new(), Vec::new());
    for number in 0..networks_of(fabric) {
        let links = host_links(fabric, number)?;
        let start = links.first().map(|(_, _, switch)| *switch);
        let start = start.ok_or("no host has a link")?;
        let tree = Tree::of(fabric, number, start)?;
        for (host, link, switch) in links {
            let name = fabric.hosts[host].name.as_str();
            let at = tree.find(switch).ok_or_else(|| {
                let first = &fabric.hosts[0].name;
                format!("there is no path from {first:?} to {name:?}")
            })?;
            ports.push(port_of((host, name), link, at));
        }
        check_packets(&ports, &tree, number as usize)?;
        trees.push(tree);
    }
    Ok(Layout {
        detours: detours(fabric, &ports),
        ports,
        between: Between::Trees(trees),
    })
}

fn mesh(fabric: &Fabric) -> Result<Layout, String> {
    let names = fabric.switches.iter().map(|switch| switch.name.as_str());
    let positions: HashMap<&str, usize> = names.zip(0..).collect();
    let mut ports = Vec::new();
    for number in 0..networks_of(fabric) {
        for (host, link, switch) in host_links(fabric, number)? {
            let name = fabric.hosts[host].name.as_str();
            let at = positions.get(switch);
            let at = at.ok_or_else(|| format!("the host {name:?} is at no switch"))?;
            ports.push(port_of((host, name), link, *at));
        }
    }
    Ok(Layout {
        detours: detours(fabric, &ports),
        ports,
        between: Between::Mesh(Mesh::of(fabric)?),
    })
}

/// The hosts of a network, each with its link and the switch at the other end.
fn host_links(fabric: &Fabric, network: u32) -> Result<Vec<(usize, &Link, &str)>, String> {
    let names = fabric.hosts.iter().map(|host| host.name.as_str());
    let places: HashMap<&str, usize> = names.zip(0..).collect();
    let mut links_of = vec![Vec::new(); fabric.hosts.len()];
    for link in fabric.links.iter().filter(|link| link.network == network) {
        let hosts = link.ends.iter().filter_map(|end| places.get(end.as_str()));
        hosts.for_each(|host| links_of[*host].push(link));
    }
    let mut found = Vec::new();
    for (host, (named, links)) in fabric.hosts.iter().zip(links_of).enumerate() {
        let link = match links[..] {
            [link] => link,
            [] if network > 0 => continue,
            _ => {
                let (name, count) = (&named.name, links.len());
                return Err(format!(
                    "the host {name:?} has {count} links in network {}, not one",
                    network + 1
                ));
            }
        };
        let other = usize::from(link.ends[0] == named.name);
        let switch = link.ends[other].as_str();
        if places.contains_key(switch) {
            return Err("a link joins two hosts past the switches".to_owned());
        }
        found.push((host, link, switch));
    }
    Ok(found)
}

/// A link between switches that could not carry the hosts' packets would swallow them.
fn check_packets(ports: &[Port], tree: &Tree, network: usize) -> Result<(), String> {
    let ports = ports.iter().filter(|port| port.network == network);
    let largest = ports.map(|port| port.mtu_bytes).max().unwrap_or(0);
    let trunks = tree.switches.iter().filter_map(|switch| {
        let trunk = switch.trunk.as_ref()?;
        (trunk.mtu_bytes < largest).then_some((&switch.name, trunk.mtu_bytes))
    });
    match trunks.into_iter().next() {
        None => Ok(()),
        Some((name, mtu_bytes)) => Err(format!(
            "the link above {name:?} carries packets of {mtu_bytes} bytes, but hosts send \
             packets of {largest}; give it mtu_bytes = {largest}"
        )),
    }
}

fn detours(fabric: &Fabric, ports: &[Port]) -> Vec<Detour> {
    let numbers: HashMap<(&str, u32), usize> = ports
        .iter()
        .enumerate()
        .map(|(i, port)| {
            (
                (fabric.hosts[port.host].name.as_str(), port.network as u32),
                i,
            )
        })
        .collect();
    let paths = fabric.paths.iter();
    paths
        .map(|path| Detour {
            from: numbers[&(path.from.as_str(), path.network)],
            to: numbers[&(path.to.as_str(), path.network)],
            direction: path.direction,
            queue_frames: path.queue_frames,
        })
        .collect()
}
