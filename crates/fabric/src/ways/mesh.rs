//! Switches whose links may form loops: every path has as few links as possible.

use std::collections::{HashMap, VecDeque};

use crate::fabric::{Direction, Fabric, Link};
use crate::routing::Hashing;
use crate::ways::tree::{Interior, Names, interior_of, neighbours_of};

/// Memory goes with the square of the switches.
const MOST_SWITCHES: usize = 4096;
const UNREACHED: u16 = u16::MAX;

/// The switches of all networks of a fabric that says how to choose among paths.
#[derive(Debug, Clone)]
pub struct Mesh {
    /// In the order of the file.
    pub switches: Vec<MeshSwitch>,
    /// Links from each switch to each other.
    distance: Vec<u16>,
    /// None where the first path is taken.
    pub hashing: Option<Hashing>,
}

/// A switch, and what is beside it.
#[derive(Debug, Clone)]
pub struct MeshSwitch {
    pub name: String,
    /// What all that passes it shares, where there is such a limit.
    pub interior: Option<Interior>,
    /// Links in parallel stand there one by one.
    pub next: Vec<Next>,
}

/// A switch beside another.
#[derive(Debug, Clone)]
pub struct Next {
    pub switch: usize,
    /// The direction of the link there; none where one is a part of the other.
    pub lane: Option<Lane>,
}

/// One direction of a link between switches.
#[derive(Debug, Clone)]
pub struct Lane {
    pub direction: Direction,
    pub mtu_bytes: u32,
    pub queue_frames: u32,
    /// Of several links in parallel; the first is 0.
    pub cable: u32,
}

impl Mesh {
    /// Prepares the switches of a fabric; the error says why that takes too much.
    pub fn of(fabric: &Fabric) -> Result<Self, String> {
        let count = fabric.switches.len();
        if count > MOST_SWITCHES {
            return Err(format!(
                "{count} switches; with routing = \"shortest\" or \"hash\" there may be {MOST_SWITCHES}"
            ));
        }
        let names = fabric.switches.iter().map(|switch| switch.name.as_str());
        let positions: HashMap<&str, usize> = names.zip(0..).collect();
        let networks = fabric.links.iter().map(|link| link.network + 1).max();
        let mut switches: Vec<_> = fabric
            .switches
            .iter()
            .map(|switch| MeshSwitch {
                name: switch.name.clone(),
                interior: interior_of(switch),
                next: Vec::new(),
            })
            .collect();
        for network in 0..networks.unwrap_or(1) {
            let neighbours = neighbours_of(fabric, network);
            for switch in &mut switches {
                let known = switch.next.len();
                let beside = next_of(&switch.name, &neighbours, &positions);
                // What parts are inside of is said in each network.
                let is_new = |next: &Next| known == 0 || next.lane.is_some();
                switch.next.extend(beside.into_iter().filter(is_new));
            }
        }
        Ok(Self {
            distance: distances(&switches),
            switches,
            hashing: fabric.routing.hashing(),
        })
    }

    /// Whether there is a path from a switch to another.
    pub fn reaches(&self, from: usize, to: usize) -> bool {
        self.distance_of(from, to) != UNREACHED
    }

    /// Goes from a switch to another: shows for each step the switch that is left, and which of its neighbours is next.
    pub fn walk(&self, from: usize, to: usize, hashed: u64, mut show: impl FnMut(usize, usize)) {
        let mut at = from;
        while let Some(number) = self.step(at, to, hashed) {
            show(at, number);
            at = self.switches[at].next[number].switch;
        }
    }

    fn step(&self, at: usize, towards: usize, hashed: u64) -> Option<usize> {
        let left = self.distance_of(at, towards).checked_sub(1)?;
        let nearer = self.switches[at].next.iter().enumerate();
        let mut nearer = nearer.filter(|(_, next)| self.distance_of(next.switch, towards) == left);
        let choice = match self.hashing {
            None => 0,
            Some(hashing) => hashing.choice(hashed, at, nearer.clone().count()),
        };
        nearer.nth(choice).map(|(number, _)| number)
    }

    fn distance_of(&self, from: usize, to: usize) -> u16 {
        self.distance[from * self.switches.len() + to]
    }
}

fn next_of(from: &str, neighbours: &Names<'_>, positions: &HashMap<&str, usize>) -> Vec<Next> {
    let mut cables: HashMap<&str, u32> = HashMap::new();
    let beside = neighbours[from].iter().map(|neighbour| {
        let cable = cables.entry(neighbour.name).or_default();
        *cable += 1;
        Next {
            switch: positions[neighbour.name],
            lane: neighbour.link.map(|link| lane_of(link, from, *cable - 1)),
        }
    });
    beside.collect()
}

fn lane_of(link: &Link, from: &str, cable: u32) -> Lane {
    Lane {
        direction: link.directions_from(from).0,
        mtu_bytes: link.mtu_bytes,
        queue_frames: link.queue_frames,
        cable,
    }
}

/// From each switch to each other, breadth first.
fn distances(switches: &[MeshSwitch]) -> Vec<u16> {
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
