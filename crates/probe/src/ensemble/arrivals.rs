//! Connections that came in before they were needed, and the places that are taken.

use std::collections::{HashMap, HashSet};
use std::net::TcpStream;

use crate::listener::place::{Place, Purpose};

/// Connections from other members; a fast node connects for a phase that we have not reached.
#[derive(Default)]
pub struct Arrivals {
    waiting: HashMap<Place, TcpStream>,
    taken: HashSet<Place>,
    /// The phases before this one are over.
    current: u32,
}

impl Arrivals {
    /// Whether no connection has had this place yet, and it can still be used.
    pub fn is_free(&self, place: Place) -> bool {
        !self.taken.contains(&place) && !self.is_over(place)
    }

    /// Note that a place is taken.
    pub fn take_place(&mut self, place: Place) {
        self.taken.insert(place);
    }

    /// Keep a connection until it is needed.
    pub fn keep(&mut self, place: Place, socket: TcpStream) {
        self.waiting.insert(place, socket);
    }

    pub fn take(&mut self, place: Place) -> Option<TcpStream> {
        self.waiting.remove(&place)
    }

    /// Close what came for a phase that is over.
    pub fn forget_phase(&mut self, over: u32) {
        self.current = over + 1;
        let current = self.current;
        self.waiting.retain(|place, _| !is_before(*place, current));
        self.taken.retain(|place| !is_before(*place, current));
    }

    fn is_over(&self, place: Place) -> bool {
        is_before(place, self.current)
    }
}

fn is_before(place: Place, current: u32) -> bool {
    matches!(place.purpose, Purpose::Data { sequence, .. } if sequence < current)
}
