//! The transfers of one phase at one node, served in turn by the event loop.

mod cast;
mod flow;
mod pingpong;
mod receive;
mod round_trips;
mod send;
mod shared;
mod start;
mod tally;
mod timetable;

use std::io;

use super::event_loop::reactor::Reactor;
use super::part::{Incoming, Outgoing, Part};
use super::reply::FailedTransfer;
use super::rows::Row;
use weft_plan::Work;

use crate::evidence::Moved;
use crate::system::clock::now_ns;
use cast::Ring;
use flow::Flow;
use shared::{Served, Shared};
pub use start::Connected;
use tally::Tally;
use timetable::Timetable;

/// All flows of a phase and what they share.
pub struct Flows {
    shared: Shared,
    flows: Vec<Option<Flow>>,
    timetable: Option<Timetable>,
    rings: Vec<Ring>,
    start_ns: u64,
}

impl Flows {
    pub fn new(node: u32, verify: bool) -> io::Result<Flows> {
        Ok(Flows {
            shared: Shared::new(node, verify)?,
            flows: Vec::new(),
            timetable: None,
            rings: Vec::new(),
            start_ns: 0,
        })
    }

    /// What was sent and received in this session.
    pub fn moved(&self) -> Moved {
        self.shared.moved
    }

    /// Get the memory for a phase.
    pub fn prepare(&mut self, part: &Part) -> io::Result<()> {
        self.flows = Vec::with_capacity(part.send.len() + part.receive.len());
        self.timetable = None;
        self.shared.clear();
        let receives = part.receive.iter();
        if part.work == Work::Pingpong {
            self.shared.reserve_trips(part.send.len());
        } else {
            let tally = |one: &Incoming| Tally::new(one, part.amount(one.network));
            self.shared.tallies = receives.map(tally).collect();
        }
        let is_relayed = |one: &&Outgoing| {
            part.receive
                .iter()
                .any(|other| other.network == one.network)
        };
        self.rings = match (part.work, part.chunk_bytes) {
            (Work::Cast, Some(chunk_bytes)) => part
                .send
                .iter()
                .filter(is_relayed)
                .map(|_| Ring::new(chunk_bytes))
                .collect::<io::Result<_>>()?,
            _ => Vec::new(),
        };
        Ok(())
    }

    /// True when nothing is left to do or to count.
    pub fn are_over(&self) -> bool {
        self.flows.iter().all(Option::is_none) && self.deadline_ns().is_none()
    }

    /// The nodes that unfinished transfers wait for.
    pub fn nodes(&self) -> impl Iterator<Item = u32> {
        self.flows.iter().flatten().flat_map(Flow::nodes)
    }

    /// When the next window of time ends.
    pub fn deadline_ns(&self) -> Option<u64> {
        self.timetable.as_ref().and_then(Timetable::next_ns)
    }

    /// Close the windows whose time is over; senders end with the last.
    #[inline]
    pub fn pass_edges(&mut self, reactor: &Reactor) {
        let Some(edge_ns) = self.deadline_ns() else {
            return;
        };
        if now_ns() >= edge_ns {
            self.drain(reactor);
            self.close_window(now_ns());
        }
    }

    /// Let a flow move what it can, up to a limit that is fair to the others.
    #[inline]
    pub fn serve(&mut self, slot: u32, reactor: &Reactor) {
        self.pass_edges(reactor);
        self.serve_flow(slot as usize, reactor);
    }

    /// Take what has come, also where it is too little to wake us.
    pub fn drain(&mut self, reactor: &Reactor) {
        for slot in 0..self.flows.len() {
            if matches!(self.flows[slot], Some(Flow::Receive(_))) {
                self.serve_flow(slot, reactor);
            }
        }
    }

    fn serve_flow(&mut self, slot: usize, reactor: &Reactor) {
        let Some(Some(flow)) = self.flows.get_mut(slot) else {
            return;
        };
        match flow.serve(&mut self.shared, reactor) {
            Ok(Served::Ongoing) => return,
            Ok(Served::Finished) => {}
            Err(error) => {
                let (src, dst) = flow.ends(self.shared.node);
                self.shared.fail(src, dst, &error.to_string());
            }
        }
        self.flows[slot] = None;
    }

    /// The bytes are those that had come by `counted_ns`.
    fn close_window(&mut self, counted_ns: u64) {
        let Some(timetable) = &mut self.timetable else {
            return;
        };
        timetable.pass(counted_ns);
        for tally in &mut self.shared.tallies {
            tally.pass_edge(counted_ns);
        }
        if timetable.next_ns().is_none() {
            self.flows.iter_mut().for_each(end_timed);
        }
    }

    /// Record a transfer that did not take place.
    pub fn fail(&mut self, src: u32, dst: u32, reason: &str) {
        self.shared.fail(src, dst, reason);
    }

    pub fn take_failed(&mut self) -> Vec<FailedTransfer> {
        std::mem::take(&mut self.shared.failed)
    }

    /// What the phase has measured here.
    pub fn rows(&self, part: &Part) -> Vec<Row> {
        let windows = part.windows();
        let tallies = self.shared.tallies.iter();
        let counted = tallies.flat_map(|tally| match windows {
            Some(_) => tally.window_rows(part),
            None => tally.trial_rows(part, self.start_ns),
        });
        let trips = self.shared.trips.iter();
        counted
            .chain(trips.flat_map(|trips| trips.rows(part)))
            .collect()
    }

    /// Close all connections.
    pub fn clear(&mut self) {
        self.flows.clear();
        self.timetable = None;
    }
}

/// Receivers end with what is still on its way, but where a port must be free at once.
fn end_timed(flow: &mut Option<Flow>) {
    match flow {
        Some(Flow::Send(sender)) => sender.finish(),
        Some(Flow::Receive(receiver)) if receiver.may_reset => {}
        _ => return,
    }
    *flow = None;
}
