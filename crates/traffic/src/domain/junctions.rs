//! Junctions: cars go from the buffers of links to the next links of their routes.

use std::sync::Arc;

use super::Domain;
use crate::chance::Chance;
use crate::scenario::Scenario;

impl Domain {
    /// Serves all junctions where there are cars in buffers.
    pub(super) fn cross_junctions(&mut self) {
        let scenario = Arc::clone(&self.scenario);
        let mut junctions = std::mem::take(&mut self.crossing);
        junctions.retain(|junction| {
            let is_left = self.cross(&scenario, *junction);
            self.is_crossing[*junction as usize] = is_left;
            is_left
        });
        self.crossing = junctions;
    }

    /// Serves the links of a junction in an order by chance, those with more flow more likely first. Says whether cars
    /// are left.
    fn cross(&mut self, scenario: &Scenario, junction: u32) -> bool {
        let incoming = scenario.map.incoming(junction).iter();
        let mut links = std::mem::take(&mut self.links);
        links.extend(incoming.filter(|link| self.buffers.len(**link as usize) > 0));
        let purpose = [scenario.seed, self.now_s.into(), junction.into()];
        let mut chance = Chance::new(&purpose);
        let mut is_left = false;
        while !links.is_empty() {
            let at = draw(&mut chance, &links, &scenario.map.flow);
            let link = links.remove(at) as usize;
            self.serve(scenario, junction, link);
            is_left |= self.buffers.len(link) > 0;
        }
        self.links = links;
        is_left
    }

    /// Lets the cars in a link's buffer go on until one has no room.
    fn serve(&mut self, scenario: &Scenario, junction: u32, link: usize) {
        while let Some(car) = self.buffers.front(link) {
            let zone = scenario.trips[car as usize].zone;
            let next = scenario.routes.next(&scenario.map, zone, junction);
            let next = next.expect("routes of all cars were checked") as usize;
            if self.room[next] == 0 {
                return;
            }
            self.room[next] -= 1;
            self.buffers.pop(link);
            let owner = self.partition.ends(&scenario.map, next).1;
            if owner == self.number {
                self.enter(next, car, self.now_s);
            } else {
                let border = self.border_of[owner as usize] as usize;
                self.borders[border].cars.push((next as u32, car));
            }
        }
    }
}

/// One of some links, with a chance as its flow.
fn draw(chance: &mut Chance, links: &[u32], flow: &[u32]) -> usize {
    if links.len() == 1 {
        return 0;
    }
    let whole = links.iter().map(|link| flow[*link as usize]).sum();
    let mut left = chance.below(whole);
    let passes = |link: &u32| {
        let flow = flow[*link as usize];
        let is_it = left < flow;
        left = left.saturating_sub(flow);
        is_it
    };
    links.iter().position(passes).unwrap_or(0)
}
