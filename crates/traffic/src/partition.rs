//! Cutting the map into domains by orthogonal recursive bisection (M. Berger and S. Bokhari, IEEE Trans. Computers
//! C-36(5), 1987).

use crate::map::Map;
use crate::scenario::Scenario;

/// What a junction weighs in passing cars, where none pass.
const JUNCTION_CARS: u64 = 1;

/// Which domain each junction belongs to. A link that begins in one and ends in another is split between them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Partition {
    pub domains: u32,
    /// By junction.
    pub owner: Vec<u32>,
}

impl Partition {
    /// So many domains with about as many passages of cars each. Some are empty where there are too few junctions.
    pub fn of(scenario: &Scenario, domains: u32) -> Self {
        let mut weights = vec![JUNCTION_CARS; scenario.map.junctions()];
        for (link, cars) in scenario.passages().into_iter().enumerate() {
            weights[scenario.map.to[link] as usize] += u64::from(cars);
        }
        Self {
            domains,
            owner: bisect(&scenario.map.places, &weights, domains),
        }
    }

    /// The domain where a link begins, and where it ends.
    pub fn ends(&self, map: &Map, link: usize) -> (u32, u32) {
        let of = |junction: u32| self.owner[junction as usize];
        (of(map.from[link]), of(map.to[link]))
    }

    /// The domains that share a link with one, by number.
    pub fn neighbours(&self, map: &Map, domain: u32) -> Vec<u32> {
        let mut found: Vec<u32> = (0..map.links())
            .map(|link| self.ends(map, link))
            .filter_map(|ends| match ends {
                (from, to) if from == to => None,
                (from, to) if from == domain => Some(to),
                (from, to) if to == domain => Some(from),
                _ => None,
            })
            .collect();
        found.sort_unstable();
        found.dedup();
        found
    }
}

/// By place its part: the places are cut in two across their wider extent, with weights as the numbers of parts on
/// either side, and again. Parts that follow each other are near each other.
pub fn bisect(places: &[(i32, i32)], weights: &[u64], parts: u32) -> Vec<u32> {
    let mut owner = vec![0; places.len()];
    let mut open = vec![((0..places.len()).collect::<Vec<_>>(), 0, parts.max(1))];
    while let Some((mut inside, first, parts)) = open.pop() {
        if parts == 1 {
            inside.iter().for_each(|place| owner[*place] = first);
            continue;
        }
        let [width, height] = extents(places, &inside);
        let key = |place: &usize| match (width >= height, places[*place]) {
            (true, (x, y)) => (x, y, *place),
            (false, (x, y)) => (y, x, *place),
        };
        inside.sort_unstable_by_key(key);
        let low = parts / 2;
        let whole: u64 = inside.iter().map(|place| weights[*place]).sum();
        let share = whole * u64::from(low) / u64::from(parts);
        let upper = inside.split_off(cut(&inside, weights, share));
        open.push((inside, first, low));
        open.push((upper, first + low, parts - low));
    }
    owner
}

/// How many of the first have a share of the weight: as near to it as can be.
fn cut(inside: &[usize], weights: &[u64], share: u64) -> usize {
    let mut so_far = 0;
    for (count, place) in inside.iter().enumerate() {
        let with = so_far + weights[*place];
        if with > share {
            return count + usize::from(with - share < share - so_far);
        }
        so_far = with;
    }
    inside.len()
}

fn extents(places: &[(i32, i32)], inside: &[usize]) -> [i32; 2] {
    let extent = |of: fn((i32, i32)) -> i32| {
        let values = inside.iter().map(|place| of(places[*place]));
        values.clone().max().unwrap_or(0) - values.min().unwrap_or(0)
    };
    [extent(|(x, _)| x), extent(|(_, y)| y)]
}
