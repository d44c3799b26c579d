//! Which limits a frame passes on its way from one port to another.

use std::collections::HashMap;

use crate::layout::{Between, Layout, Port};
use crate::ways::limit::{Limit, Place, Span};
use crate::ways::mesh::Mesh;
use crate::ways::mesh_paths::MeshPaths;
use crate::ways::tree::{Tree, TreeSwitch};

/// The limits of a fabric and the paths through them.
///
/// A frame passes its sender's cable, then whatever limits it between the switches, and its receiver's cable. What a
/// switch lets in and what it lets out are limits of their own, and so is each direction of a link.
#[derive(Debug)]
pub struct Paths {
    /// Each limit, by its number.
    pub limits: Vec<Limit>,
    ports: usize,
    /// The first of the limits to the hosts; none where two hosts share a cable, whose limits from them suffice.
    first_down: Option<usize>,
    /// For each port the switch it is at.
    switch_of: Vec<usize>,
    choices: Choices,
    /// What is between switches, span by span.
    paths: Vec<u32>,
    /// The limits of routes of their own, by sender and receiver.
    detours: HashMap<(usize, usize), usize>,
}

#[derive(Debug)]
enum Choices {
    /// One way: by pair of switches with ports its span.
    Tree { switches: usize, spans: Vec<Span> },
    /// One of several.
    Mesh(MeshPaths),
}

impl Paths {
    /// Finds all paths through a layout. Takes memory for the square of the switches.
    pub fn of(layout: &Layout) -> Self {
        let ports = &layout.ports[..];
        let up = |(port, at)| limit_of(at, Place::Up { port }, true);
        let mut paths = Self {
            limits: ports.iter().enumerate().map(up).collect(),
            ports: ports.len(),
            first_down: None,
            switch_of: vec![0; ports.len()],
            choices: Choices::Tree {
                switches: 1,
                spans: vec![Span::default()],
            },
            paths: Vec::new(),
            detours: HashMap::new(),
        };
        match &layout.between {
            Between::Cable => {}
            Between::Trees(trees) => paths.join_by_trees(ports, trees),
            Between::Mesh(mesh) => paths.join_by_mesh(ports, mesh),
        }
        for detour in &layout.detours {
            let (from, to) = (detour.from, detour.to);
            let limit = paths.add(Limit {
                place: Place::Detour { from, to },
                direction: detour.direction,
                by_ports: None,
                mtu_bytes: ports[from].mtu_bytes,
                queue_frames: detour.queue_frames,
                dead: false,
            });
            paths.detours.insert((from, to), limit);
        }
        paths
    }

    /// The way between the switches of two ports that are joined, for what hashes to so much.
    #[inline]
    pub fn span(&mut self, from: usize, to: usize, hashed: u64) -> Span {
        let (from, to) = (self.switch_of[from], self.switch_of[to]);
        match &mut self.choices {
            Choices::Tree { switches, spans } => spans[from * *switches + to],
            Choices::Mesh(mesh) => mesh.span(from, to, hashed, &mut self.paths),
        }
    }

    /// The limit that a frame passes at a step of its path to a port; none when it is there. Step 0 is the sender's own.
    /// Takes time in proportion to the step, and there are few.
    #[inline]
    pub fn limit_at(&self, step: usize, from: usize, to: usize, span: Span) -> Option<usize> {
        match step {
            0 => Some(from),
            _ => self.later_limit(step - 1, from, to, span),
        }
    }

    /// Appends all limits on the path between two ports of a network, in order; none where there is no path.
    pub fn append(&self, from: usize, to: usize, hashed: u64, route: &mut Vec<u32>) -> Option<()> {
        route.push(from as u32);
        let (start, end) = (self.switch_of[from], self.switch_of[to]);
        match &self.choices {
            Choices::Tree { switches, spans } => {
                let span = spans[start * switches + end];
                route.extend(&self.paths[span.range()]);
            }
            Choices::Mesh(mesh) => mesh.append(start, end, hashed, route)?,
        }
        route.extend(self.last_limits(from, to).map(|limit| limit as u32));
        Some(())
    }

    /// How many ports there are.
    pub fn ports(&self) -> usize {
        self.ports
    }

    fn later_limit(&self, step: usize, from: usize, to: usize, span: Span) -> Option<usize> {
        if step < span.length as usize {
            return Some(self.paths[span.start as usize + step] as usize);
        }
        self.last_limits(from, to).nth(step - span.length as usize)
    }

    /// Behind the switches.
    fn last_limits(&self, from: usize, to: usize) -> impl Iterator<Item = usize> {
        let detour = match self.detours.is_empty() {
            true => None,
            false => self.detours.get(&(from, to)).copied(),
        };
        let down = self.first_down.map(|first| first + to);
        detour.into_iter().chain(down)
    }

    fn add_down(&mut self, ports: &[Port]) {
        self.first_down = Some(self.limits.len());
        let down = |(port, at)| limit_of(at, Place::Down { port }, false);
        self.limits.extend(ports.iter().enumerate().map(down));
    }

    fn join_by_mesh(&mut self, ports: &[Port], mesh: &Mesh) {
        self.add_down(ports);
        self.switch_of = ports.iter().map(|port| port.switch).collect();
        let largest = ports.iter().map(|port| port.mtu_bytes).max();
        let add = |limit| self.add(limit) as u32;
        let mesh = MeshPaths::of(mesh, largest.unwrap_or(0), add);
        self.choices = Choices::Mesh(mesh);
    }

    fn join_by_trees(&mut self, ports: &[Port], trees: &[Tree]) {
        self.add_down(ports);
        let sizes = trees.iter().map(|tree| tree.switches.len());
        let firsts: Vec<_> = sizes
            .scan(0, |next, size| Some(std::mem::replace(next, *next + size)))
            .collect();
        let switch_of = |port: &Port| firsts[port.network] + port.switch;
        self.switch_of = ports.iter().map(switch_of).collect();
        let switches = trees.iter().map(|tree| tree.switches.len()).sum();
        let mut spans = vec![Span::default(); switches * switches];
        for (network, tree) in trees.iter().enumerate() {
            let first = firsts[network];
            for ((from, to), span) in self.lay_paths(tree, network, first) {
                spans[from * switches + to] = span;
            }
        }
        self.choices = Choices::Tree { switches, spans };
    }

    /// Adds the limits of a network's switches and the paths between those that have ports, each pair's with its span.
    fn lay_paths(
        &mut self,
        tree: &Tree,
        network: usize,
        first: usize,
    ) -> Vec<((usize, usize), Span)> {
        let trunks = tree.switches.iter().filter_map(|s| s.trunk);
        let mtu_bytes = trunks.map(|trunk| trunk.mtu_bytes).max().unwrap_or(0);
        let switches = tree.switches.iter().enumerate();
        let inner: Vec<_> = switches
            .map(|(at, switch)| self.add_inner(switch, (network, at), mtu_bytes))
            .collect();
        let mut leaves: Vec<_> = self.switch_of.clone();
        leaves.retain(|switch| (first..first + tree.switches.len()).contains(switch));
        leaves.sort_unstable();
        leaves.dedup();
        let pairs = leaves
            .iter()
            .flat_map(|from| leaves.iter().map(move |to| (*from, *to)));
        let lay = |(from, to): (usize, usize)| {
            let path = path_between(tree, &inner, from - first, to - first);
            ((from, to), Span::added(&mut self.paths, &path))
        };
        pairs.map(lay).collect()
    }

    fn add_inner(
        &mut self,
        at: &TreeSwitch,
        (network, switch): (usize, usize),
        mtu_bytes: u32,
    ) -> Inner {
        let interior = |place| {
            let interior = at.interior.as_ref()?;
            Some(Limit {
                place,
                direction: interior.direction,
                by_ports: interior.by_ports.clone(),
                mtu_bytes,
                queue_frames: interior.queue_frames,
                dead: false,
            })
        };
        let trunk = |place, is_up: bool| {
            let trunk = at.trunk?;
            let direction = if is_up { trunk.up } else { trunk.down };
            let limit = Limit {
                place,
                direction,
                by_ports: None,
                mtu_bytes: trunk.mtu_bytes,
                queue_frames: trunk.queue_frames,
                dead: false,
            };
            (!direction.is_unshaped()).then_some(limit)
        };
        let mut add = |limit: Option<Limit>| limit.map(|limit| self.add(limit) as u32);
        Inner {
            enter: add(interior(Place::Enter { network, switch })),
            leave: add(interior(Place::Leave { network, switch })),
            up: add(trunk(Place::TrunkUp { network, switch }, true)),
            down: add(trunk(Place::TrunkDown { network, switch }, false)),
        }
    }

    fn add(&mut self, limit: Limit) -> usize {
        self.limits.push(limit);
        self.limits.len() - 1
    }
}

/// The limits of one switch, as far as there are any.
struct Inner {
    /// Everything that its members send.
    enter: Option<u32>,
    /// Everything that its members receive.
    leave: Option<u32>,
    up: Option<u32>,
    down: Option<u32>,
}

/// Up to the switch above both, and down again.
fn path_between(tree: &Tree, inner: &[Inner], from: usize, to: usize) -> Vec<u32> {
    let above_target: Vec<_> = tree.climb(to).collect();
    let mut path = Vec::new();
    let mut top = 0;
    for at in tree.climb(from) {
        path.extend(inner[at].enter);
        if let Some(position) = above_target.iter().position(|switch| *switch == at) {
            top = position;
            break;
        }
        path.extend(inner[at].up);
    }
    path.extend(inner[above_target[top]].leave);
    for &at in above_target[..top].iter().rev() {
        path.extend(inner[at].down);
        path.extend(inner[at].leave);
    }
    path
}

fn limit_of(port: &Port, place: Place, is_up: bool) -> Limit {
    Limit {
        place,
        direction: if is_up { port.up } else { port.down },
        by_ports: None,
        mtu_bytes: port.mtu_bytes,
        queue_frames: port.queue_frames,
        dead: port.dead,
    }
}
