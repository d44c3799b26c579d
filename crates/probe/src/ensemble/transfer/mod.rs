//! The transfers of one phase at one node, served in turn by the event loop.

mod cast;
mod desk;
mod pingpong;
mod receive;
mod send;
mod tally;
mod timetable;

use std::io;
use std::net::TcpStream;

use socket2::SockRef;

use super::line::Line;
use super::part::{Amount, Incoming, Outgoing, Part, Work, share};
use super::reactor::{Interest, Key, Reactor};
use super::reply::FailedTransfer;
use super::rows::Row;
use crate::clock::now_ns;
use cast::{Relay, Ring};
use desk::Desk;
use pingpong::{Limit, Pinger, Ponger};
use receive::Receiver;
use send::Sender;
use tally::Tally;
use timetable::Timetable;

/// A timed sender leaves no more than this to the kernel, because what it leaves must be drained before the next phase.
const LEFT_TO_KERNEL_BYTES: u32 = 16 << 10;

/// A served connection; a relay has two.
enum Flow {
    Send(Sender),
    Receive(Receiver),
    Ping(Pinger),
    Pong(Ponger),
    Relay(Relay),
}

/// What a flow came to when it was served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Served {
    Ongoing,
    Finished,
}

/// The connections of one transfer, as many as it has streams.
pub struct Connected<T> {
    pub transfer: T,
    pub sockets: Vec<TcpStream>,
}

/// All flows of a phase and what they share.
pub struct Flows {
    desk: Desk,
    flows: Vec<Option<Flow>>,
    timetable: Option<Timetable>,
    rings: Vec<Ring>,
    start_ns: u64,
}

impl Flows {
    pub fn new(node: u32, verify: bool) -> io::Result<Flows> {
        Ok(Flows {
            desk: Desk::new(node, verify)?,
            flows: Vec::new(),
            timetable: None,
            rings: Vec::new(),
            start_ns: 0,
        })
    }

    /// Bytes sent and received in this session.
    pub fn moved_bytes(&self) -> u64 {
        self.desk.moved_bytes
    }

    /// Get the memory for a phase.
    pub fn prepare(&mut self, part: &Part) -> io::Result<()> {
        self.flows = Vec::with_capacity(part.send.len() + part.receive.len());
        self.timetable = None;
        self.desk.clear();
        let receives = part.receive.iter();
        if part.work == Work::Pingpong {
            self.desk.reserve_trips(part.send.len());
        } else {
            let tally = |one: &Incoming| Tally::new(one, part.amount(one.network));
            self.desk.tallies = receives.map(tally).collect();
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

    /// Begin to move bytes; times count from `start_ns`.
    pub fn start(
        &mut self,
        part: &Part,
        send: Vec<Connected<Outgoing>>,
        receive: Vec<Connected<Incoming>>,
        start_ns: u64,
        reactor: &Reactor,
    ) -> io::Result<()> {
        self.start_ns = start_ns;
        self.timetable = part
            .windows()
            .map(|windows| Timetable::new(windows, start_ns));
        match part.work {
            Work::Stream => self.start_streams(part, send, receive, reactor),
            Work::Pingpong => self.start_pingpongs(part, send, receive, reactor),
            Work::Cast => self.start_casts(part, send, receive, reactor),
        }
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
        let now_ns = now_ns();
        if now_ns >= edge_ns {
            self.drain(reactor);
            self.close_windows(now_ns, self::now_ns());
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
        let served = match flow {
            Flow::Send(flow) => flow.serve(&mut self.desk),
            Flow::Receive(flow) => flow.serve(&mut self.desk),
            Flow::Ping(flow) => flow.serve(&mut self.desk, reactor),
            Flow::Pong(flow) => flow.serve(&mut self.desk, reactor),
            Flow::Relay(flow) => flow.serve(&mut self.desk, reactor),
        };
        match served {
            Ok(Served::Ongoing) => return,
            Ok(Served::Finished) => {}
            Err(error) => {
                let (src, dst) = flow.ends(self.desk.node);
                self.desk.fail(src, dst, &error.to_string());
            }
        }
        self.flows[slot] = None;
    }

    /// The bytes are those that had come by `counted_ns`.
    fn close_windows(&mut self, now_ns: u64, counted_ns: u64) {
        let Some(timetable) = &mut self.timetable else {
            return;
        };
        while timetable.pass(now_ns) {
            for tally in &mut self.desk.tallies {
                tally.pass_edge(counted_ns);
            }
            if timetable.next_ns().is_none() {
                self.flows.iter_mut().for_each(end_sender);
            }
        }
    }

    /// Record a transfer that did not take place.
    pub fn fail(&mut self, src: u32, dst: u32, reason: &str) {
        self.desk.fail(src, dst, reason);
    }

    pub fn take_failed(&mut self) -> Vec<FailedTransfer> {
        std::mem::take(&mut self.desk.failed)
    }

    /// What the phase has measured here.
    pub fn rows(&self, part: &Part) -> Vec<Row> {
        let windows = part.windows();
        let tallies = self.desk.tallies.iter();
        let counted = tallies.flat_map(|tally| match windows {
            Some(_) => tally.window_rows(part),
            None => tally.trial_rows(part, self.start_ns),
        });
        let trips = self.desk.trips.iter();
        counted
            .chain(trips.flat_map(|trips| trips.rows(part)))
            .collect()
    }

    /// Close all connections.
    pub fn clear(&mut self) {
        self.flows.clear();
        self.timetable = None;
    }

    fn start_streams(
        &mut self,
        part: &Part,
        send: Vec<Connected<Outgoing>>,
        receive: Vec<Connected<Incoming>>,
        reactor: &Reactor,
    ) -> io::Result<()> {
        for one in send {
            let amount = part.amount(one.transfer.network);
            self.add_senders(one, amount, reactor)?;
        }
        for (tally, one) in receive.into_iter().enumerate() {
            let amount = part.amount(one.transfer.network);
            self.add_receivers(tally, one, amount, reactor)?;
        }
        Ok(())
    }

    fn start_pingpongs(
        &mut self,
        part: &Part,
        send: Vec<Connected<Outgoing>>,
        receive: Vec<Connected<Incoming>>,
        reactor: &Reactor,
    ) -> io::Result<()> {
        for (trips, one) in send.into_iter().enumerate() {
            self.desk.trips[trips].dst = one.transfer.dst;
            for socket in one.sockets {
                let line = self.line(socket, Interest::Write, reactor)?;
                let limit = Limit::of(&part.stop);
                let pinger = Pinger::new(line, one.transfer.dst, part.size_bytes, limit, trips);
                self.flows.push(Some(Flow::Ping(pinger)));
            }
        }
        for one in receive {
            for socket in one.sockets {
                let line = self.line(socket, Interest::Read, reactor)?;
                let ponger = Ponger::new(line, one.transfer.src, part.size_bytes);
                self.flows.push(Some(Flow::Pong(ponger)));
            }
        }
        Ok(())
    }

    /// The head of a chain is a plain sender and its tail a plain receiver.
    fn start_casts(
        &mut self,
        part: &Part,
        mut send: Vec<Connected<Outgoing>>,
        receive: Vec<Connected<Incoming>>,
        reactor: &Reactor,
    ) -> io::Result<()> {
        for (tally, one) in receive.into_iter().enumerate() {
            let network = one.transfer.network;
            let next = send
                .iter()
                .position(|other| other.transfer.network == network);
            match next.map(|index| send.swap_remove(index)) {
                Some(next) => self.add_relay(part, tally, one, next, reactor)?,
                None => self.add_receivers(tally, one, part.amount(network), reactor)?,
            }
        }
        for one in send {
            let amount = part.amount(one.transfer.network);
            self.add_senders(one, amount, reactor)?;
        }
        Ok(())
    }

    fn add_senders(
        &mut self,
        one: Connected<Outgoing>,
        amount: Amount,
        reactor: &Reactor,
    ) -> io::Result<()> {
        let streams = one.sockets.len() as u32;
        for (stream, socket) in (0..).zip(one.sockets) {
            let left_bytes = match amount {
                Amount::Trials { bytes, trials } => {
                    Some(share(bytes, streams, stream) * u64::from(trials))
                }
                Amount::Time(_) => {
                    SockRef::from(&socket).set_tcp_notsent_lowat(LEFT_TO_KERNEL_BYTES)?;
                    None
                }
            };
            let line = self.line(socket, Interest::Write, reactor)?;
            let sender = Sender::new(line, one.transfer.dst, left_bytes);
            self.flows.push(Some(Flow::Send(sender)));
        }
        Ok(())
    }

    fn add_receivers(
        &mut self,
        tally: usize,
        one: Connected<Incoming>,
        amount: Amount,
        reactor: &Reactor,
    ) -> io::Result<()> {
        let streams = one.sockets.len() as u32;
        for (stream, socket) in (0..).zip(one.sockets) {
            let line = self.line(socket, Interest::Read, reactor)?;
            let expected = match amount {
                Amount::Trials { bytes, trials } => Some((share(bytes, streams, stream), trials)),
                Amount::Time(_) => None,
            };
            let receiver = Receiver::new(line, one.transfer.src, tally, expected)?;
            self.flows.push(Some(Flow::Receive(receiver)));
        }
        Ok(())
    }

    fn add_relay(
        &mut self,
        part: &Part,
        tally: usize,
        from: Connected<Incoming>,
        to: Connected<Outgoing>,
        reactor: &Reactor,
    ) -> io::Result<()> {
        let ring = self.rings.pop().expect("there is a ring for each relay");
        let bytes = part.cast_bytes(from.transfer.network);
        let mut relay = Relay::new(ring, bytes, tally, from.transfer.src, to.transfer.dst);
        for socket in from.sockets {
            relay.input = Some(self.line(socket, Interest::Read, reactor)?);
        }
        for socket in to.sockets {
            relay.output = Some(self.line(socket, Interest::Nothing, reactor)?);
        }
        self.flows
            .push(relay.has_work().then_some(Flow::Relay(relay)));
        Ok(())
    }

    /// Watch a socket for the flow that is added next.
    fn line(&self, socket: TcpStream, interest: Interest, reactor: &Reactor) -> io::Result<Line> {
        Line::watch(
            socket,
            Key::Flow(self.flows.len() as u32),
            interest,
            reactor,
        )
    }
}

impl Flow {
    /// The source and the destination of the transfer.
    fn ends(&self, node: u32) -> (u32, u32) {
        match self {
            Flow::Send(flow) => (node, flow.dst),
            Flow::Receive(flow) => (flow.src, node),
            Flow::Ping(flow) => (node, flow.dst),
            Flow::Pong(flow) => (flow.src, node),
            Flow::Relay(flow) => (flow.src, node),
        }
    }

    /// The peers that it is not through with.
    fn nodes(&self) -> impl Iterator<Item = u32> {
        let pair = match self {
            Flow::Send(flow) => [Some(flow.dst), None],
            Flow::Receive(flow) => [Some(flow.src), None],
            Flow::Ping(flow) => [Some(flow.dst), None],
            Flow::Pong(flow) => [Some(flow.src), None],
            Flow::Relay(flow) => flow.nodes(),
        };
        pair.into_iter().flatten()
    }
}

fn end_sender(flow: &mut Option<Flow>) {
    if let Some(Flow::Send(sender)) = flow {
        sender.finish();
        *flow = None;
    }
}
