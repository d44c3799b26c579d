//! A declared fabric whose links may form loops: every path has as few links as possible.

use std::collections::{HashMap, VecDeque};

use weft_fabric::{
    Direction, Fabric, Framing, Names, Routing, Wiring, host_links, neighbours_of, port_of,
};

use crate::hash;

use super::named::{Listed, Named};
use super::{End, Hop, Network, Path};

/// Memory goes with the square of the switches.
const MOST_SWITCHES: usize = 4096;
const UNREACHED: u16 = u16::MAX;

/// The network of a fabric that says how to choose among paths.
#[derive(Debug)]
pub struct Meshed {
    ports: Vec<Port>,
    constraints: Named,
    wiring: Wiring,
    /// By switch, in the order of the file.
    switches: Vec<Switch>,
    /// Links from each switch to each other.
    distance: Vec<u16>,
    /// The constraints of routes with a limit of their own.
    detours: HashMap<(usize, usize), u32>,
    seed: Option<u64>,
}

#[derive(Debug)]
struct Port {
    switch: usize,
    up: u32,
    down: u32,
    is_dead: bool,
}

#[derive(Debug, Default)]
struct Switch {
    /// What all that passes it shares, where there is such a limit.
    inside: Option<u32>,
    next: Vec<Next>,
}

/// A switch beside another, and the constraint of the direction there; none where one is a part of the other.
#[derive(Debug, Clone, Copy)]
struct Next {
    switch: usize,
    constraint: Option<u32>,
}

impl Meshed {
    /// Prepares a fabric; the error says why its hosts have no paths.
    pub fn new(fabric: &Fabric) -> Result<Self, String> {
        let count = fabric.switches.len();
        if count > MOST_SWITCHES {
            return Err(format!(
                "{count} switches; with routing = \"shortest\" or \"hash\" there may be {MOST_SWITCHES}"
            ));
        }
        let mut meshed = Self {
            ports: Vec::new(),
            constraints: Named::of_fabric(fabric),
            wiring: Wiring::of(fabric)?,
            switches: Vec::new(),
            distance: Vec::new(),
            detours: HashMap::new(),
            seed: match fabric.routing {
                Routing::Hash { seed } => Some(u64::from(seed)),
                Routing::Tree | Routing::Shortest => None,
            },
        };
        meshed.add_switches(fabric);
        meshed.add_ports(fabric)?;
        meshed.add_detours(fabric);
        meshed.distance = distances(&meshed.switches);
        Ok(meshed)
    }

    fn add_switches(&mut self, fabric: &Fabric) {
        let positions = fabric.switches.iter().enumerate();
        let positions: HashMap<&str, usize> =
            positions.map(|(i, s)| (s.name.as_str(), i)).collect();
        let largest = fabric.links.iter().map(|link| link.mtu_bytes).max();
        let gain = Framing::Ethernet.inside_gain(largest.unwrap_or(1500));
        let neighbours = neighbours_of(fabric, 0);
        for switch in &fabric.switches {
            let inside = switch.capacity_bits_per_s.map(|rate| {
                let hop = Hop {
                    delay_s: 0.0,
                    bits_per_s: rate.0 as f64 * gain,
                    mtu_bytes: None,
                };
                let name = format!("through {}", switch.name);
                let number = self.constraints.add(name, hop, false);
                if let Some(by_ports) = &switch.capacity_by_ports {
                    self.constraints
                        .contend(number, by_ports, gain, End::Sender);
                }
                number
            });
            let next = self.add_next(&switch.name, &neighbours, &positions);
            self.switches.push(Switch { inside, next });
        }
    }

    fn add_next(
        &mut self,
        from: &str,
        neighbours: &Names<'_>,
        positions: &HashMap<&str, usize>,
    ) -> Vec<Next> {
        let mut cables: HashMap<&str, u32> = HashMap::new();
        let mut next = Vec::new();
        for neighbour in &neighbours[from] {
            let cable = cables.entry(neighbour.name).or_default();
            *cable += 1;
            let name = match *cable {
                1 => format!("{from} to {}", neighbour.name),
                cable => format!("{from} to {} ({cable})", neighbour.name),
            };
            let constraint = neighbour.link.map(|link| {
                let (away, _) = link.directions_from(from);
                self.constraints
                    .add(name, hop(away, Some(link.mtu_bytes)), link.dead)
            });
            next.push(Next {
                switch: positions[neighbour.name],
                constraint,
            });
        }
        next
    }

    fn add_ports(&mut self, fabric: &Fabric) -> Result<(), String> {
        for (host, link, switch) in host_links(fabric, 0)? {
            let name = &fabric.hosts[host].name;
            let at = fabric.switches.iter().position(|one| one.name == switch);
            let switch = at.ok_or_else(|| format!("the host {name:?} is at no switch"))?;
            let port = port_of((host, name), link, switch);
            let mtu_bytes = Some(port.mtu_bytes);
            let constraints = &mut self.constraints;
            let up = constraints.add(format!("{name} out"), hop(port.up, mtu_bytes), port.dead);
            let down = constraints.add(format!("{name} in"), hop(port.down, mtu_bytes), port.dead);
            self.ports.push(Port {
                switch,
                up,
                down,
                is_dead: port.dead,
            });
        }
        match fabric.links.iter().any(|link| link.network > 0) {
            true => {
                Err("with routing = \"shortest\" or \"hash\" there is one network only".to_owned())
            }
            false => Ok(()),
        }
    }

    fn add_detours(&mut self, fabric: &Fabric) {
        let position = |name: &str| fabric.hosts.iter().position(|host| host.name == name);
        for path in &fabric.paths {
            if let (Some(from), Some(to)) = (position(&path.from), position(&path.to)) {
                let name = format!("the route {} to {}", path.from, path.to);
                let constraint = self.constraints.add(name, hop(path.direction, None), false);
                self.detours.insert((from, to), constraint);
            }
        }
    }

    /// The step from a switch towards another, of a pair of hosts that hashes to so much.
    fn step(&self, at: usize, towards: usize, hashed: Option<u64>) -> Option<Next> {
        let count = self.switches.len();
        let left = self.distance[at * count + towards].checked_sub(1)?;
        let is_nearer = |next: &&Next| self.distance[next.switch * count + towards] == left;
        let mut nearer = self.switches[at].next.iter().filter(is_nearer);
        match hashed {
            None => nearer.next().copied(),
            Some(hashed) => {
                let paths = nearer.clone().count() as u64;
                // Switches in a row would else all choose alike.
                let choice = hash::mixed(hashed ^ at as u64) % paths.max(1);
                nearer.nth(choice as usize).copied()
            }
        }
    }
}

impl Listed for Meshed {
    fn named(&self) -> &Named {
        &self.constraints
    }
}

impl Network for Meshed {
    fn wiring(&self) -> Option<Wiring> {
        Some(self.wiring.clone())
    }

    fn is_dead(&self, host: usize) -> bool {
        self.ports[host].is_dead
    }

    fn path(&self, src: usize, dst: usize, network: u32, route: &mut Vec<u32>) -> Option<Path> {
        if network > 0 {
            return None;
        }
        if src == dst {
            return Some(Path::of([]));
        }
        let (from, to) = (&self.ports[src], &self.ports[dst]);
        if self.distance[from.switch * self.switches.len() + to.switch] == UNREACHED {
            return None;
        }
        let hashed = self
            .seed
            .map(|seed| hash::of_pair(seed, src as u64, dst as u64));
        let start = route.len();
        route.push(from.up);
        route.extend(self.switches[from.switch].inside);
        let mut at = from.switch;
        while let Some(next) = self.step(at, to.switch, hashed) {
            at = next.switch;
            route.extend(next.constraint);
            route.extend(self.switches[at].inside);
        }
        route.extend(self.detours.get(&(src, dst)));
        route.push(to.down);
        Some(self.constraints.path(&route[start..]))
    }
}

fn hop(direction: Direction, mtu_bytes: Option<u32>) -> Hop {
    Hop {
        delay_s: direction.delay_ns.0 as f64 / 1e9,
        bits_per_s: direction
            .rate_bits_per_s
            .map_or(f64::INFINITY, |rate| rate.0 as f64),
        mtu_bytes,
    }
}

/// From each switch to each other, breadth first.
fn distances(switches: &[Switch]) -> Vec<u16> {
    let count = switches.len();
    let mut all = vec![UNREACHED; count * count];
    for (from, found) in all.chunks_exact_mut(count.max(1)).enumerate() {
        found[from] = 0;
        let mut waiting = VecDeque::from([from]);
        while let Some(at) = waiting.pop_front() {
            for next in &switches[at].next {
                if found[next.switch] == UNREACHED {
                    found[next.switch] = found[at] + 1;
                    waiting.push_back(next.switch);
                }
            }
        }
    }
    all
}
