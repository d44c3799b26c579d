//! Which limits a frame passes between switches where there are several ways.

use std::collections::HashMap;

use crate::ways::limit::{Limit, Place, Span};
use crate::ways::mesh::{Lane, Mesh};
use crate::ways::tree::Interior;

/// The limits of a mesh, and the ways that were taken.
#[derive(Debug)]
pub struct MeshPaths {
    mesh: Mesh,
    /// By switch.
    limits: Vec<SwitchLimits>,
    /// Ways that were taken before, by their limits.
    known: HashMap<Box<[u32]>, Span>,
    /// The way that is being looked for.
    way: Vec<u32>,
}

/// The limits of one switch, as far as there are any.
#[derive(Debug)]
struct SwitchLimits {
    through: Option<u32>,
    /// By neighbour.
    next: Vec<Option<u32>>,
}

impl MeshPaths {
    /// Adds the limits of a mesh to others by `add`, which numbers them. Hosts send packets of `largest` bytes at most.
    pub fn of(mesh: &Mesh, largest: u32, mut add: impl FnMut(Limit) -> u32) -> Self {
        let limits = mesh.switches.iter().enumerate();
        let limits = limits.map(|(at, switch)| SwitchLimits {
            through: switch
                .interior
                .as_ref()
                .map(|interior| add(through(at, interior, largest))),
            next: switch
                .next
                .iter()
                .map(|next| Some(add(trunk(at, next.switch, next.lane.as_ref()?))))
                .collect(),
        });
        Self {
            limits: limits.collect(),
            mesh: mesh.clone(),
            known: HashMap::new(),
            way: Vec::new(),
        }
    }

    /// Appends the limits between two switches, for what hashes to so much; none where they are not joined.
    pub fn append(&self, from: usize, to: usize, hashed: u64, route: &mut Vec<u32>) -> Option<()> {
        if !self.mesh.reaches(from, to) {
            return None;
        }
        route.extend(self.limits[from].through);
        self.mesh.walk(from, to, hashed, |at, number| {
            route.extend(self.limits[at].next[number]);
            route.extend(self.limits[self.mesh.switches[at].next[number].switch].through);
        });
        Some(())
    }

    /// Where these limits are listed among `paths`, to which a way is added when it is first taken.
    pub fn span(&mut self, from: usize, to: usize, hashed: u64, paths: &mut Vec<u32>) -> Span {
        let mut way = std::mem::take(&mut self.way);
        way.clear();
        // Who builds the fabric has seen that all are joined.
        let _ = self.append(from, to, hashed, &mut way);
        let span = match self.known.get(&way[..]) {
            Some(span) => *span,
            None => {
                let span = Span::added(paths, &way);
                self.known.insert(way[..].into(), span);
                span
            }
        };
        self.way = way;
        span
    }
}

fn through(switch: usize, interior: &Interior, mtu_bytes: u32) -> Limit {
    Limit {
        place: Place::Through { switch },
        direction: interior.direction,
        by_ports: interior.by_ports.clone(),
        mtu_bytes,
        queue_frames: interior.queue_frames,
        dead: false,
    }
}

fn trunk(from: usize, to: usize, lane: &Lane) -> Limit {
    let cable = lane.cable;
    Limit {
        place: Place::Trunk { from, to, cable },
        direction: lane.direction,
        by_ports: None,
        mtu_bytes: lane.mtu_bytes,
        queue_frames: lane.queue_frames,
        dead: false,
    }
}
