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
        let mut add = |wire: Option<Wire>| wire.map(|wire| self.add(wire.shared()) as u16);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::Topology;

    /// Two cards with two chips of one host each; every limit has a rate of its own, in bit/s.
    const CARDS: &str = r#"
name = "cards"
[[hosts]]
ids = "n[1-4]"
attach = "card[1-2]/chip[1-2]"
per_switch = 1
link = { rate = "1 b/s", rate_back = "2 b/s" }
[[switches]]
ids = "card[1-2]/chip[1-2]"
capacity = "10 b/s"
[[links]]
between = ["card[1-2]", "back"]
rate = "100 b/s"
rate_back = "200 b/s"
"#;

    fn plant(text: &str) -> Plant {
        let fabric = weft_fabric::load(text, "test", 1.0).unwrap();
        match Topology::of(&fabric) {
            Ok(Topology::Forwarded(layout)) => Plant::new(&layout),
            other => panic!("not forwarded: {other:?}"),
        }
    }

    /// The wires on a way, each by the rate that it is known by.
    fn rates(plant: &mut Plant, from: usize, to: usize) -> Vec<u64> {
        let mut step = 0;
        std::iter::from_fn(|| {
            let wire = plant.wire_at(step, from, to)?;
            step += 1;
            Some(wire.bits_per_s())
        })
        .collect()
    }

    #[test]
    fn a_frame_passes_every_limit_between_its_hosts() {
        let mut plant = plant(CARDS);
        assert_eq!(rates(&mut plant, 0, 3), [1, 10, 100, 200, 10, 2]);
        assert_eq!(rates(&mut plant, 0, 1), [1, 10, 10, 2]);
    }

    #[test]
    fn what_stays_on_a_chip_passes_it_in_and_out() {
        let mut plant = plant(&CARDS.replace("per_switch = 1", "per_switch = 4"));
        assert_eq!(rates(&mut plant, 0, 1), [1, 10, 10, 2]);
    }

    #[test]
    fn directions_and_chips_do_not_share() {
        let mut plant = plant(CARDS);
        let wires = |plant: &Plant, from, to| {
            (0..6)
                .filter_map(|step| plant.later_wire(step, from, to))
                .collect::<Vec<_>>()
        };
        let (there, back) = (wires(&plant, 0, 3), wires(&plant, 3, 0));
        assert!(there.iter().all(|wire| !back.contains(wire)));
        assert!(plant.wire_at(6, 0, 3).is_none());
    }

    #[test]
    fn the_capacity_above_counts_for_all_below() {
        let all = "[[switches]]\nids = \"back\"\ncapacity = \"50 b/s\"";
        let mut plant = plant(&format!("{CARDS}{all}"));
        assert_eq!(rates(&mut plant, 0, 3), [1, 10, 100, 50, 50, 200, 10, 2]);
        assert_eq!(rates(&mut plant, 0, 1), [1, 10, 10, 2]);
    }

    #[test]
    fn a_link_to_the_whole_says_how_a_part_is_joined() {
        let bus = "[[links]]\nbetween = [\"card1/chip[1-2]\", \"card1\"]\nrate = \"7 b/s\"";
        let mut plant = plant(&format!("{CARDS}{bus}"));
        assert_eq!(rates(&mut plant, 0, 1), [1, 10, 7, 7, 10, 2]);
        assert_eq!(rates(&mut plant, 2, 3), [1, 10, 10, 2]);
    }

    #[test]
    fn a_slow_route_is_slow_one_way() {
        let path = "[[paths]]\nfrom = \"n1\"\nto = \"n2\"\nrate = \"3 b/s\"";
        let mut plant = plant(&format!("{CARDS}{path}"));
        assert_eq!(rates(&mut plant, 0, 1), [1, 10, 10, 3, 2]);
        assert_eq!(rates(&mut plant, 1, 0), [1, 10, 10, 2]);
        assert_eq!(rates(&mut plant, 0, 3).len(), 6);
    }

    #[test]
    fn a_dead_host_neither_sends_nor_receives() {
        let mut plant = plant(&format!("{CARDS}[[overrides]]\nids = \"n1\"\ndead = true"));
        let mut passes = |step, from, to| plant.wire_at(step, from, to).unwrap().pass(0, 60, 0);
        assert_eq!(passes(0, 0, 1), None);
        assert_eq!(passes(3, 1, 0), None);
        assert!(passes(0, 1, 0).is_some());
    }
}
