//! How to build a fabric: which host has a port where, and the switches between them.

use std::collections::HashMap;

use weft_fabric::{Fabric, Lane, Link};

use crate::address::Interface;
use crate::error::{LabError, Result};
use crate::tree::Tree;

/// Namespaces are cheap, but the tables of neighbours grow with the square of the hosts.
const MOST_HOSTS: usize = 512;
/// As many as the addresses have room for, and more than anybody needs.
const MOST_NETWORKS: u32 = 8;

/// How the hosts are joined.
#[derive(Debug)]
pub enum Topology {
    /// One cable that limits nothing: the kernel joins the hosts, the keeper sees no frame.
    Direct { mtu_bytes: u32 },
    /// Every interface of a host is a port of the keeper, which forwards its frames.
    Forwarded(Layout),
}

/// The ports of a fabric, and what is between them.
#[derive(Debug)]
pub struct Layout {
    /// By network, then by host.
    pub ports: Vec<Port>,
    /// The switches of each network; none where two hosts share a cable.
    pub trees: Vec<Tree>,
    pub detours: Vec<Detour>,
}

/// A host's connection to the keeper.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Port {
    pub host: usize,
    pub network: usize,
    /// The switch it is at, by its position in its network's tree.
    pub switch: usize,
    /// From the host.
    pub up: Lane,
    /// To the host.
    pub down: Lane,
    pub mtu_bytes: u32,
    pub queue_frames: u32,
    /// Whether it takes everything and delivers nothing.
    pub dead: bool,
}

impl Port {
    /// The host's end of it.
    pub fn interface(&self) -> Interface {
        Interface {
            network: self.network,
            host: self.host,
        }
    }
}

/// A route with a limit of its own, between two ports.
#[derive(Debug)]
pub struct Detour {
    pub from: usize,
    pub to: usize,
    pub lane: Lane,
    pub queue_frames: u32,
}

impl Topology {
    /// Finds out how to build a fabric, or refuses.
    pub fn of(fabric: &Fabric) -> Result<Self> {
        check_size(fabric)?;
        match (&fabric.hosts[..], &fabric.switches[..], &fabric.links[..]) {
            ([_, _], [], [link]) => Ok(cable(fabric, link)),
            (_, [], _) => Err(refuse(
                fabric,
                "without a switch there must be two hosts and one link between them",
            )),
            _ => Ok(Self::Forwarded(network(fabric)?)),
        }
    }
}

fn check_size(fabric: &Fabric) -> Result<()> {
    let networks = fabric.links.iter().map(|link| link.network + 1).max();
    if networks.is_some_and(|count| count > MOST_NETWORKS) {
        return Err(refuse(
            fabric,
            &format!("more than {MOST_NETWORKS} networks"),
        ));
    }
    match fabric.hosts.len() {
        2..=MOST_HOSTS => Ok(()),
        count => {
            let hint = format!("{count} hosts; there must be from 2 to {MOST_HOSTS}");
            Err(refuse(fabric, &hint))
        }
    }
}

/// Both ends of a cable are ports; each has the lane that leads away from it.
fn cable(fabric: &Fabric, link: &Link) -> Topology {
    if link.is_unshaped() && fabric.paths.is_empty() {
        return Topology::Direct {
            mtu_bytes: link.mtu_bytes,
        };
    }
    let hosts = fabric.hosts.iter().enumerate();
    let ports: Vec<_> = hosts
        .map(|(host, named)| port_of((host, &named.name), link, 0))
        .collect();
    Topology::Forwarded(Layout {
        detours: detours(fabric, &ports),
        ports,
        trees: Vec::new(),
    })
}

/// The port at a host's end of its link.
fn port_of((host, name): (usize, &str), link: &Link, switch: usize) -> Port {
    let (up, down) = link.lanes_from(name);
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

fn network(fabric: &Fabric) -> Result<Layout> {
    let last = fabric.links.iter().map(|link| link.network).max();
    let (mut ports, mut trees) = (Vec::new(), Vec::new());
    for number in 0..=last.unwrap_or(0) {
        let links = host_links(fabric, number)?;
        let start = links.first().map(|(_, _, switch)| *switch);
        let start = start.ok_or_else(|| refuse(fabric, "no host has a link"))?;
        let tree = Tree::of(fabric, number, start).map_err(|why| refuse(fabric, &why))?;
        for (host, link, switch) in links {
            let name = fabric.hosts[host].name.as_str();
            let at = tree.find(switch).ok_or_else(|| {
                let first = &fabric.hosts[0].name;
                refuse(
                    fabric,
                    &format!("there is no way from {first:?} to {name:?}"),
                )
            })?;
            ports.push(port_of((host, name), link, at));
        }
        check_packets(fabric, &ports, &tree, number as usize)?;
        trees.push(tree);
    }
    Ok(Layout {
        detours: detours(fabric, &ports),
        ports,
        trees,
    })
}

/// The hosts of a network, each with its link and the switch at the other end.
fn host_links(fabric: &Fabric, network: u32) -> Result<Vec<(usize, &Link, &str)>> {
    let mut found = Vec::new();
    for (host, named) in fabric.hosts.iter().enumerate() {
        let links = fabric.links_of(&named.name);
        let links: Vec<_> = links.filter(|link| link.network == network).collect();
        let link = match links[..] {
            [link] => link,
            [] if network > 0 => continue,
            _ => {
                let (name, count) = (&named.name, links.len());
                let hint = format!(
                    "the host {name:?} has {count} links in network {}, not one",
                    network + 1
                );
                return Err(refuse(fabric, &hint));
            }
        };
        let other = usize::from(link.ends[0] == named.name);
        let switch = link.ends[other].as_str();
        if fabric.hosts.iter().any(|host| host.name == switch) {
            return Err(refuse(fabric, "a link joins two hosts past the switches"));
        }
        found.push((host, link, switch));
    }
    Ok(found)
}

/// A link between switches that could not carry the hosts' packets would swallow them.
fn check_packets(fabric: &Fabric, ports: &[Port], tree: &Tree, network: usize) -> Result<()> {
    let ports = ports.iter().filter(|port| port.network == network);
    let largest = ports.map(|port| port.mtu_bytes).max().unwrap_or(0);
    let trunks = tree.switches.iter().filter_map(|switch| {
        let trunk = switch.trunk.as_ref()?;
        (trunk.mtu_bytes < largest).then_some((&switch.name, trunk.mtu_bytes))
    });
    match trunks.into_iter().next() {
        None => Ok(()),
        Some((name, mtu_bytes)) => {
            let why = format!(
                "the link above {name:?} carries packets of {mtu_bytes} bytes, but hosts send \
                 packets of {largest}; give it mtu_bytes = {largest}"
            );
            Err(refuse(fabric, &why))
        }
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
            lane: path.lane,
            queue_frames: path.queue_frames,
        })
        .collect()
}

fn refuse(fabric: &Fabric, why: &str) -> LabError {
    let message = format!("the lab cannot build the fabric {:?}: {why}", fabric.name);
    let hint = "it builds two hosts on one cable, or hosts around a tree of switches";
    LabError::request(message, hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    const STAR: &str = r#"
name = "star"
[[hosts]]
ids = "n[1-3]"
attach = "s"
link = { rate = "100 Mb/s", rate_back = "10 Mb/s" }
[[switches]]
ids = "s"
"#;

    fn topology(text: &str) -> Result<Topology> {
        Topology::of(&weft_fabric::load(text, "test", 1.0).unwrap())
    }

    fn layout(text: &str) -> Layout {
        match topology(text) {
            Ok(Topology::Forwarded(layout)) => layout,
            other => panic!("not forwarded: {other:?}"),
        }
    }

    fn refusal(text: &str) -> String {
        topology(text).unwrap_err().message
    }

    #[test]
    fn each_end_of_a_cable_sends_on_its_own_lane() {
        let cable = "name = \"p\"\n[[hosts]]\nids = \"n[1-2]\"\n[[links]]\n\
                     between = [\"n2\", \"n1\"]\nrate = \"1 Gb/s\"\nrate_back = \"2 Gb/s\"";
        let ports = layout(cable).ports;
        let rate = ports[0].up.rate_bits_per_s;
        assert_eq!(rate.map(|rate| rate.0), Some(2_000_000_000));
        assert_eq!(ports[0].up, ports[1].down);
    }

    #[test]
    fn a_cable_without_limits_needs_no_keeper() {
        let direct = "name = \"p\"\n[[hosts]]\nids = \"n[1-2]\"\n[[links]]\n\
                      between = [\"n1\", \"n2\"]\nmtu_bytes = 9000";
        let is_direct = |text: &str| matches!(topology(text), Ok(Topology::Direct { .. }));
        assert!(is_direct(direct));
        assert!(!is_direct(&format!(
            "{direct}\n[[overrides]]\nids = \"n1\"\ndead = true"
        )));
        let path = "[[paths]]\nfrom = \"n1\"\nto = \"n2\"\ndelay = \"1 ms\"";
        assert!(!is_direct(&format!("{direct}\n{path}")));
    }

    #[test]
    fn a_star_has_a_port_for_each_host() {
        let layout = layout(STAR);
        assert_eq!((layout.ports.len(), layout.trees.len()), (3, 1));
        let rate = layout.ports[2].down.rate_bits_per_s;
        assert_eq!(rate.map(|rate| rate.0), Some(10_000_000));
    }

    #[test]
    fn a_second_network_has_ports_of_its_own() {
        let second = "[[attachments]]\nhosts = \"n[2-3]\"\nattach = \"t\"\n\
                      [[switches]]\nids = \"t\"";
        let layout = layout(&format!("{STAR}{second}"));
        let interfaces: Vec<_> = layout.ports.iter().map(|p| (p.network, p.host)).collect();
        assert_eq!(interfaces, [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2)]);
        assert_eq!(layout.trees.len(), 2);
    }

    #[test]
    fn what_cannot_be_built_is_refused_with_the_reason() {
        let past = format!("{STAR}[[links]]\nbetween = [\"n1\", \"n2\"]");
        assert!(refusal(&past).contains("\"n1\" has 2 links in network 1"));
        assert!(refusal(&STAR.replace("n[1-3]", "n1")).contains("1 hosts"));
        assert!(refusal("name = \"two\"\n[[hosts]]\nids = \"a,b\"").contains("one link"));
        let apart = STAR.replace("attach = \"s\"", "attach = \"s[1-2]\"\nper_switch = 2");
        let apart = apart.replace("ids = \"s\"", "ids = \"s[1-2]\"");
        assert!(refusal(&apart).contains("no way from \"n1\" to \"n3\""));
        let again = "[[links]]\nbetween = [\"s1\", \"s2\"]\n";
        assert!(topology(&format!("{apart}{again}")).is_ok());
        assert!(refusal(&format!("{apart}{again}{again}")).contains("closes a loop"));
        let jumbo = apart.replace("rate = ", "mtu_bytes = 9000, rate = ");
        assert!(refusal(&format!("{jumbo}{again}")).contains("packets of 1500 bytes"));
    }
}
