//! A session: from the opening of the listeners until the coordinator ends it or something breaks.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::io;
use std::net::{IpAddr, SocketAddr, TcpStream};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, TryRecvError};

use weft_plan::Options;

use super::arrivals::Arrivals;
use super::channels::Channels;
use super::clock_offset::{ClockOffset, ClockServer, Estimate};
use super::connect::{Attempts, Outcome, Target};
use super::error::SessionError;
use super::event_loop::reactor::{Interest, Key, Reactor};
use super::event_loop::timer::Timer;
use super::listeners::Listeners;
use super::mesh::Mesh;
use super::progress::{Progress, State};
use super::reply::Reply;
use super::request::Opening;
use super::transfer::Flows;
use crate::evidence::{Moved, Recorder};
use crate::listener::place::{Place, Purpose};
use crate::system::clock::now_ns;
use crate::system::wake::Wake;
use crate::wire::outbox::Outbox;

/// The longest sleep of an event loop that has nothing to wait for.
const LONGEST_SLEEP_NS: u64 = 10_000_000_000;
/// How soon to try again when the coordinator is slow to read.
const OUTPUT_RETRY_NS: u64 = 5_000_000;

/// Why a session is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Its work is done.
    Done,
    /// It was aborted, or failed because of a node.
    Broken(Option<u32>),
}

impl End {
    fn failed(self) -> Option<u32> {
        match self {
            End::Done => None,
            End::Broken(failed) => failed,
        }
    }
}

/// Everything that exists between `open` and `leave`.
pub struct Session {
    pub(super) node: u32,
    pub(super) options: Options,
    pub(super) addresses: Vec<IpAddr>,
    pub(super) reactor: Reactor,
    wake: Arc<Wake>,
    pub(super) timer: Timer,
    listeners: Listeners,
    pub(super) arrivals: Arrivals,
    pub(super) attempts: Attempts,
    /// Connections that were let in, or failed, since the last look.
    pub(super) settled: Vec<(Target, Outcome)>,
    clock_server: ClockServer,
    /// The member whose clock is the reference, while it is being asked.
    pub(super) estimate: Option<(u32, Estimate)>,
    pub(super) clock: Option<ClockOffset>,
    pub(super) peers: BTreeMap<u32, Vec<SocketAddr>>,
    pub(super) mesh: Option<Mesh>,
    pub(super) epoch_ns: i64,
    pub(super) flows: Flows,
    pub(super) channels: Channels,
    pub(super) progress: Progress,
    pub(super) recorder: Recorder,
    /// What the recorder reads.
    pub(super) moved_so_far: Rc<Cell<Moved>>,
    /// Phases of this session that are over, and those whose connections have been asked for.
    pub(super) sequence: u32,
    /// Barriers of this session so far.
    pub(super) barriers: u32,
    pub(super) requested: u32,
}

impl Session {
    /// Open the listeners.
    pub fn open(opening: Opening, wake: Arc<Wake>) -> Result<Session, SessionError> {
        if opening.addresses.is_empty() {
            return Err(SessionError::bad_request(
                "a node needs at least one address",
            ));
        }
        let reactor = Reactor::new()?;
        reactor.watch(&*wake, Key::Wake, Interest::Read)?;
        let Opening {
            node,
            addresses,
            ports,
            options,
            token,
        } = opening;
        Ok(Session {
            node,
            listeners: Listeners::open(&addresses, ports, &options, token.clone(), &reactor)?,
            addresses,
            timer: Timer::watch(&reactor)?,
            attempts: Attempts::new(options.clone(), token),
            flows: Flows::new(node, options.verify)?,
            channels: Channels::new(options.verify)?,
            options,
            reactor,
            wake,
            arrivals: Arrivals::default(),
            settled: Vec::new(),
            clock_server: ClockServer::new(),
            estimate: None,
            clock: None,
            peers: BTreeMap::new(),
            mesh: None,
            epoch_ns: 0,
            progress: Progress::new(),
            recorder: Recorder::default(),
            moved_so_far: Rc::default(),
            sequence: 0,
            barriers: 0,
            requested: 0,
        })
    }

    pub fn node(&self) -> u32 {
        self.node
    }

    pub fn ports(&self) -> io::Result<Vec<u16>> {
        self.listeners.ports()
    }

    /// Look after the connections until there is a request; `None` when there will be none any more.
    pub fn idle(
        &mut self,
        outbox: &mut Outbox,
        requests: &Receiver<Vec<u8>>,
    ) -> Result<Option<Vec<u8>>, SessionError> {
        loop {
            match requests.try_recv() {
                Ok(payload) => return Ok(Some(payload)),
                Err(TryRecvError::Disconnected) => return Ok(None),
                Err(TryRecvError::Empty) => self.turn(outbox, None)?,
            }
        }
    }

    /// Close everything, telling the peers which node failed; returns how many connections were refused.
    pub fn close(mut self, end: End) -> u64 {
        if let Some(mesh) = &mut self.mesh {
            mesh.leave(end.failed());
        }
        self.listeners.close(end == End::Done)
    }

    /// Sleep until something happens or the deadline has come, and deal with all that has happened.
    pub(super) fn turn(
        &mut self,
        outbox: &mut Outbox,
        deadline_ns: Option<u64>,
    ) -> Result<(), SessionError> {
        self.report(outbox)?;
        let timeout_ns = self.timeout_ns(outbox, deadline_ns);
        let events = self.reactor.wait(timeout_ns)?;
        self.flows.pass_edges(&self.reactor);
        for index in 0..events {
            self.dispatch(self.reactor.event(index))?;
        }
        if self.wake.is_aborting() {
            return Err(SessionError::Aborted);
        }
        self.channels.take_trouble().map_or(Ok(()), Err)
    }

    fn dispatch(&mut self, key: Key) -> Result<(), SessionError> {
        match key {
            Key::Flow(slot) => self.flows.serve(slot, &self.reactor),
            Key::Channel(slot) => self.channels.serve(slot, &self.reactor),
            Key::Link(slot) => self.read_link(slot)?,
            Key::Listener(number) => self.listeners.accept(number, &self.reactor)?,
            Key::Guest(slot) => {
                let is_free = |place| self.arrivals.is_free(place);
                let heard = self.listeners.hear(slot, is_free, &self.reactor)?;
                if let Some((place, socket)) = heard {
                    self.admit(place, socket)?;
                }
            }
            Key::Attempt(slot) => {
                if let Some((target, outcome)) = self.attempts.advance(slot, &self.reactor)? {
                    self.settle(target, outcome)?;
                }
            }
            Key::Client(slot) => self.clock_server.answer(slot),
            Key::Estimate => self.advance_estimate()?,
            Key::Timer => self.timer.reset(),
            Key::Wake => self.wake.reset(),
        }
        Ok(())
    }

    fn read_link(&mut self, slot: u32) -> Result<(), SessionError> {
        match &mut self.mesh {
            Some(mesh) => mesh.read(slot, &self.reactor),
            None => Ok(()),
        }
    }

    /// A connection with the token has come in.
    fn admit(&mut self, place: Place, socket: TcpStream) -> io::Result<()> {
        self.arrivals.take_place(place);
        match place.purpose {
            Purpose::Clock => self.clock_server.admit(socket, &self.reactor),
            Purpose::Channel => self.channels.admit(place.node, socket, &self.reactor),
            _ => {
                self.arrivals.keep(place, socket);
                Ok(())
            }
        }
    }

    /// A connection to another member has come about, or has not.
    pub(super) fn settle(&mut self, target: Target, outcome: Outcome) -> io::Result<()> {
        if target.place.purpose == Purpose::Channel {
            return self.settle_channel(target, outcome);
        }
        self.settled.push((target, outcome));
        Ok(())
    }

    fn report(&mut self, outbox: &mut Outbox) -> Result<(), SessionError> {
        let now_ns = now_ns();
        self.listeners.expire(now_ns);
        if self.progress.is_due(now_ns) {
            self.flows.drain(&self.reactor);
            outbox.put(&self.alive()).map_err(SessionError::Unheard)?;
        }
        outbox.pump().map_err(SessionError::Unheard)
    }

    fn alive(&self) -> Reply {
        let mut waiting_for = self.waiting_for();
        waiting_for.sort_unstable();
        waiting_for.dedup();
        Reply::Alive {
            phase: self.progress.phase.unwrap_or(0),
            state: self.progress.state,
            moved_bytes: self.moved_bytes(),
            waiting_for,
            round: self.progress.round,
            computing: self.progress.is_computing,
        }
    }

    /// Bytes sent and received in this session.
    pub(super) fn moved_bytes(&self) -> u64 {
        self.moved().bytes()
    }

    fn moved(&self) -> Moved {
        self.flows.moved().and(self.channels.moved())
    }

    /// Let the recorder read what was moved so far.
    pub(super) fn tell_moved(&self) {
        self.moved_so_far.set(self.moved());
    }

    /// What turns this node's clock into the run's.
    pub(super) fn shift_ns(&self) -> i64 {
        self.clock.unwrap_or_default().offset_ns - self.epoch_ns
    }

    fn waiting_for(&self) -> Vec<u32> {
        match (self.progress.state, self.progress.round, &self.mesh) {
            (State::Connect, ..) => self.attempts.nodes().collect(),
            (State::Barrier, Some(round), Some(mesh)) => vec![mesh.source(round)],
            (State::Transfer, ..) => self.flows.nodes().chain(self.channels.nodes()).collect(),
            _ => Vec::new(),
        }
    }

    fn timeout_ns(&self, outbox: &Outbox, deadline_ns: Option<u64>) -> u64 {
        let now_ns = now_ns();
        let output_ns = (!outbox.is_empty()).then_some(now_ns + OUTPUT_RETRY_NS);
        let deadlines = [
            deadline_ns,
            output_ns,
            self.progress.deadline_ns(),
            self.listeners.deadline_ns(),
            self.flows.deadline_ns(),
        ];
        let first = deadlines.into_iter().flatten().min();
        first.map_or(LONGEST_SLEEP_NS, |first| {
            first.saturating_sub(now_ns).min(LONGEST_SLEEP_NS)
        })
    }
}
