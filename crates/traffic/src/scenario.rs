//! A map, the trips of all cars, and their routes.

use weft_plan::Traffic;

use crate::demand;
use crate::generate::generate;
use crate::map::Map;
use crate::routes::Routes;
use crate::trip::Trip;

/// What is simulated.
#[derive(Clone, Debug)]
pub struct Scenario {
    pub map: Map,
    pub routes: Routes,
    /// By car, those that leave first first.
    pub trips: Vec<Trip>,
    pub seed: u64,
}

impl Scenario {
    /// What a step of a plan asks for. The error names a car without a way.
    pub fn of(traffic: &Traffic) -> Result<Self, String> {
        let seed = u64::from(traffic.seed);
        let mut generated = generate(traffic.links, seed, traffic.share());
        for link in &traffic.closed {
            generated.map.close(*link)?;
        }
        let zones = demand::zones(traffic.demand, &generated, seed);
        let routes = Routes::new(&generated.map, zones);
        let trips = demand::trips(traffic, &generated, &routes);
        Self::new(generated.map, routes, trips, seed)
    }

    /// The error names the first car that has no way from its link to its destination.
    pub fn new(map: Map, routes: Routes, trips: Vec<Trip>, seed: u64) -> Result<Self, String> {
        let scenario = Self {
            map,
            routes,
            trips,
            seed,
        };
        for car in 0..scenario.trips.len() {
            scenario.check(car)?;
        }
        Ok(scenario)
    }

    fn check(&self, car: usize) -> Result<(), String> {
        let Trip { origin, zone, .. } = self.trips[car];
        let Some(junction) = self.map.to.get(origin as usize) else {
            return Err(format!(
                "car {car} begins on link {origin}; there are {} links, counted from 0",
                self.map.links()
            ));
        };
        let end = self.routes.junction(zone);
        if *junction == end || self.routes.next(&self.map, zone, *junction).is_some() {
            return Ok(());
        }
        let from = self.map.from[origin as usize];
        Err(format!(
            "car {car} has no route: from link {origin} (junction {from} to {junction}) no way leads to junction {end}"
        ))
    }

    /// How many cars will pass the end of each link.
    pub fn passages(&self) -> Vec<u32> {
        let mut passages = vec![0u32; self.map.links()];
        let mut starts = vec![Vec::new(); self.routes.zones()];
        for trip in &self.trips {
            passages[trip.origin as usize] += 1;
            starts[usize::from(trip.zone)].push(self.map.to[trip.origin as usize]);
        }
        let mut here = vec![0u32; self.map.junctions()];
        for (zone, starts) in (0..).zip(starts) {
            here.fill(0);
            for junction in starts {
                here[junction as usize] += 1;
            }
            for junction in self.routes.reaching(zone) {
                let cars = here[junction as usize];
                let is_end = junction == self.routes.junction(zone);
                match self.routes.next(&self.map, zone, junction) {
                    Some(link) if cars > 0 && !is_end => {
                        passages[link as usize] += cars;
                        here[self.map.to[link as usize] as usize] += cars;
                    }
                    _ => {}
                }
            }
        }
        passages
    }
}
