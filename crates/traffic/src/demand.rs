//! Who drives where, and when.

use weft_plan::{Demand, Traffic};

use crate::chance::Chance;
use crate::generate::Generated;
use crate::map::Map;
use crate::routes::Routes;
use crate::trip::Trip;

/// Cars of the even demand go to so many junctions at most.
const MOST_ZONES: usize = 256;

/// Most trips are short: a car goes to the nearest of so many places.
const CHOICES: u32 = 3;

/// The junctions that cars go to.
pub fn zones(demand: Demand, map: &Generated, seed: u64) -> Vec<u32> {
    if demand == Demand::Bottleneck {
        return vec![map.beyond];
    }
    let mut junctions: Vec<u32> = (0..map.map.junctions() as u32).collect();
    let mut chance = Chance::new(&[seed, 2]);
    let count = junctions.len().min(MOST_ZONES);
    for at in 0..count {
        let left = (junctions.len() - at) as u32;
        junctions.swap(at, at + chance.below(left) as usize);
    }
    junctions.truncate(count);
    junctions
}

/// All trips, those that begin first first.
pub fn trips(traffic: &Traffic, map: &Generated, routes: &Routes) -> Vec<Trip> {
    let seed = u64::from(traffic.seed);
    let mut chance = Chance::new(&[seed, 3]);
    let (links, zones) = (map.map.links() as u32, routes.zones() as u32);
    let span_s = traffic.demand.departures_s();
    let mut trips: Vec<Trip> = (0..traffic.cars_here())
        .map(|_| {
            let departure_s = chance.below(span_s);
            let origin = chance.below(links);
            let zones = (0..CHOICES).map(|_| chance.below(zones) as u16);
            let junction = map.map.to[origin as usize];
            let away = |zone: &u16| distance(&map.map, junction, routes.junction(*zone));
            Trip {
                departure_s,
                origin,
                zone: zones.min_by_key(away).unwrap_or(0),
            }
        })
        .collect();
    // A stable order, so that it is the same on every machine.
    trips.sort_by_key(|trip| trip.departure_s);
    trips
}

/// Along streets, in metres.
fn distance(map: &Map, one: u32, other: u32) -> u32 {
    let [(x, y), (other_x, other_y)] = [one, other].map(|at| map.places[at as usize]);
    x.abs_diff(other_x) + y.abs_diff(other_y)
}
