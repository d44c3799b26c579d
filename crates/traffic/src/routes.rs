//! Routes of least free-flow time, as the next link by destination and junction.

use petgraph::algo::dijkstra;
use petgraph::graph::{DiGraph, NodeIndex};

use crate::map::Map;

/// There is no way.
const NONE: u8 = u8::MAX;

/// From every junction to every zone, which is the junction that cars with this destination go to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Routes {
    zones: Vec<u32>,
    junctions: usize,
    /// By zone and junction: which of the links that begin there.
    next: Vec<u8>,
    /// By zone and junction: the free-flow time, of those that have a way.
    reached: Vec<Vec<(u32, u32)>>,
}

impl Routes {
    /// Routes to these junctions. Of ways that take as long the one by the link with the lowest number is chosen.
    pub fn new(map: &Map, zones: Vec<u32>) -> Self {
        let open = (0..map.junctions() as u32).flat_map(|from| map.outgoing(from));
        let backwards = open.map(|link| {
            let link = *link as usize;
            (map.to[link], map.from[link], map.free_s[link])
        });
        let mut graph = DiGraph::<(), u32>::from_edges(backwards);
        while graph.node_count() < map.junctions() {
            graph.add_node(());
        }
        let mut routes = Self {
            junctions: map.junctions(),
            next: vec![NONE; zones.len() * map.junctions()],
            reached: Vec::with_capacity(zones.len()),
            zones,
        };
        for zone in 0..routes.zones.len() {
            routes.find(map, &graph, zone);
        }
        routes
    }

    fn find(&mut self, map: &Map, graph: &DiGraph<(), u32>, zone: usize) {
        let start = NodeIndex::new(self.zones[zone] as usize);
        let found = dijkstra(graph, start, None, |edge| *edge.weight());
        let mut left_s = vec![u32::MAX; self.junctions];
        for (junction, passed_s) in found {
            left_s[junction.index()] = passed_s;
        }
        let next = &mut self.next[zone * self.junctions..][..self.junctions];
        let mut reached = Vec::new();
        for junction in 0..self.junctions as u32 {
            let by = |link: &u32| {
                map.free_s[*link as usize].saturating_add(left_s[map.to[*link as usize] as usize])
            };
            let links = (0..).zip(map.outgoing(junction));
            let best = links.min_by_key(|(_, link)| by(link));
            if left_s[junction as usize] == u32::MAX {
                continue;
            }
            reached.push((left_s[junction as usize], junction));
            if let Some((at, _)) = best {
                next[junction as usize] = at;
            }
        }
        reached.sort_unstable();
        self.reached.push(reached);
    }

    /// The junction of a zone.
    pub fn junction(&self, zone: u16) -> u32 {
        self.zones[usize::from(zone)]
    }

    pub fn zones(&self) -> usize {
        self.zones.len()
    }

    /// The link that a car at a junction takes to another one; none where there is no way.
    pub fn next(&self, map: &Map, zone: u16, junction: u32) -> Option<u32> {
        let next = self.next[usize::from(zone) * self.junctions + junction as usize];
        (next != NONE).then(|| map.outgoing(junction)[usize::from(next)])
    }

    /// The junctions that have a way to a zone, the farthest first.
    pub fn reaching(&self, zone: u16) -> impl Iterator<Item = u32> {
        let reached = self.reached[usize::from(zone)].iter().rev();
        reached.map(|(_, junction)| *junction)
    }
}
