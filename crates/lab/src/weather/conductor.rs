//! Carries the weather out: changes links, takes carriers away, switches hosts off, and puts all back.

use std::path::{Path, PathBuf};

use serde::Serialize;
use weft_fabric::Fabric;
use weft_fabric::weather::{Event, Weather, load_weather};

use crate::clock;
use crate::error::{LabError, Result};
use crate::lab::Lab;
use crate::weather::log::Log;
use crate::weather::places::{Changeable, positions};
use crate::weather::running::{EventReport, Running, seconds};

/// The weather of a lab.
pub struct Conductor<'a> {
    lab: &'a Lab,
    fabric: &'a Fabric,
    changeable: Option<Changeable>,
    running: Vec<Running>,
    /// How many events there have been.
    count: u64,
    since_ns: u64,
    log: Log,
}

/// What is said of the weather.
#[derive(Debug, Serialize)]
pub struct WeatherReport {
    /// Seconds since the lab was up.
    lab_s: f64,
    log: Option<PathBuf>,
    events: Vec<EventReport>,
}

impl<'a> Conductor<'a> {
    pub fn new(
        lab: &'a Lab,
        fabric: &'a Fabric,
        changeable: Option<Changeable>,
        log: Option<&Path>,
    ) -> Result<Self> {
        let since_ns = clock::now_ns();
        Ok(Self {
            lab,
            fabric,
            changeable,
            running: Vec::new(),
            count: 0,
            since_ns,
            log: Log::open(log, since_ns)?,
        })
    }

    /// Takes up the events of a text, at its own speed or another.
    pub fn add_text(&mut self, text: &str, origin: &str, speed: Option<f64>) -> Result<()> {
        let weather = load_weather(text, origin, self.fabric)
            .map_err(|error| LabError::request(error.to_string(), ""))?;
        let speed = speed.unwrap_or(weather.speed);
        self.add(&Weather { speed, ..weather })
    }

    /// Takes up the events of a file, whose clock begins now; refuses all where one is impossible.
    pub fn add(&mut self, weather: &Weather) -> Result<()> {
        let now_ns = clock::now_ns();
        let place = |(number, event): (u64, &Event)| {
            self.place(Running::new(number, event.clone(), weather.speed, now_ns))
        };
        let numbered = (self.count..).zip(&weather.events);
        let placed: Vec<_> = numbered.map(place).collect::<Result<_>>()?;
        self.count += placed.len() as u64;
        self.running.extend(placed);
        self.advance();
        Ok(())
    }

    fn place(&self, mut running: Running) -> Result<Running> {
        let Some(Changeable { places, .. }) = &self.changeable else {
            let message = format!(
                "the lab {:?} has no forwarder, so it has no weather",
                self.fabric.name
            );
            let hint =
                "give its link a rate or a delay in the fabric file, such as delay = \"1 us\"";
            return Err(LabError::request(message, hint));
        };
        let event = &running.event;
        let hosts = positions(self.fabric, &event.ids);
        running.links = places.links_of(event, self.fabric)?;
        if event.change.off {
            let ports = hosts.iter().flat_map(|host| places.ports_of(*host));
            running.ports = ports.collect();
            running.hosts = hosts;
        } else if event.change.unplugged {
            let ports = hosts.iter().map(|host| places.port_of(event, *host));
            running.ports = ports.collect::<Result<_>>()?;
        }
        Ok(running)
    }

    /// When something next changes.
    pub fn due_ns(&self) -> Option<u64> {
        self.running.iter().filter_map(Running::due_ns).min()
    }

    /// Carries out what is due.
    pub fn advance(&mut self) {
        loop {
            let now_ns = clock::now_ns();
            let numbered = self.running.iter().enumerate();
            let due = numbered.filter_map(|(at, running)| Some((running.due_ns()?, at)));
            match due.min() {
                Some((due_ns, at)) if due_ns <= now_ns => self.turn(at),
                _ => return,
            }
        }
    }

    /// Ends all events; none of them comes again.
    pub fn clear(&mut self) {
        for at in 0..self.running.len() {
            if self.running[at].is_active() {
                self.turn(at);
            }
        }
        self.running.clear();
    }

    pub fn report(&self) -> WeatherReport {
        let events = self.running.iter();
        WeatherReport {
            lab_s: seconds(clock::now_ns(), self.since_ns),
            log: self.log.path().map(Path::to_owned),
            events: events.map(|one| one.report(self.since_ns)).collect(),
        }
    }

    /// An event begins or ends. A host is cut off before its processes are killed, so that nothing says goodbye.
    fn turn(&mut self, at: usize) {
        self.running[at].turn(clock::now_ns());
        self.change_links(at);
        let running = &self.running[at];
        for port in &running.ports {
            let is_cut = self.active().any(|one| one.ports.contains(port));
            let _ = self.lab.set_carrier(*port, !is_cut);
        }
        let mut killed = None;
        for host in &running.hosts {
            if running.is_active() {
                killed = Some(killed.unwrap_or(0) + self.lab.switch_off(*host));
            } else if !self.active().any(|one| one.hosts.contains(host)) {
                self.lab.switch_on(*host);
            }
        }
        let state = if running.is_active() {
            "begins"
        } else {
            "ends"
        };
        self.log.note(&self.running[at], state, killed);
    }

    fn active(&self) -> impl Iterator<Item = &Running> {
        self.running.iter().filter(|one| one.is_active())
    }

    /// Gives the links of an event what all events that are there make of them, in the order in which they began.
    fn change_links(&self, at: usize) {
        let Some(Changeable { places, links }) = &self.changeable else {
            return;
        };
        let mut active: Vec<_> = self.active().collect();
        active.sort_by_key(|one| one.began_ns);
        for link in &self.running[at].links {
            let here = active.iter().filter(|one| one.links.contains(link));
            let base = places.base(*link);
            links.send(
                *link,
                here.fold(base, |now, one| now.with(&one.event.change)),
            );
        }
    }
}
