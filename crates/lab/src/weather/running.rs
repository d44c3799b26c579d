//! An event of a lab: where it is, and when it begins and ends.

use serde::Serialize;
use weft_fabric::weather::Event;

use crate::weather::spells::{Spell, Spells};

/// An event that is or may come.
#[derive(Debug)]
pub struct Running {
    pub number: u64,
    pub event: Event,
    pub speed: f64,
    /// The links that it changes, by their number in the forwarder.
    pub links: Vec<usize>,
    /// The ports that it takes the carrier from.
    pub ports: Vec<usize>,
    /// The hosts that it switches off.
    pub hosts: Vec<usize>,
    /// When the clock of its weather began.
    epoch_ns: u64,
    spells: Spells,
    /// The one that is, or the next.
    spell: Option<Spell>,
    /// Since when it is there.
    pub began_ns: Option<u64>,
}

/// What is said of an event: its number, where and when it is, and what it changes.
#[derive(Debug, Serialize)]
pub struct EventReport {
    pub number: u64,
    #[serde(flatten)]
    pub event: Event,
    pub speed: f64,
    pub active: bool,
    /// When it next begins or ends, in seconds since the lab was up; none where it stays as it is.
    pub next_s: Option<f64>,
}

impl Running {
    pub fn new(number: u64, event: Event, speed: f64, now_ns: u64) -> Self {
        let mut spells = Spells::new(event.times.clone(), number);
        let spell = spells.next();
        Self {
            number,
            event,
            speed,
            links: Vec::new(),
            ports: Vec::new(),
            hosts: Vec::new(),
            epoch_ns: now_ns,
            spells,
            spell,
            began_ns: None,
        }
    }

    pub fn is_active(&self) -> bool {
        self.began_ns.is_some()
    }

    /// When it next begins or ends.
    pub fn due_ns(&self) -> Option<u64> {
        let spell = self.spell?;
        let weather_ns = match self.is_active() {
            true => spell.end_ns?,
            false => spell.begin_ns,
        };
        Some(self.epoch_ns + (weather_ns as f64 / self.speed) as u64)
    }

    /// Begins or ends.
    pub fn turn(&mut self, now_ns: u64) {
        match self.began_ns.take() {
            None => self.began_ns = Some(now_ns),
            Some(_) => self.spell = self.spells.next(),
        }
    }

    pub fn report(&self, since_ns: u64) -> EventReport {
        EventReport {
            number: self.number,
            event: self.event.clone(),
            speed: self.speed,
            active: self.is_active(),
            next_s: self.due_ns().map(|due_ns| seconds(due_ns, since_ns)),
        }
    }
}

/// Seconds from one time to another.
pub fn seconds(now_ns: u64, since_ns: u64) -> f64 {
    (now_ns as f64 - since_ns as f64) / 1e9
}
