//! A domain that is the whole map, cut into many while it is on its way.

use std::sync::Arc;

use super::Domain;
use crate::census::Census;
use crate::partition::Partition;
use crate::scenario::Scenario;

impl Domain {
    /// The whole map as one domain, at the start.
    pub fn whole(scenario: &Arc<Scenario>) -> Self {
        let partition = Partition {
            domains: 1,
            owner: vec![0; scenario.map.junctions()],
        };
        Self::new(Arc::clone(scenario), Arc::new(partition), 0)
    }

    /// What is of a domain in one that is the whole map. Cars that have arrived count for the first.
    pub fn part(&self, partition: &Arc<Partition>, number: u32) -> Self {
        let mut part = Self::new(Arc::clone(&self.scenario), Arc::clone(partition), number);
        part.now_s = self.now_s;
        part.arrived = if number == 0 {
            self.arrived
        } else {
            Census::default()
        };
        let left = |car: &&u32| self.scenario.trips[**car as usize].departure_s < self.now_s;
        part.departed = part.cars.iter().take_while(left).count();
        for link in 0..self.scenario.map.links() {
            let (from, to) = partition.ends(&self.scenario.map, link);
            if from == number {
                part.room[link] = self.room[link];
            }
            if to == number {
                part.copy_link(self, link);
            }
        }
        part
    }

    fn copy_link(&mut self, whole: &Self, link: usize) {
        whole
            .queues
            .of(link)
            .for_each(|one| self.queues.push(link, one));
        whole
            .buffers
            .of(link)
            .for_each(|car| self.buffers.push(link, car));
        self.waiting[link] = whole.waiting[link].clone();
        self.credit[link] = whole.credit[link];
        if whole.busy.is_listed[link] {
            self.busy.add(link, whole.busy.wake_s[link]);
        }
        if self.buffers.len(link) > 0 {
            self.note_crossing(link);
        }
    }
}
