//! A generated map: streets in a grid, every fourth an arterial road, every twelfth a motorway, and a road over a pass.

use crate::chance::Chance;
use crate::map::{Map, Road};

/// From a junction to the next.
const SPACING_M: i32 = 500;
/// A junction is off its place in the grid by at most this much.
const OFF_M: i32 = 150;
const PASS_M: i32 = 5_000;

/// A class of roads.
struct Class {
    /// It is every so-many-th street.
    every: usize,
    km_h: f64,
    lanes: u32,
    cars_per_hour: f64,
}

const CLASSES: [Class; 3] = [
    Class {
        every: 12,
        km_h: 90.0,
        lanes: 4,
        cars_per_hour: 2_000.0,
    },
    Class {
        every: 4,
        km_h: 65.0,
        lanes: 2,
        cars_per_hour: 1_800.0,
    },
    STREET,
];
const STREET: Class = Class {
    every: 1,
    km_h: 45.0,
    lanes: 1,
    cars_per_hour: 1_500.0,
};

/// A generated map, and the junction beyond its pass.
pub struct Generated {
    pub map: Map,
    pub beyond: u32,
}

/// A map of about so many links.
pub fn generate(links: u32, seed: u64, share: f64) -> Generated {
    let side = side_of(links);
    let mut places = grid(side, seed);
    let mut roads = Vec::new();
    let at = |row: usize, column: usize| (row * side + column) as u32;
    for line in 0..side {
        for step in 1..side {
            add_street(
                &mut roads,
                &places,
                line,
                [at(line, step - 1), at(line, step)],
            );
            add_street(
                &mut roads,
                &places,
                line,
                [at(step - 1, line), at(step, line)],
            );
        }
    }
    let south = at(0, nearest_motorway(side));
    let beyond = places.len() as u32;
    let (x, y) = places[south as usize];
    places.push((x, y - PASS_M));
    add_both(&mut roads, &places, &STREET, [south, beyond]);
    Generated {
        map: Map::new(places, &roads, share),
        beyond,
    }
}

/// A grid of n by n junctions has 4 n (n - 1) links.
fn side_of(links: u32) -> usize {
    let side = (1.0 + (1.0 + f64::from(links)).sqrt()) / 2.0;
    (side.round() as usize).max(2)
}

/// The motorway that is nearest to the middle.
fn nearest_motorway(side: usize) -> usize {
    let every = CLASSES[0].every;
    let last = (side - 1) / every;
    ((side / 2 + every / 2) / every).min(last) * every
}

fn grid(side: usize, seed: u64) -> Vec<(i32, i32)> {
    let mut chance = Chance::new(&[seed, 1]);
    let mut off = || chance.below(2 * OFF_M as u32 + 1) as i32 - OFF_M;
    let mut places = Vec::with_capacity(side * side + 1);
    for row in 0..side as i32 {
        for column in 0..side as i32 {
            places.push((column * SPACING_M + off(), row * SPACING_M + off()));
        }
    }
    places
}

fn add_street(roads: &mut Vec<Road>, places: &[(i32, i32)], line: usize, ends: [u32; 2]) {
    let class = CLASSES.iter().find(|class| line % class.every == 0);
    add_both(roads, places, class.unwrap_or(&STREET), ends);
}

/// There and back.
fn add_both(roads: &mut Vec<Road>, places: &[(i32, i32)], class: &Class, ends: [u32; 2]) {
    let [(x, y), (other_x, other_y)] = ends.map(|junction| places[junction as usize]);
    let [off_x, off_y] = [other_x - x, other_y - y].map(f64::from);
    // Unlike `hypot` the same on every processor.
    let length_m = (off_x * off_x + off_y * off_y).sqrt();
    for (from, to) in [(ends[0], ends[1]), (ends[1], ends[0])] {
        roads.push(Road {
            from,
            to,
            length_m,
            speed_m_s: class.km_h / 3.6,
            lanes: class.lanes,
            cars_per_hour: class.cars_per_hour,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_map_has_about_as_many_links_as_were_asked_for() {
        for links in [8, 100, 10_000, 40_000] {
            let map = generate(links, 1, 1.0).map;
            let found = map.links() as f64;
            assert!(
                (found / f64::from(links) - 1.0).abs() < 0.3,
                "{found} of {links}"
            );
        }
    }

    #[test]
    fn a_seed_is_a_map() {
        assert_eq!(generate(1000, 1, 1.0).map, generate(1000, 1, 1.0).map);
        assert_ne!(generate(1000, 1, 1.0).map, generate(1000, 2, 1.0).map);
    }

    #[test]
    fn a_share_of_the_cars_has_that_share_of_the_roads() {
        let [whole, tenth] = [1.0, 0.1].map(|share| generate(1000, 1, share).map);
        let sum = |of: &[u32]| of.iter().map(|one| f64::from(*one)).sum::<f64>();
        assert!((sum(&tenth.flow) / sum(&whole.flow) - 0.1).abs() < 0.001);
        assert!((sum(&tenth.storage) / sum(&whole.storage) - 0.1).abs() < 0.02);
        assert_eq!(tenth.free_s, whole.free_s);
    }
}
