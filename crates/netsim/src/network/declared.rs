//! A fabric as its file declares it.

use weft_fabric::{
    Between, Fabric, Fields, Framing, Hashing, Layout, Limit, Paths, Place, TreeSwitch, Wiring,
};

use crate::packets;

use super::constraints::Inventory;
use super::named::{Listed, Named};
use super::{End, Flow, Hop, Network, Path};

/// The network of a declared fabric: the same limits on the same ways as the lab builds of it.
#[derive(Debug)]
pub struct Declared {
    layout: Layout,
    paths: Paths,
    constraints: Named,
    wiring: Wiring,
    /// By network, then by host.
    port_of: Vec<Vec<Option<u32>>>,
    hashing: Option<Hashing>,
}

impl Declared {
    /// Prepares a fabric; the error says why its hosts have no paths.
    pub fn new(fabric: &Fabric) -> Result<Self, String> {
        let layout = Layout::of(fabric)?;
        let paths = Paths::of(&layout);
        let networks = layout.ports.iter().map(|port| port.network + 1).max();
        let mut port_of = vec![vec![None; fabric.hosts.len()]; networks.unwrap_or(1)];
        for (index, port) in layout.ports.iter().enumerate() {
            port_of[port.network][port.host] = Some(index as u32);
        }
        let largest = layout.ports.iter().map(|port| port.mtu_bytes).max();
        let gain = Framing::Ethernet.inside_gain(largest.unwrap_or(1500));
        let mut constraints = Named::of_fabric(fabric);
        for limit in &paths.limits {
            let name = name_of(limit.place, fabric, &layout);
            let number = constraints.add(name, hop(limit, gain), limit.dead);
            if let Some(by_ports) = &limit.by_ports {
                let end = match limit.place {
                    Place::Leave { .. } => End::Receiver,
                    _ => End::Sender,
                };
                constraints.contend(number, by_ports, gain, end);
            }
        }
        Ok(Self {
            layout,
            paths,
            constraints,
            wiring: Wiring::of(fabric)?,
            port_of,
            hashing: fabric.routing.hashing(),
        })
    }
}

fn hop(limit: &Limit, inside_gain: f64) -> Hop {
    let is_inside = limit.place.is_inside();
    let gain = if is_inside { inside_gain } else { 1.0 };
    // What a dead one takes never arrives, however long it takes.
    let rate = limit.direction.rate_bits_per_s.filter(|_| !limit.dead);
    Hop {
        delay_s: limit.direction.delay_ns.0 as f64 / 1e9,
        bits_per_s: rate.map_or(f64::INFINITY, |rate| rate.0 as f64 * gain),
        mtu_bytes: (!is_inside).then_some(limit.mtu_bytes),
    }
}

fn name_of(place: Place, fabric: &Fabric, layout: &Layout) -> String {
    let port = |port: usize| {
        let port = &layout.ports[port];
        let name = &fabric.hosts[port.host].name;
        match port.network {
            0 => name.clone(),
            network => format!("{name} (network {})", network + 1),
        }
    };
    let switch = |network: usize, at: usize| tree_switch(layout, network, at);
    let meshed = |at: usize| &fabric.switches[at].name;
    // The root is above itself.
    let ends = |network: usize, at: usize| {
        let lower = switch(network, at);
        let upper = switch(network, lower.parent.unwrap_or(at));
        (&lower.name, &upper.name)
    };
    match place {
        Place::Up { port: at } => format!("{} out", port(at)),
        Place::Down { port: at } => format!("{} in", port(at)),
        Place::Enter {
            network,
            switch: at,
        } => format!("into {}", switch(network, at).name),
        Place::Leave {
            network,
            switch: at,
        } => format!("out of {}", switch(network, at).name),
        Place::TrunkUp { network, switch } => {
            let (lower, upper) = ends(network, switch);
            format!("{lower} to {upper}")
        }
        Place::TrunkDown { network, switch } => {
            let (lower, upper) = ends(network, switch);
            format!("{upper} to {lower}")
        }
        Place::Through { switch } => format!("through {}", meshed(switch)),
        Place::Trunk { from, to, cable } => {
            let ends = format!("{} to {}", meshed(from), meshed(to));
            match cable {
                0 => ends,
                more => format!("{ends} ({})", more + 1),
            }
        }
        Place::Detour { from, to } => format!("the route {} to {}", port(from), port(to)),
    }
}

fn tree_switch(layout: &Layout, network: usize, at: usize) -> &TreeSwitch {
    match &layout.between {
        Between::Trees(trees) => &trees[network].switches[at],
        _ => unreachable!("only trees have such places"),
    }
}

impl Listed for Declared {
    fn named(&self) -> &Named {
        &self.constraints
    }
}

impl Network for Declared {
    fn networks(&self) -> u32 {
        self.port_of.len() as u32
    }

    fn routing(&self) -> &'static str {
        match (&self.layout.between, self.hashing) {
            (Between::Trees(_), _) => "one path",
            (_, Some(_)) => "hash",
            (_, None) => "shortest",
        }
    }

    fn wiring(&self) -> Option<Wiring> {
        Some(self.wiring.clone())
    }

    /// One whose first network is dead cannot take part, as in the lab, whatever else it has.
    fn is_dead(&self, host: usize) -> bool {
        self.port_of[0][host].is_some_and(|port| self.layout.ports[port as usize].dead)
    }

    fn limit(&self, constraint: usize) -> Option<packets::Limit> {
        let limit = &self.paths.limits[constraint];
        Some(packets::Limit {
            bits_per_s: self.capacities()[constraint],
            delay_s: self.constraint_delay_s(constraint),
            queue_frames: limit.queue_frames,
            admission: limit.place.admission(),
        })
    }

    fn hashes_ports(&self) -> bool {
        let is_hashed = |hashing: Hashing| hashing.fields == Fields::FiveTuple;
        self.hashing.is_some_and(is_hashed)
    }

    fn path(&self, flow: Flow, route: &mut Vec<u32>) -> Option<Path> {
        if flow.src == flow.dst {
            return Some(Path::of([]));
        }
        let ports = self.port_of.get(flow.network as usize)?;
        let (from, to) = (ports[flow.src]? as usize, ports[flow.dst]? as usize);
        let hashed = self.hashing.map_or(0, |hashing| {
            hashing.of_flow(flow.src, flow.dst, flow.ports())
        });
        let start = route.len();
        let found = self.paths.append(from, to, hashed, route);
        if found.is_none() {
            route.truncate(start);
            return None;
        }
        let mut path = self.constraints.path(&route[start..]);
        // On a cable the sender's end says what it carries; between switches both ends do.
        path.mtu_bytes = path.mtu_bytes.min(self.layout.ports[to].mtu_bytes);
        Some(path)
    }
}
