//! Routes of least free-flow time, as the next link by destination and junction.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::map::Map;

/// There is no way.
const NONE: u8 = u8::MAX;
const UNREACHED: u32 = u32::MAX;

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
        let mut routes = Self {
            junctions: map.junctions(),
            next: Vec::with_capacity(zones.len() * map.junctions()),
            reached: Vec::with_capacity(zones.len()),
            zones,
        };
        for zone in 0..routes.zones.len() {
            let left_s = times_to(map, routes.zones[zone]);
            let junctions = 0..routes.junctions as u32;
            routes
                .next
                .extend(junctions.map(|from| best(map, from, &left_s)));
            let mut reached: Vec<(u32, u32)> = left_s.into_iter().zip(0..).collect();
            reached.retain(|(left_s, _)| *left_s != UNREACHED);
            reached.sort_unstable();
            routes.reached.push(reached);
        }
        routes
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

/// By junction the free-flow time to a destination (E. W. Dijkstra, Numerische Mathematik 1, 1959), against the direction of
/// the links. Each agent does this for all destinations, so it counts that all is in arrays.
fn times_to(map: &Map, destination: u32) -> Vec<u32> {
    let mut left_s = vec![UNREACHED; map.junctions()];
    left_s[destination as usize] = 0;
    let mut open = BinaryHeap::from([Reverse((0, destination))]);
    while let Some(Reverse((time_s, junction))) = open.pop() {
        if time_s > left_s[junction as usize] {
            continue;
        }
        for link in map.incoming(junction) {
            let from = map.from[*link as usize];
            let time_s = time_s + map.free_s[*link as usize];
            if time_s < left_s[from as usize] && map.is_open(*link) {
                left_s[from as usize] = time_s;
                open.push(Reverse((time_s, from)));
            }
        }
    }
    left_s
}

/// Which of the links that begin at a junction is on the fastest way.
fn best(map: &Map, from: u32, left_s: &[u32]) -> u8 {
    let time_s = |link: &u32| {
        let left_s = left_s[map.to[*link as usize] as usize];
        left_s.saturating_add(map.free_s[*link as usize])
    };
    let links = (0..).zip(map.outgoing(from));
    let best = links.min_by_key(|(_, link)| time_s(link));
    best.filter(|(_, link)| time_s(link) != UNREACHED)
        .map_or(NONE, |(at, _)| at)
}
