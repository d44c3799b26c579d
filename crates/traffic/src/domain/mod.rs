//! One domain of the map, step by step.

mod busy;
mod junctions;
mod links;
mod split;

use std::sync::Arc;

use crate::census::{Census, State};
use crate::message::{Border, bytes_of};
use crate::partition::Partition;
use crate::rings::Rings;
use crate::scenario::Scenario;
use busy::Busy;

/// A car in a link's queue, and the first step in which it may leave.
#[derive(Clone, Copy, Debug, Default)]
struct Queued {
    car: u32,
    from_s: u32,
}

/// What begins and ends in a domain. Of a link, the queue and the buffer belong to the domain of its end; how much room
/// it has is known where it begins.
#[derive(Clone, Debug)]
pub struct Domain {
    scenario: Arc<Scenario>,
    partition: Arc<Partition>,
    number: u32,
    now_s: u32,
    /// By link, for those that begin here.
    room: Vec<u32>,
    queues: Rings<Queued>,
    buffers: Rings<u32>,
    /// By link: cars that want to leave, the first behind those that have.
    waiting: Vec<Waiting>,
    /// By link: what may leave, in parts of a car, and when that was found.
    credit: Vec<(u32, u32)>,
    busy: Busy,
    /// Junctions with cars in the buffers of their links, and by junction whether it is one.
    crossing: Vec<u32>,
    is_crossing: Vec<bool>,
    /// What a junction serves.
    links: Vec<u32>,
    /// Own cars in the order of their departures, and how many have had theirs.
    cars: Vec<u32>,
    departed: usize,
    arrived: Census,
    passed: u64,
    borders: Vec<Border>,
    /// By domain: its place among the borders.
    border_of: Vec<u32>,
}

#[derive(Clone, Debug, Default)]
struct Waiting {
    cars: Vec<u32>,
    gone: usize,
}

impl Domain {
    /// A domain at the start, when all cars are at home.
    pub fn new(scenario: Arc<Scenario>, partition: Arc<Partition>, number: u32) -> Self {
        let map = &scenario.map;
        let links = map.links();
        let is_own = |link: usize| partition.ends(map, link).1 == number;
        let begins = |link: usize| partition.ends(map, link).0 == number;
        let own = |link: usize, room: u32| if is_own(link) { room } else { 0 };
        let cars = (0..).zip(&scenario.trips);
        let cars = cars.filter(|(_, trip)| is_own(trip.origin as usize));
        let neighbours = partition.neighbours(map, number);
        let mut border_of = vec![u32::MAX; partition.domains as usize];
        for (at, domain) in (0..).zip(&neighbours) {
            border_of[*domain as usize] = at;
        }
        Self {
            number,
            now_s: 0,
            room: (0..links)
                .map(|link| if begins(link) { map.storage[link] } else { 0 })
                .collect(),
            queues: Rings::new((0..links).map(|link| own(link, map.storage[link]))),
            buffers: Rings::new((0..links).map(|link| own(link, map.buffer(link)))),
            waiting: vec![Waiting::default(); links],
            credit: vec![(0, 0); links],
            busy: Busy {
                links: Vec::new(),
                is_listed: vec![false; links],
                wake_s: vec![0; links],
            },
            crossing: Vec::new(),
            is_crossing: vec![false; map.junctions()],
            links: Vec::new(),
            cars: cars.map(|(car, _)| car).collect(),
            departed: 0,
            arrived: Census::default(),
            passed: 0,
            borders: neighbours.into_iter().map(Border::new).collect(),
            border_of,
            partition,
            scenario,
        }
    }

    /// The next step, one second.
    pub fn advance(&mut self) {
        self.borders.iter_mut().for_each(Border::clear);
        self.passed = 0;
        self.cross_junctions();
        self.depart();
        self.move_links();
        self.now_s += 1;
    }

    /// What to tell each neighbour after a step.
    pub fn borders(&self) -> &[Border] {
        &self.borders
    }

    pub(crate) fn take_borders(&mut self) -> Vec<Border> {
        std::mem::take(&mut self.borders)
    }

    pub(crate) fn give_back(&mut self, borders: Vec<Border>) {
        self.borders = borders;
    }

    /// Takes what a neighbour tells after the step that was just made. The error says what is wrong with it.
    pub fn hear(&mut self, from: u32, border: &Border) -> Result<(), String> {
        self.check(from, border)?;
        for (link, car) in &border.cars {
            self.enter(*link as usize, *car, self.now_s - 1);
        }
        for link in &border.freed {
            self.room[*link as usize] += 1;
        }
        Ok(())
    }

    fn check(&self, from: u32, border: &Border) -> Result<(), String> {
        let map = &self.scenario.map;
        let is_split = |link: u32, ends| {
            (link as usize) < map.links() && self.partition.ends(map, link as usize) == ends
        };
        let wrong =
            |link: u32| format!("domain {from} tells of link {link}, which it does not share");
        let cars = border
            .cars
            .iter()
            .map(|(link, _)| (*link, (from, self.number)));
        let freed = border.freed.iter().map(|link| (*link, (self.number, from)));
        match cars
            .chain(freed)
            .find(|(link, ends)| !is_split(*link, *ends))
        {
            Some((link, _)) => Err(wrong(link)),
            None => Ok(()),
        }
    }

    /// Steps so far.
    pub fn now_s(&self) -> u32 {
        self.now_s
    }

    /// How long a message to a neighbour is at most, and one from it, where a car takes so many bytes.
    pub fn most_bytes(&self, with: u32, car_bytes: u64) -> [u64; 2] {
        let ends = [(self.number, with), (with, self.number)];
        let most = ends.map(|ends| self.most_crossing(ends));
        let [there, back] = most;
        // Cars go one way, and what they free on the links of the other comes with them.
        [(there, back), (back, there)].map(|(cars, freed)| bytes_of(cars.0, freed.1, car_bytes))
    }

    /// Of the links from one domain to another: how many cars can enter them in a step, and how many can leave their queues.
    fn most_crossing(&self, ends: (u32, u32)) -> (u64, u64) {
        let map = &self.scenario.map;
        let split = (0..map.links()).filter(|link| self.partition.ends(map, *link) == ends);
        let of = |link: usize| {
            let before = map.incoming(map.from[link]).iter();
            let cars: u32 = before.map(|before| map.buffer(*before as usize)).sum();
            (u64::from(cars), u64::from(map.storage[link]))
        };
        split
            .map(of)
            .fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1))
    }

    /// What it is a part of.
    pub fn scenario(&self) -> &Arc<Scenario> {
        &self.scenario
    }

    /// Cars that passed the end of a link in the last step.
    pub fn passed(&self) -> u64 {
        self.passed
    }

    fn enter(&mut self, link: usize, car: u32, at_s: u32) {
        let from_s = at_s + self.scenario.map.free_s[link];
        self.queues.push(link, Queued { car, from_s });
        self.busy.add(link, from_s);
    }

    /// Where the cars of this domain are.
    pub fn census(&self) -> Census {
        let mut census = self.arrived;
        for car in &self.cars[self.departed..] {
            let trip = &self.scenario.trips[*car as usize];
            census.count(*car, State::Home, trip.origin, 0, trip.departure_s);
        }
        for (link, waiting) in self.waiting.iter().enumerate() {
            for (place, car) in (0..).zip(&waiting.cars[waiting.gone..]) {
                census.count(*car, State::Waiting, link as u32, place, 0);
            }
            for (place, one) in (0..).zip(self.queues.of(link)) {
                census.count(one.car, State::Driving, link as u32, place, one.from_s);
            }
            for (place, car) in (0..).zip(self.buffers.of(link)) {
                census.count(car, State::Buffered, link as u32, place, 0);
            }
        }
        census
    }
}
