//! How the flows of a phase begin: which of them a node has, and on what sockets.

use std::io;
use std::net::TcpStream;
use std::time::Duration;

use socket2::SockRef;

use weft_plan::Work;

use super::super::event_loop::line::Line;
use super::super::event_loop::reactor::{Interest, Key, Reactor};
use super::super::part::{Amount, Incoming, Outgoing, Part, share};
use super::Flows;
use super::cast::Relay;
use super::flow::Flow;
use super::pingpong::{Limit, Pinger, Ponger};
use super::receive::Receiver;
use super::send::Sender;
use super::timetable::Timetable;

/// A timed sender leaves no more than this to the kernel, because what it leaves must be drained before the next phase.
const LEFT_TO_KERNEL_BYTES: u32 = 16 << 10;

/// The connections of one transfer, as many as it has streams.
pub struct Connected<T> {
    pub transfer: T,
    pub sockets: Vec<TcpStream>,
}

type Sending = Vec<Connected<Outgoing>>;
type Receiving = Vec<Connected<Incoming>>;

/// A node's flows while those of a phase are added.
struct Start<'a> {
    into: &'a mut Flows,
    part: &'a Part,
    reactor: &'a Reactor,
}

impl Flows {
    /// Begin to move bytes; times count from `start_ns`.
    pub fn start(
        &mut self,
        part: &Part,
        send: Sending,
        receive: Receiving,
        start_ns: u64,
        reactor: &Reactor,
    ) -> io::Result<()> {
        self.start_ns = start_ns;
        self.timetable = part
            .windows()
            .map(|windows| Timetable::new(windows, start_ns));
        let mut start = Start {
            into: self,
            part,
            reactor,
        };
        match part.work {
            Work::Stream => start.streams(send, receive),
            Work::Pingpong => start.pingpongs(send, receive),
            Work::Cast => start.casts(send, receive),
        }
    }
}

impl Start<'_> {
    fn streams(&mut self, send: Sending, receive: Receiving) -> io::Result<()> {
        for one in send {
            self.add_senders(one)?;
        }
        for (tally, one) in receive.into_iter().enumerate() {
            self.add_receivers(tally, one)?;
        }
        Ok(())
    }

    fn pingpongs(&mut self, send: Sending, receive: Receiving) -> io::Result<()> {
        for (trips, one) in send.into_iter().enumerate() {
            self.into.shared.trips[trips].dst = one.transfer.dst;
            for socket in one.sockets {
                let line = self.line(socket, Interest::Write)?;
                let limit = Limit::of(&self.part.stop);
                let pinger =
                    Pinger::new(line, one.transfer.dst, self.part.size_bytes, limit, trips);
                self.into.flows.push(Some(Flow::Ping(pinger)));
            }
        }
        for one in receive {
            for socket in one.sockets {
                let line = self.line(socket, Interest::Read)?;
                let ponger = Ponger::new(line, one.transfer.src, self.part.size_bytes);
                self.into.flows.push(Some(Flow::Pong(ponger)));
            }
        }
        Ok(())
    }

    /// The head of a chain is a plain sender and its tail a plain receiver.
    fn casts(&mut self, mut send: Sending, receive: Receiving) -> io::Result<()> {
        for (tally, one) in receive.into_iter().enumerate() {
            let network = one.transfer.network;
            let next = send
                .iter()
                .position(|other| other.transfer.network == network);
            match next.map(|index| send.swap_remove(index)) {
                Some(next) => self.add_relay(tally, one, next)?,
                None => self.add_receivers(tally, one)?,
            }
        }
        for one in send {
            self.add_senders(one)?;
        }
        Ok(())
    }

    fn add_senders(&mut self, one: Connected<Outgoing>) -> io::Result<()> {
        let amount = self.part.amount(one.transfer.network);
        let streams = one.sockets.len() as u32;
        for (stream, socket) in (0..).zip(one.sockets) {
            let left_bytes = match amount {
                Amount::Trials { bytes, trials } => {
                    Some(share(bytes, streams, stream) * u64::from(trials))
                }
                Amount::Time(_) => {
                    let socket = SockRef::from(&socket);
                    socket.set_tcp_notsent_lowat(LEFT_TO_KERNEL_BYTES)?;
                    if one.transfer.port > 0 {
                        // Else the port could not be used again for a minute.
                        socket.set_linger(Some(Duration::ZERO))?;
                    }
                    None
                }
            };
            let line = self.line(socket, Interest::Write)?;
            let may_reset = one.transfer.port > 0 && left_bytes.is_none();
            let sender = Sender::new(line, one.transfer.dst, left_bytes, may_reset);
            self.into.flows.push(Some(Flow::Send(sender)));
        }
        Ok(())
    }

    fn add_receivers(&mut self, tally: usize, one: Connected<Incoming>) -> io::Result<()> {
        let amount = self.part.amount(one.transfer.network);
        let streams = one.sockets.len() as u32;
        for (stream, socket) in (0..).zip(one.sockets) {
            let line = self.line(socket, Interest::Read)?;
            let expected = match amount {
                Amount::Trials { bytes, trials } => Some((share(bytes, streams, stream), trials)),
                Amount::Time(_) => None,
            };
            let may_reset = one.transfer.port > 0 && expected.is_none();
            let receiver = Receiver::new(line, one.transfer.src, tally, expected, may_reset)?;
            self.into.flows.push(Some(Flow::Receive(receiver)));
        }
        Ok(())
    }

    fn add_relay(
        &mut self,
        tally: usize,
        from: Connected<Incoming>,
        to: Connected<Outgoing>,
    ) -> io::Result<()> {
        let ring = self
            .into
            .rings
            .pop()
            .expect("there is a ring for each relay");
        let bytes = self.part.cast_bytes(from.transfer.network);
        let mut relay = Relay::new(ring, bytes, tally, from.transfer.src, to.transfer.dst);
        for socket in from.sockets {
            relay.input = Some(self.line(socket, Interest::Read)?);
        }
        for socket in to.sockets {
            relay.output = Some(self.line(socket, Interest::Nothing)?);
        }
        self.into
            .flows
            .push(relay.has_work().then_some(Flow::Relay(relay)));
        Ok(())
    }

    /// Watch a socket for the flow that is added next.
    fn line(&self, socket: TcpStream, interest: Interest) -> io::Result<Line> {
        Line::watch(
            socket,
            Key::Flow(self.into.flows.len() as u32),
            interest,
            self.reactor,
        )
    }
}
