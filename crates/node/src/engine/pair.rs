//! Two nodes and the link between them, from event to event.

use std::fmt;

use weft_netsim::simulate::Fingerprint;

use super::calendar::Calendar;
use super::costs::JobCosts;
use super::datagrams::Place;
use super::datagrams::Sent;
use super::flows::Route;
use super::node::Node;
use super::observe::Budget;
use super::observe::Tally;
use super::observe::{Unwatched, Watch};
use super::process::Exchange;
use super::users::Users;
use crate::machine::{Machine, Task};

/// The kinds of slots of a node behind those of its processors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Slot {
    IoBus,
    Link,
    Wire,
    Coalescing,
    Signal,
    Acknowledgement,
    Timer,
}

const SLOTS: [Slot; 7] = [
    Slot::IoBus,
    Slot::Link,
    Slot::Wire,
    Slot::Coalescing,
    Slot::Signal,
    Slot::Acknowledgement,
    Slot::Timer,
];

/// The slots of a node.
fn width(machine: &Machine) -> usize {
    machine.processors.len() + machine.interfaces.len() * SLOTS.len()
}

/// Events without a message at its end, besides those for each of its segments, after which none is expected.
const PATIENCE: u64 = 1_000_000;
const PATIENCE_PER_SEGMENT: u64 = 200;
/// A processor that spends this part of its time on interrupts has none for anything else.
const LIVELOCK_SHARE: f64 = 0.9;

/// Why messages stopped.
#[derive(Debug, Clone, PartialEq)]
pub enum Failure {
    /// A processor does nothing but serve interrupts (J. C. Mogul and K. K. Ramakrishnan, ACM TOCS 15(3), 1997).
    Livelock { processor: String, share: f64 },
    /// A datagram of a ping-pong did not arrive, and none will.
    Lost { node: usize, place: &'static str },
    /// Nothing, or nothing of use, happens any more.
    Stalled { after_ps: u64 },
    /// The application computes so long for a message that none passes in any time worth simulating.
    Drowned { compute_s: f64 },
}

impl fmt::Display for Failure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Livelock { processor, share } => write!(
                out,
                "livelock: {processor} spends {:.0} % of its time on interrupts and finishes no message",
                share * 100.0
            ),
            Self::Lost { node, place } => write!(
                out,
                "a datagram was lost for want of room in the {place} of n{}, and every other of the size would be",
                node + 1
            ),
            Self::Stalled { after_ps } => write!(
                out,
                "no message arrives any more after {:.6} s",
                *after_ps as f64 / 1e12
            ),
            Self::Drowned { compute_s } => write!(
                out,
                "nothing flows: the application computes {compute_s:.0} s for each message"
            ),
        }
    }
}

/// Two machines of a kind that are joined by a link.
#[derive(Debug, Clone)]
pub struct Pair<'a, W = Unwatched> {
    pub(super) machine: &'a Machine,
    pub(super) exchange: Exchange,
    pub(super) costs: JobCosts,
    pub(super) nodes: [Node; 2],
    pub(super) calendar: Calendar,
    pub(super) now_ps: u64,
    pub(super) budget: Budget,
    /// By node: messages that its process has read.
    pub(super) read: [u64; 2],
    pub(super) watch: W,
    /// Instead of node 0, where many users request from node 1.
    pub(super) users: Option<Users>,
    pub(super) sending: Sent,
    /// The node that something happens at, and the interface of both that it happens to.
    pub(super) acting: usize,
    pub(super) interface: usize,
    /// By connection, where there are several pairs of processes.
    pub(super) routes: Vec<Route>,
    pub(super) is_bonded: bool,
    events: u64,
    fingerprint: Fingerprint,
}

impl<'a> Pair<'a> {
    /// Node 0 begins, node 1 answers if the exchange has answers.
    pub fn new(machine: &'a Machine, exchange: Exchange) -> Self {
        Self::watched(machine, exchange, Unwatched)
    }
}

impl<'a, W: Watch> Pair<'a, W> {
    /// The same with an observer.
    pub fn watched(machine: &'a Machine, exchange: Exchange, watch: W) -> Self {
        let mut pair = Self::idle(machine, exchange, watch);
        for at in 0..2 {
            pair.begin_operation(at, pair.place(Task::Application));
            pair.wind_timer(at);
        }
        pair
    }

    /// Neither node has begun.
    pub(super) fn idle(machine: &'a Machine, exchange: Exchange, watch: W) -> Self {
        let width = width(machine);
        let node = |begins| Node::new(machine, exchange, begins);
        Self {
            machine,
            exchange,
            costs: JobCosts::new(machine),
            nodes: [node(true), node(false)],
            // The last one is the users', or of the next datagram to send.
            calendar: Calendar::new(2 * width + 1),
            now_ps: 0,
            budget: Budget::default(),
            read: [0, 0],
            watch,
            users: None,
            sending: Sent::default(),
            acting: 0,
            interface: 0,
            routes: Vec::new(),
            is_bonded: false,
            events: 0,
            fingerprint: Fingerprint::default(),
        }
    }

    /// Goes on until a node's process has read one more message. Gives back the time.
    pub fn next_message(&mut self, node: usize) -> Result<u64, Failure> {
        let before = self.read[node];
        self.go_on_until(|pair| pair.read[node] > before)?;
        Ok(self.now_ps)
    }

    pub(super) fn go_on_until(&mut self, is_over: impl Fn(&Self) -> bool) -> Result<(), Failure> {
        let began_ps = self.now_ps;
        let began = [self.tally(0), self.tally(1)];
        let last = self.events + self.patience();
        while !is_over(self) {
            if self.events > last || !self.step() {
                return Err(self.failure(began_ps, &began));
            }
        }
        Ok(())
    }

    /// Forgets where time went so far.
    pub fn reset_budget(&mut self) {
        self.budget.reset(self.now_ps);
        self.watch.batch_begins(self.now_ps);
    }

    /// The observer.
    pub fn into_watch(self) -> W {
        self.watch
    }

    /// By stage, where the time went since the last reset.
    pub fn budget_ps(&self) -> [u64; super::Stage::ALL.len()] {
        self.budget.parts_ps
    }

    /// What a node was busy with since the beginning.
    pub fn tally(&mut self, at: usize) -> Tally {
        let now_ps = self.now_ps;
        // The ring's counts are those of the first interface, and times the means over buses and links.
        self.turn_to_interface(0);
        let links = self.machine.interfaces.len() as u64;
        let buses = 1 + self.machine.io_buses.len() as u64;
        let node = &mut self.nodes[at];
        node.processors
            .iter_mut()
            .for_each(|one| one.catch_up(now_ps));
        Tally {
            elapsed_ps: now_ps,
            busy_ps: node.processors.iter().map(|one| one.busy_ps).collect(),
            interrupts: node.processors.iter().map(|one| one.interrupts).collect(),
            io_bus_ps: node.io_bus_ps / buses,
            memory_bus_ps: node.memory_bus_ps,
            link_ps: node.link_ps / links,
            frames_out: node.frames_out,
            ring_frames: node.ring.left,
            ring_stay_ps: node.ring.stay_ps,
            ring_area_ps: node.ring.area_ps,
            caches: node
                .touches
                .as_ref()
                .map_or(Vec::new(), |one| one.counts().to_vec()),
        }
    }

    pub fn events(&self) -> u64 {
        self.events
    }

    /// Of all events so far: their times and slots.
    pub fn fingerprint(&self) -> u64 {
        self.fingerprint.value()
    }

    /// One event. False where there is none.
    fn step(&mut self) -> bool {
        let Some((at_ps, slot)) = self.calendar.next() else {
            return false;
        };
        self.now_ps = at_ps;
        self.events += 1;
        self.fingerprint.add_word(at_ps);
        self.fingerprint.add_word(slot as u64);
        let width = self.width();
        let (at, slot) = (slot / width, slot % width);
        if at == self.nodes.len() {
            match self.users {
                Some(_) => self.users_act(),
                None => self.begin_operation(0, self.place(Task::Application)),
            }
            return true;
        }
        self.acting = at;
        match slot.checked_sub(self.machine.processors.len()) {
            None => self.processor_done(at, slot),
            Some(kind) => {
                self.turn_to_interface(kind / SLOTS.len());
                self.happen(at, SLOTS[kind % SLOTS.len()]);
            }
        }
        true
    }

    fn happen(&mut self, at: usize, slot: Slot) {
        match slot {
            Slot::IoBus => self.bus_done(at),
            Slot::Link => self.link_done(at),
            Slot::Wire => self.arrive(at),
            Slot::Coalescing => self.waited(at),
            Slot::Signal => self.interrupt(at),
            Slot::Acknowledgement => self.acknowledge_late(at),
            Slot::Timer => self.tick(at),
        }
    }

    /// The place of a node's slot in the calendar.
    pub(super) fn slot(&self, at: usize, slot: Slot) -> usize {
        let interface = match slot {
            Slot::IoBus => self.first_on_bus(),
            Slot::Acknowledgement | Slot::Timer => 0,
            _ => self.interface,
        };
        let behind = self.machine.processors.len() + interface * SLOTS.len();
        at * self.width() + behind + slot as usize
    }

    /// The place of a node's processor in the calendar.
    pub(super) fn processor_slot(&self, at: usize, processor: usize) -> usize {
        at * self.width() + processor
    }

    /// The place of the users, behind the nodes'.
    pub(super) fn users_slot(&self) -> usize {
        2 * self.width()
    }

    fn width(&self) -> usize {
        width(self.machine)
    }

    fn patience(&self) -> u64 {
        let bytes = self.exchange.message_bytes + self.exchange.answer_bytes;
        let segments = bytes / self.nodes[0].connection.segment_bytes;
        PATIENCE + segments * PATIENCE_PER_SEGMENT
    }

    fn failure(&mut self, began_ps: u64, began: &[Tally; 2]) -> Failure {
        let elapsed_ps = (self.now_ps - began_ps).max(1) as f64;
        let mut worst = (0.0, 0);
        for (at, earlier) in began.iter().enumerate() {
            let tally = self.tally(at).since(earlier);
            for (index, busy) in tally.busy_ps.iter().enumerate() {
                if !self.machine.placement.uses(index) {
                    continue;
                }
                let share = busy[crate::Task::Interrupt as usize] as f64 / elapsed_ps;
                worst = if share > worst.0 {
                    (share, index)
                } else {
                    worst
                };
            }
        }
        let (share, index) = worst;
        let is_lost = |node: &usize| self.lost(*node).iter().sum::<u64>() > 0;
        if let Some(node) = (0..2).find(is_lost) {
            let place = Place::ALL
                .into_iter()
                .find(|place| self.lost(node)[*place as usize] > 0);
            let place = place.map_or("", Place::name);
            return Failure::Lost { node, place };
        }
        match share >= LIVELOCK_SHARE {
            true => Failure::Livelock {
                processor: self.machine.processors[index].name.clone(),
                share,
            },
            false => Failure::Stalled {
                after_ps: self.now_ps,
            },
        }
    }
}
