//! The switches of one network as a tree: what is above what, and how they are joined.

use std::collections::{HashMap, HashSet, VecDeque};

use crate::contention::CapacityByPorts;
use crate::fabric::{Direction, Fabric, Link, Switch};

/// The switches that the hosts of a network are joined by. The first is the root: the middle of the tree.
#[derive(Debug)]
pub struct Tree {
    /// Each switch stands behind the one above it.
    pub switches: Vec<TreeSwitch>,
}

/// A switch and its path up.
#[derive(Debug)]
pub struct TreeSwitch {
    /// Its name in the fabric.
    pub name: String,
    /// The switch above, by its position in the tree; none above the root.
    pub parent: Option<usize>,
    /// How it is joined to the switch above; a part of a switch is joined to it without a limit.
    pub trunk: Option<Trunk>,
    /// What limits the traffic that its members send, and likewise that they receive.
    pub interior: Option<Interior>,
}

/// A link between a switch and the one above.
#[derive(Debug, Clone, Copy)]
pub struct Trunk {
    /// To the switch above.
    pub up: Direction,
    /// From the switch above.
    pub down: Direction,
    /// The largest IP packet it carries.
    pub mtu_bytes: u32,
    /// Frames that wait in front of each direction.
    pub queue_frames: u32,
}

/// The capacity of a switch, for one direction.
#[derive(Debug, Clone)]
pub struct Interior {
    /// What it lets through, without a delay.
    pub direction: Direction,
    /// Where that depends on how many ports contend; the direction then has the greatest.
    pub by_ports: Option<CapacityByPorts>,
    /// Frames that wait for it.
    pub queue_frames: u32,
}

pub type Names<'a> = HashMap<&'a str, Vec<Neighbour<'a>>>;

#[derive(Clone, Copy)]
pub struct Neighbour<'a> {
    pub name: &'a str,
    /// How they are joined; none where one is a part of the other.
    pub link: Option<&'a Link>,
}

impl Tree {
    /// The switches connected with `start`; the error says where they form a loop.
    pub fn of(fabric: &Fabric, network: u32, start: &str) -> Result<Self, String> {
        let neighbours = neighbours_of(fabric, network);
        let connected = walk(&neighbours, start)?;
        let root = middle(fabric, network, &neighbours, &connected);
        let order = walk(&neighbours, root)?;
        let position: HashMap<&str, usize> = order
            .iter()
            .enumerate()
            .map(|(i, step)| (step.name, i))
            .collect();
        let switch = |step: &Step<'_>| TreeSwitch {
            name: step.name.to_owned(),
            parent: step.from.map(|from| position[from]),
            trunk: step.link.map(|link| trunk_from(link, step.name)),
            interior: fabric
                .switches
                .iter()
                .find(|switch| switch.name == step.name)
                .and_then(interior_of),
        };
        Ok(Self {
            switches: order.iter().map(switch).collect(),
        })
    }

    /// The position of a switch, if it is part of this tree.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.switches.iter().position(|switch| switch.name == name)
    }

    /// A switch and all above it, up to the root.
    pub fn climb(&self, from: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(from), |at| self.switches[*at].parent)
    }
}

/// Switches and hosts of a network, each with the one above it; the root is the first, and each stands behind the one
/// above. The hosts are those that the first one of them reaches.
pub fn nodes_of(fabric: &Fabric, network: u32) -> Result<Vec<(String, Option<String>)>, String> {
    let cable = |host: &str| {
        let of_host = |link: &&Link| link.network == network && link.joins(host);
        let link = fabric.links.iter().find(of_host)?;
        Some(link.ends[usize::from(link.ends[0] == host)].as_str())
    };
    let hosts = fabric.hosts.iter().map(|host| host.name.as_str());
    let cables: Vec<_> = hosts
        .filter_map(|host| Some((host, cable(host)?)))
        .collect();
    let Some(&(first, start)) = cables.first() else {
        return Ok(Vec::new());
    };
    if fabric.hosts.iter().any(|host| host.name == start) {
        let (root, other) = (first.to_owned(), start.to_owned());
        return Ok(vec![(root.clone(), None), (other, Some(root))]);
    }
    let switches = Tree::of(fabric, network, start)?.switches;
    let above = |at: usize| switches[at].name.clone();
    let joints = switches
        .iter()
        .map(|one| (one.name.clone(), one.parent.map(above)));
    let is_below = |name: &str| switches.iter().any(|one| one.name == name);
    let leaves = cables
        .iter()
        .filter(|(_, switch)| is_below(switch))
        .map(|(host, switch)| ((*host).to_owned(), Some((*switch).to_owned())));
    Ok(joints.chain(leaves).collect())
}

/// A link between switches says how they are joined; where there is none, a part is joined to its whole.
pub fn neighbours_of(fabric: &Fabric, network: u32) -> Names<'_> {
    let mut neighbours: Names<'_> = fabric
        .switches
        .iter()
        .map(|switch| (switch.name.as_str(), Vec::new()))
        .collect();
    let trunks = fabric.links.iter().filter(|link| link.network == network);
    for link in trunks {
        join(&mut neighbours, [&link.ends[0], &link.ends[1]], Some(link));
    }
    for switch in &fabric.switches {
        let Some(parent) = &switch.parent else {
            continue;
        };
        let is_linked = |other: &Neighbour<'_>| other.name == parent;
        if !neighbours[switch.name.as_str()].iter().any(is_linked) {
            join(&mut neighbours, [&switch.name, parent], None);
        }
    }
    neighbours
}

/// Notes that two switches are neighbours; does nothing where one end is a host.
fn join<'a>(neighbours: &mut Names<'a>, ends: [&'a str; 2], link: Option<&'a Link>) {
    if ends.iter().all(|end| neighbours.contains_key(end)) {
        for (one, name) in [(ends[0], ends[1]), (ends[1], ends[0])] {
            neighbours
                .entry(one)
                .or_default()
                .push(Neighbour { name, link });
        }
    }
}

struct Step<'a> {
    name: &'a str,
    from: Option<&'a str>,
    link: Option<&'a Link>,
    depth: usize,
}

/// All switches connected with one, the near ones first; the error names a loop.
fn walk<'a>(neighbours: &Names<'a>, start: &'a str) -> Result<Vec<Step<'a>>, String> {
    let step = |name, from, link, depth| Step {
        name,
        from,
        link,
        depth,
    };
    let mut found = HashSet::from([start]);
    let mut waiting = VecDeque::from([step(start, None, None, 0)]);
    let mut order = Vec::new();
    while let Some(here) = waiting.pop_front() {
        let mut path_back = here.from;
        for next in &neighbours[here.name] {
            // A second link back is a loop too.
            if path_back == Some(next.name) {
                path_back = None;
                continue;
            }
            if !found.insert(next.name) {
                let (one, other) = (here.name, next.name);
                return Err(format!(
                    "what joins {one:?} and {other:?} closes a loop; where there are several ways, the fabric must \
                     say which is taken: routing = \"hash\" or \"shortest\""
                ));
            }
            waiting.push_back(step(next.name, Some(here.name), next.link, here.depth + 1));
        }
        order.push(here);
    }
    Ok(order)
}

/// The switch from which the farthest is nearest; of several, the one that is nearer to more.
fn middle<'a>(
    fabric: &Fabric,
    network: u32,
    neighbours: &Names<'a>,
    connected: &[Step<'a>],
) -> &'a str {
    let mut links_at: HashMap<&str, usize> = HashMap::new();
    for link in fabric.links.iter().filter(|link| link.network == network) {
        let ends = link.ends.iter();
        ends.for_each(|end| *links_at.entry(end).or_default() += 1);
    }
    let hosts_at: HashMap<&str, usize> = connected
        .iter()
        .map(|step| {
            let joined = links_at.get(step.name).copied().unwrap_or_default();
            let trunks = neighbours[step.name].iter().filter(|n| n.link.is_some());
            (step.name, joined - trunks.count())
        })
        .collect();
    let remoteness = |name: &'a str| {
        let steps = walk(neighbours, name).unwrap_or_default();
        let far = |step: &Step<'_>| step.depth + usize::from(hosts_at[step.name] > 0);
        let sum = |step: &Step<'_>| step.depth + hosts_at[step.name] * (step.depth + 1);
        let farthest = steps.iter().map(far).max().unwrap_or(0);
        (farthest, steps.iter().map(sum).sum::<usize>())
    };
    let names = connected.iter().map(|step| step.name);
    names
        .min_by_key(|name| remoteness(name))
        .unwrap_or_default()
}

fn trunk_from(link: &Link, lower: &str) -> Trunk {
    let (up, down) = link.directions_from(lower);
    Trunk {
        up,
        down,
        mtu_bytes: link.mtu_bytes,
        queue_frames: link.queue_frames,
    }
}

/// What limits a switch, if anything does.
pub fn interior_of(switch: &Switch) -> Option<Interior> {
    switch.capacity_bits_per_s.map(|rate| Interior {
        direction: Direction {
            rate_bits_per_s: Some(rate),
            ..Direction::default()
        },
        by_ports: switch.capacity_by_ports.clone(),
        queue_frames: switch.queue_frames,
    })
}
