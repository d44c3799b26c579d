//! Which wires a frame passes on its way from one port to another.

use std::collections::HashMap;

use crate::topology::{Layout, Port};
use crate::tree::Tree;
use crate::wire::{HEADER_BYTES, Wire};

/// The wires of a fabric and the ways through them.
///
/// A frame passes its sender's wire, then whatever limits it between the switches, and its receiver's wire.
/// The inside of a switch is a wire for each direction.
pub struct Plant {
    wires: Vec<Wire>,
    ports: usize,
    /// The first of the wires to the hosts; none where two hosts share a cable, whose wires from them suffice.
    first_down: Option<usize>,
    /// For each port the switch it is at.
    switch_of: Vec<usize>,
    switches: usize,
    /// For each pair of switches with ports where their way stands in `ways`.
    spans: Vec<(u32, u32)>,
    ways: Vec<u16>,
    /// The wires of routes with a limit of their own, by sender and receiver.
    detours: HashMap<(usize, usize), usize>,
}

impl Plant {
    pub fn new(layout: &Layout) -> Self {
        let ports = &layout.ports[..];
        let mut plant = Self {
            wires: ports.iter().map(|port| wire_of(port, true)).collect(),
            ports: ports.len(),
            first_down: None,
            switch_of: Vec::new(),
            switches: 0,
            spans: Vec::new(),
            ways: Vec::new(),
            detours: HashMap::new(),
        };
        match layout.trees.is_empty() {
            true => plant.join_by_cable(),
            false => plant.join_by_switches(layout),
        }
        for detour in &layout.detours {
            let mtu_bytes = ports[detour.from].mtu_bytes;
            let wire = Wire::new(detour.lane, mtu_bytes, detour.queue_frames);
            let wire = plant.add(wire);
            plant.detours.insert((detour.from, detour.to), wire);
        }
        plant
    }

    /// The wire a frame passes at a step of its way to a port; none when it is there. Step 0 is the
    /// sender's own wire. Takes time in proportion to the step, and there are few.
    pub fn wire_at(&mut self, step: usize, from: usize, to: usize) -> Option<&mut Wire> {
        let wire = match step {
            0 => from,
            _ => self.later_wire(step - 1, from, to)?,
        };
        self.wires.get_mut(wire)
    }

    fn later_wire(&self, step: usize, from: usize, to: usize) -> Option<usize> {
        let (start, length) = self.spans[self.switch_of[from] * self.switches + self.switch_of[to]];
        if step < length as usize {
            return Some(usize::from(self.ways[start as usize + step]));
        }
        let detour = match self.detours.is_empty() {
            true => None,
            false => self.detours.get(&(from, to)).copied(),
        };
        let down = self.first_down.map(|first| first + to);
        detour.into_iter().chain(down).nth(step - length as usize)
    }

    /// How long the largest frame takes on the fastest of the hosts' own wires that have a rate.
    pub fn shortest_frame_ns(&self, mtu_bytes: u32) -> u64 {
        let frame_bytes = u64::from(mtu_bytes + HEADER_BYTES);
        let own = 2 * self.ports;
        let times = self
            .wires
            .iter()
            .take(own)
            .map(|wire| wire.time_on_wire(frame_bytes).0);
        times.filter(|time| *time > 0).min().unwrap_or(0)
    }

    fn join_by_cable(&mut self) {
        self.switch_of = vec![0; self.ports];
        self.switches = 1;
        self.spans = vec![(0, 0)];
    }

    fn join_by_switches(&mut self, layout: &Layout) {
        self.first_down = Some(self.wires.len());
        self.wires
            .extend(layout.ports.iter().map(|port| wire_of(port, false)));
        let sizes = layout.trees.iter().map(|tree| tree.switches.len());
        let firsts: Vec<_> = sizes
            .scan(0, |next, size| Some(std::mem::replace(next, *next + size)))
            .collect();
        let switch_of = |port: &Port| firsts[port.network] + port.switch;
        self.switch_of = layout.ports.iter().map(switch_of).collect();
        self.switches = layout.trees.iter().map(|tree| tree.switches.len()).sum();
        self.spans = vec![(0, 0); self.switches * self.switches];
        for (network, tree) in layout.trees.iter().enumerate() {
            self.lay_ways(tree, firsts[network]);
        }
    }

    /// Adds the wires of a network's switches and the ways between those that have ports.
    fn lay_ways(&mut self, tree: &Tree, first: usize) {
        let mtu_bytes = tree
            .switches
            .iter()
            .filter_map(|s| s.trunk)
            .map(|t| t.mtu_bytes)
            .max();
        let inner: Vec<_> = tree
            .switches
            .iter()
            .map(|switch| self.add_inner(switch, mtu_bytes.unwrap_or(0)))
            .collect();
        let mut leaves: Vec<_> = self.switch_of.clone();
        leaves.retain(|switch| (first..first + tree.switches.len()).contains(switch));
        leaves.sort_unstable();
        leaves.dedup();
        for &from in &leaves {
            for &to in &leaves {
                let way = way_between(tree, &inner, from - first, to - first);
                let span = (self.ways.len() as u32, way.len() as u32);
                self.spans[from * self.switches + to] = span;
                self.ways.extend(way);
            }
        }
    }

    fn add_inner(&mut self, switch: &crate::tree::TreeSwitch, mtu_bytes: u32) -> Inner {
        let interior = |_| {
            let interior = switch.interior?;
            Some(Wire::inside(
                interior.lane,
                mtu_bytes,
                interior.queue_frames,
            ))
        };
        let trunk = |is_up: bool| {
            let trunk = switch.trunk?;
            let lane = if is_up { trunk.up } else { trunk.down };
            let wire = Wire::new(lane, trunk.mtu_bytes, trunk.queue_frames);
            (!lane.is_unshaped()).then_some(wire)
        };
        let mut add = |wire: Option<Wire>| wire.map(|wire| self.add(wire) as u16);
        Inner {
            enter: add(interior(())),
            leave: add(interior(())),
            up: add(trunk(true)),
            down: add(trunk(false)),
        }
    }

    fn add(&mut self, wire: Wire) -> usize {
        self.wires.push(wire);
        self.wires.len() - 1
    }
}

/// The wires of one switch, those that limit anything.
struct Inner {
    /// Everything that its members send.
    enter: Option<u16>,
    /// Everything that its members receive.
    leave: Option<u16>,
    up: Option<u16>,
    down: Option<u16>,
}

/// Up to the switch above both, and down again.
fn way_between(tree: &Tree, inner: &[Inner], from: usize, to: usize) -> Vec<u16> {
    let above_target: Vec<_> = tree.climb(to).collect();
    let mut way = Vec::new();
    let mut top = 0;
    for at in tree.climb(from) {
        way.extend(inner[at].enter);
        if let Some(position) = above_target.iter().position(|switch| *switch == at) {
            top = position;
            break;
        }
        way.extend(inner[at].up);
    }
    way.extend(inner[above_target[top]].leave);
    for &at in above_target[..top].iter().rev() {
        way.extend(inner[at].down);
        way.extend(inner[at].leave);
    }
    way
}

fn wire_of(port: &Port, is_up: bool) -> Wire {
    let lane = if is_up { port.up } else { port.down };
    match port.dead {
        true => Wire::dead(lane),
        false => Wire::new(lane, port.mtu_bytes, port.queue_frames),
    }
}
