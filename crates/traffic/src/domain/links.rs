//! Links: cars leave their queues for the buffers at their ends.

use super::Domain;
use crate::census::State;
use crate::map::ONE_CAR;
use crate::scenario::Scenario;

impl Domain {
    /// Cars whose time has come wait for a place on their link.
    pub(super) fn depart(&mut self) {
        while let Some(car) = self.cars.get(self.departed) {
            let trip = &self.scenario.trips[*car as usize];
            if trip.departure_s > self.now_s {
                return;
            }
            self.waiting[trip.origin as usize].cars.push(*car);
            self.busy.add(trip.origin as usize, self.now_s);
            self.departed += 1;
        }
    }

    pub(super) fn move_links(&mut self) {
        let mut at = 0;
        while at < self.busy.links.len() {
            let link = self.busy.links[at] as usize;
            if self.busy.wake_s[link] > self.now_s {
                at += 1;
                continue;
            }
            match self.move_link(link) {
                Some(wake_s) => {
                    self.busy.wake_s[link] = wake_s;
                    at += 1;
                }
                None => {
                    self.busy.is_listed[link] = false;
                    self.busy.links.swap_remove(at);
                }
            }
        }
    }

    /// Moves cars of a link into its buffer, those that have waited at its end first; says when to look again.
    fn move_link(&mut self, link: usize) -> Option<u32> {
        let flow = self.scenario.map.flow[link];
        let (credit, at_s) = self.credit[link];
        let since = u64::from(self.now_s - at_s) * u64::from(flow) + u64::from(credit);
        let mut credit = since.min(u64::from(flow.max(ONE_CAR))) as u32;
        let had = self.buffers.len(link);
        self.let_out(link, &mut credit);
        let is_open = self.let_through(link, &mut credit);
        self.credit[link] = (credit, self.now_s);
        if had == 0 && self.buffers.len(link) > 0 {
            self.note_crossing(link);
        }
        let waits = self.waiting[link].gone < self.waiting[link].cars.len();
        match self.queues.front(link) {
            _ if waits => Some(self.now_s + 1),
            Some(first) if is_open => Some(first.from_s.max(self.now_s + 1)),
            Some(_) => Some(self.now_s + 1),
            None => None,
        }
    }

    fn let_out(&mut self, link: usize, credit: &mut u32) {
        let waiting = &mut self.waiting[link];
        while waiting.gone < waiting.cars.len() && *credit >= ONE_CAR && !self.buffers.is_full(link)
        {
            let car = waiting.cars[waiting.gone];
            waiting.gone += 1;
            self.passed += 1;
            if is_end(&self.scenario, car, link) {
                self.arrived
                    .count(car, State::Arrived, link as u32, 0, self.now_s);
                continue;
            }
            *credit -= ONE_CAR;
            self.buffers.push(link, car);
        }
    }

    /// Whether all went that could have by now.
    fn let_through(&mut self, link: usize, credit: &mut u32) -> bool {
        while let Some(first) = self.queues.front(link) {
            if first.from_s > self.now_s {
                return true;
            }
            if is_end(&self.scenario, first.car, link) {
                self.arrived
                    .count(first.car, State::Arrived, link as u32, 0, self.now_s);
            } else if *credit >= ONE_CAR && !self.buffers.is_full(link) {
                *credit -= ONE_CAR;
                self.buffers.push(link, first.car);
            } else {
                return false;
            }
            self.queues.pop(link);
            self.passed += 1;
            self.free(link);
        }
        true
    }

    fn free(&mut self, link: usize) {
        let start = self.partition.ends(&self.scenario.map, link).0;
        if start == self.number {
            self.room[link] += 1;
        } else {
            let border = self.border_of[start as usize] as usize;
            self.borders[border].freed.push(link as u32);
        }
    }

    pub(super) fn note_crossing(&mut self, link: usize) {
        let junction = self.scenario.map.to[link];
        let is_crossing = &mut self.is_crossing[junction as usize];
        if !std::mem::replace(is_crossing, true) {
            self.crossing.push(junction);
        }
    }
}

/// Whether a car's trip ends with a link.
fn is_end(scenario: &Scenario, car: u32, link: usize) -> bool {
    let zone = scenario.trips[car as usize].zone;
    scenario.routes.junction(zone) == scenario.map.to[link]
}
