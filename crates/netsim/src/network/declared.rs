//! A fabric as its file declares it.

use weft_fabric::{Fabric, Framing, Layout, Limit, Paths, Place};

use crate::packets;

use super::{Hop, Network, Path};

/// The network of a declared fabric: the same limits on the same ways as the lab builds of it.
#[derive(Debug)]
pub struct Declared {
    fabric: Fabric,
    layout: Layout,
    paths: Paths,
    capacities: Vec<f64>,
    /// By network, then by host.
    port_of: Vec<Vec<Option<u32>>>,
}

impl Declared {
    /// Prepares a fabric; the error says why its hosts have no paths.
    pub fn new(fabric: Fabric) -> Result<Self, String> {
        let layout = Layout::of(&fabric)?;
        let paths = Paths::of(&layout);
        let networks = layout.ports.iter().map(|port| port.network + 1).max();
        let mut port_of = vec![vec![None; fabric.hosts.len()]; networks.unwrap_or(1)];
        for (index, port) in layout.ports.iter().enumerate() {
            port_of[port.network][port.host] = Some(index as u32);
        }
        let largest = layout.ports.iter().map(|port| port.mtu_bytes).max();
        let gain = Framing::Ethernet.inside_gain(largest.unwrap_or(1500));
        Ok(Self {
            capacities: paths
                .limits
                .iter()
                .map(|limit| capacity(limit, gain))
                .collect(),
            fabric,
            layout,
            paths,
            port_of,
        })
    }

    fn hop(&self, limit: usize) -> Hop {
        let at = &self.paths.limits[limit];
        Hop {
            delay_s: at.direction.delay_ns.0 as f64 / 1e9,
            bits_per_s: match at.dead {
                // What it takes never arrives, however long it takes.
                true => f64::INFINITY,
                false => self.capacities[limit],
            },
            mtu_bytes: (!at.place.is_inside()).then_some(at.mtu_bytes),
        }
    }

    fn switch_name(&self, network: usize, switch: usize) -> &str {
        &self.layout.trees[network].switches[switch].name
    }

    /// The switch above another one; the root is above itself.
    fn above(&self, network: usize, switch: usize) -> &str {
        let parent = self.layout.trees[network].switches[switch].parent;
        self.switch_name(network, parent.unwrap_or(switch))
    }

    fn port_name(&self, port: usize) -> String {
        let port = &self.layout.ports[port];
        let name = &self.fabric.hosts[port.host].name;
        match port.network {
            0 => name.clone(),
            network => format!("{name} (network {})", network + 1),
        }
    }
}

impl Network for Declared {
    fn name(&self) -> &str {
        &self.fabric.name
    }

    fn hosts(&self) -> usize {
        self.fabric.hosts.len()
    }

    fn host_name(&self, host: usize) -> String {
        self.fabric.hosts[host].name.clone()
    }

    fn networks(&self) -> u32 {
        self.port_of.len() as u32
    }

    /// One whose first network is dead cannot take part, as in the lab, whatever else it has.
    fn is_dead(&self, host: usize) -> bool {
        self.port_of[0][host].is_some_and(|port| self.layout.ports[port as usize].dead)
    }

    fn capacities(&self) -> &[f64] {
        &self.capacities
    }

    fn constraint_name(&self, constraint: usize) -> String {
        match self.paths.limits[constraint].place {
            Place::Up { port } => format!("{} out", self.port_name(port)),
            Place::Down { port } => format!("{} in", self.port_name(port)),
            Place::Enter { network, switch } => {
                format!("into {}", self.switch_name(network, switch))
            }
            Place::Leave { network, switch } => {
                format!("out of {}", self.switch_name(network, switch))
            }
            Place::TrunkUp { network, switch } => {
                let (lower, upper) = (
                    self.switch_name(network, switch),
                    self.above(network, switch),
                );
                format!("{lower} to {upper}")
            }
            Place::TrunkDown { network, switch } => {
                let (lower, upper) = (
                    self.switch_name(network, switch),
                    self.above(network, switch),
                );
                format!("{upper} to {lower}")
            }
            Place::Detour { from, to } => {
                format!(
                    "the route {} to {}",
                    self.port_name(from),
                    self.port_name(to)
                )
            }
        }
    }

    fn constraint_delay_s(&self, constraint: usize) -> f64 {
        self.paths.limits[constraint].direction.delay_ns.0 as f64 / 1e9
    }

    fn limit(&self, constraint: usize) -> Option<packets::Limit> {
        let limit = &self.paths.limits[constraint];
        Some(packets::Limit {
            bits_per_s: self.capacities[constraint],
            delay_s: self.constraint_delay_s(constraint),
            queue_frames: limit.queue_frames,
            admission: limit.place.admission(),
        })
    }

    fn path(&self, src: usize, dst: usize, network: u32, route: &mut Vec<u32>) -> Option<Path> {
        if src == dst {
            return Some(Path::of([]));
        }
        let ports = self.port_of.get(network as usize)?;
        let (from, to) = (ports[src]? as usize, ports[dst]? as usize);
        let start = route.len();
        route.extend(self.paths.path(from, to).map(|limit| limit as u32));
        let hops = route[start..].iter().map(|limit| self.hop(*limit as usize));
        let mut path = Path::of(hops);
        // On a cable the sender's end says what it carries; between switches both ends do.
        path.mtu_bytes = path.mtu_bytes.min(self.layout.ports[to].mtu_bytes);
        Some(path)
    }
}

fn capacity(limit: &Limit, inside_gain: f64) -> f64 {
    let rate = limit.direction.rate_bits_per_s;
    let bits_per_s = rate.map_or(f64::INFINITY, |rate| rate.0 as f64);
    match (limit.dead, limit.place.is_inside()) {
        (true, _) => 0.0,
        (false, true) => bits_per_s * inside_gain,
        (false, false) => bits_per_s,
    }
}
