//! Where all cars are, in a few numbers that add up over domains.

use crate::chance::hash;

/// What a car does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It has not left.
    Home,
    /// It wants to leave, and its link has no room.
    Waiting,
    Driving,
    /// At the end of a link.
    Buffered,
    Arrived,
}

/// Cars by what they do, and a hash of where each is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Census {
    pub home: u64,
    pub waiting: u64,
    /// On roads.
    pub driving: u64,
    pub arrived: u64,
    /// The sum of the hashes of all cars, so that it is the same however they are spread over domains.
    pub hash: u64,
}

impl Census {
    /// Counts a car on a link, with its place and time there.
    pub fn count(&mut self, car: u32, state: State, link: u32, place: u32, time_s: u32) {
        match state {
            State::Home => self.home += 1,
            State::Waiting => self.waiting += 1,
            State::Driving | State::Buffered => self.driving += 1,
            State::Arrived => self.arrived += 1,
        }
        let numbers = [car, state as u32, link, place, time_s].map(u64::from);
        self.hash = self.hash.wrapping_add(hash(&numbers));
    }

    /// Both together.
    pub fn with(self, other: Self) -> Self {
        Self {
            home: self.home + other.home,
            waiting: self.waiting + other.waiting,
            driving: self.driving + other.driving,
            arrived: self.arrived + other.arrived,
            hash: self.hash.wrapping_add(other.hash),
        }
    }

    pub fn cars(&self) -> u64 {
        self.home + self.waiting + self.driving + self.arrived
    }
}
