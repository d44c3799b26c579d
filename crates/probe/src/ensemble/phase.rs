//! Phases: connect, meet at the barrier, transfer, report.

use std::io;
use std::net::TcpStream;

use super::connect::{Outcome, Target};
use super::error::SessionError;
use super::part::{Incoming, Outgoing, Part};
use super::progress::State;
use super::reply::Reply;
use super::request::Phases;
use super::rows::{Context, Row};
use super::session::Session;
use super::transfer::Connected;
use weft_plan::Work;

use crate::evidence;
use crate::listener::place::{Place, Purpose};
use crate::system::clock::now_ns;
use crate::transport::order::Order;
use crate::wire::frame::Kind;
use crate::wire::outbox::Outbox;
use crate::wire::samples::{self, Sample};

/// Rows in one frame, which has room for many more.
const ROWS_IN_A_FRAME: usize = 100_000;
/// How long to try again at a listener that closes connections for newer ones.
const RETRY_NS: u64 = 10_000_000_000;

/// The streams of a transfer as their connections come about.
struct Call {
    transfer: Outgoing,
    sockets: Vec<Option<TcpStream>>,
}

impl Call {
    fn new(transfer: &Outgoing) -> Call {
        Call {
            transfer: *transfer,
            sockets: (0..transfer.streams).map(|_| None).collect(),
        }
    }

    fn is_to(&self, target: &Target) -> bool {
        (self.transfer.dst, self.transfer.network) == (target.node, target.place.network)
    }

    fn put(&mut self, purpose: Purpose, socket: TcpStream) {
        if let Purpose::Data { stream, .. } = purpose {
            self.sockets[stream as usize] = Some(socket);
        }
    }

    /// A transfer that lacks a stream has failed and has none.
    fn complete(self) -> Connected<Outgoing> {
        let sockets: Option<Vec<_>> = self.sockets.into_iter().collect();
        Connected {
            transfer: self.transfer,
            sockets: sockets.unwrap_or_default(),
        }
    }
}

impl Session {
    /// Run phases in their order.
    pub fn run_phases(&mut self, asked: &Phases, outbox: &mut Outbox) -> Result<(), SessionError> {
        if self.mesh.is_none() {
            return Err(SessionError::bad_request(
                "phases need an agent that has joined",
            ));
        }
        for part in &asked.phases {
            part.check(self.node, self.addresses.len() as u32)?;
        }
        self.progress.begin();
        let next = asked.phases.iter().skip(1).map(Some).chain([None]);
        for (part, next) in asked.phases.iter().zip(next) {
            self.run_phase(part, next, asked, outbox)?;
        }
        self.progress.rest();
        Ok(())
    }

    fn run_phase(
        &mut self,
        part: &Part,
        next: Option<&Part>,
        asked: &Phases,
        outbox: &mut Outbox,
    ) -> Result<(), SessionError> {
        self.flows.prepare(part)?;
        let send = self.connect(part, outbox)?;
        if part.has_transfers() {
            self.tell_moved();
            // The coordinator knows how many batches the phase has.
            self.recorder.before(Order {
                batch: Some(0),
                ..Order::unrecorded(part.phase, part.size_bytes, 1)
            });
        }
        let barrier_ns = self.barrier(part.phase, outbox)?;
        let start_ns = now_ns();
        let receive = self.collect(part);
        self.progress.enter(part.phase, State::Transfer);
        self.flows
            .start(part, send, receive, start_ns, &self.reactor)?;
        self.connect_ahead(part, next)?;
        while !self.flows.are_over() {
            self.turn(outbox, None)?;
        }
        self.tell_moved();
        self.recorder.after();
        self.recorder.finish();
        let context = self.context(asked.step_index, asked.launch, part.phase);
        let rows = self.flows.rows(part);
        self.hand_over(&context, &rows, barrier_ns, outbox)?;
        self.flows.clear();
        self.arrivals.forget_phase(self.sequence);
        self.sequence += 1;
        Ok(())
    }

    /// Open the connections of the transfers that begin here; those that do not come about have failed.
    fn connect(
        &mut self,
        part: &Part,
        outbox: &mut Outbox,
    ) -> Result<Vec<Connected<Outgoing>>, SessionError> {
        self.progress.enter(part.phase, State::Connect);
        if self.requested == self.sequence {
            self.connect_receivers(part)?;
        }
        while !self.attempts.is_empty() {
            self.turn(outbox, None)?;
        }
        let mut calls: Vec<Call> = part.send.iter().map(Call::new).collect();
        for (target, outcome) in std::mem::take(&mut self.settled) {
            match outcome {
                Outcome::Entered(socket) => {
                    let mut calls = calls.iter_mut();
                    if let Some(call) = calls.find(|call| call.is_to(&target)) {
                        call.put(target.place.purpose, socket);
                    }
                }
                Outcome::Failed(error) => self.fail_to_connect(target.node, &error),
            }
        }
        Ok(calls.into_iter().map(Call::complete).collect())
    }

    /// Connect for the next phase while this one has just begun, which spares two round trips between the two. A
    /// ping-pong is left alone: a few packets that others do not notice would be in its times.
    fn connect_ahead(&mut self, part: &Part, next: Option<&Part>) -> Result<(), SessionError> {
        match next {
            Some(next) if part.work != Work::Pingpong && !next.repeats_a_port_of(part) => {
                self.connect_receivers(next)
            }
            _ => Ok(()),
        }
    }

    /// Start to connect to the receivers of the next phase that has no connections yet.
    fn connect_receivers(&mut self, part: &Part) -> Result<(), SessionError> {
        let retry_until_ns = now_ns() + RETRY_NS;
        let sequence = self.requested;
        self.requested += 1;
        for one in &part.send {
            for stream in 0..one.streams {
                let purpose = Purpose::Data { sequence, stream };
                let target = Target {
                    port: port_of(one, stream),
                    ..self.target(one.dst, one.network, purpose, retry_until_ns)?
                };
                if let Err(error) = self.attempts.start(target, &self.reactor) {
                    self.settled.push((target, Outcome::Failed(error)));
                }
            }
        }
        Ok(())
    }

    fn fail_to_connect(&mut self, dst: u32, error: &io::Error) {
        let reason = format!("cannot connect: {error}");
        self.flows.fail(self.node, dst, &reason);
    }

    /// The connections of the transfers that end here. After the barrier all that will ever come have come: a sender
    /// does not enter it before it has been let in.
    fn collect(&mut self, part: &Part) -> Vec<Connected<Incoming>> {
        part.receive
            .iter()
            .map(|one| self.collect_streams(one))
            .collect()
    }

    fn collect_streams(&mut self, transfer: &Incoming) -> Connected<Incoming> {
        let places = (0..transfer.streams).map(|stream| Place {
            node: transfer.src,
            network: transfer.network,
            purpose: Purpose::Data {
                sequence: self.sequence,
                stream,
            },
        });
        let sockets: Option<Vec<_>> = places.map(|place| self.arrivals.take(place)).collect();
        if sockets.is_none() {
            self.flows
                .fail(transfer.src, self.node, "its connection did not come");
        }
        Connected {
            transfer: *transfer,
            sockets: sockets.unwrap_or_default(),
        }
    }

    /// Hand on what a phase has measured here, and say that it is over.
    pub(super) fn hand_over(
        &mut self,
        context: &Context,
        rows: &[Row],
        barrier_ns: u64,
        outbox: &mut Outbox,
    ) -> Result<(), SessionError> {
        let recorded = self.recorder.hand_on(|rows| evidence::put(outbox, rows));
        recorded.transpose().map_err(SessionError::Unheard)?;
        for rows in rows.chunks(ROWS_IN_A_FRAME) {
            outbox
                .put_frame(Kind::Samples, &encode(context, rows)?)
                .map_err(SessionError::Unheard)?;
        }
        let reply = Reply::PhaseOver {
            phase: context.phase,
            barrier_us: barrier_ns as f64 / 1000.0,
            moved_bytes: self.moved_bytes(),
            failed: self.flows.take_failed(),
        };
        outbox.put(&reply).map_err(SessionError::Unheard)?;
        outbox.pump().map_err(SessionError::Unheard)
    }
}

/// What a stream of a transfer connects from.
fn port_of(one: &Outgoing, stream: u32) -> u16 {
    match one.port {
        0 => 0,
        first => first.wrapping_add(stream as u16),
    }
}

fn encode(context: &Context, rows: &[Row]) -> io::Result<Vec<u8>> {
    let samples: Vec<Sample> = rows.iter().map(|row| context.sample(row)).collect();
    samples::encode(&samples).map_err(io::Error::other)
}
