//! How a member joins: it builds its barrier connections and compares its clock with the first member's.

use std::collections::BTreeSet;
use std::io;
use std::net::{SocketAddr, TcpStream};

use weft_plan::Wait;

use super::clock_offset::{ClockOffset, Estimate};
use super::connect::{Outcome, Target};
use super::error::SessionError;
use super::mesh::{self, Mesh};
use super::reply::Reply;
use super::request::Joining;
use super::session::Session;
use crate::evidence::{self, MovedBytes};
use crate::listener::place::{Place, Purpose};
use crate::listener::reachability;
use crate::pair::settings::{Effective, Settings};
use crate::system::clock::now_ns;
use crate::system::error;
use crate::system::processor;
use crate::transport::tcp;
use crate::wire::outbox::Outbox;

/// The connections of a mesh as they come about.
struct Roster {
    partners: Vec<(u32, u32)>,
    outgoing: Vec<Option<TcpStream>>,
    incoming: Vec<Option<TcpStream>>,
    /// Listeners that refused the connection. Their agents run, so no member gives up before the time is over: one that did
    /// would close its own listener, and refuse others.
    refused: Vec<(Target, io::Error)>,
}

impl Session {
    /// Join the other members; returns when all connections of this member exist and its clock's offset is known.
    pub fn join(&mut self, joining: Joining, outbox: &mut Outbox) -> Result<Reply, SessionError> {
        let position = self.check_joining(&joining)?;
        processor::pin_node(&self.options, self.node)?;
        let deadline_ns = now_ns() + joining.connect_ms * 1_000_000;
        self.peers = joining.peers;
        self.epoch_ns = joining.epoch_ns;
        let mut roster = Roster::new(mesh::partners(&joining.members, position));
        self.connect_partners(&roster, joining.members[0], deadline_ns)?;
        while !self.is_assembled(&mut roster)? {
            if now_ns() >= deadline_ns {
                return Err(roster.too_late(self.attempts.unanswered().collect()));
            }
            self.turn(outbox, Some(deadline_ns))?;
        }
        self.open_recorder(outbox)?;
        self.assemble(roster)
    }

    /// What is kept by processor is summed up: there are many nodes and phases.
    fn open_recorder(&mut self, outbox: &mut Outbox) -> Result<(), SessionError> {
        if !self.options.evidence {
            return Ok(());
        }
        self.recorder = evidence::open(self.addresses[0], Vec::new());
        self.recorder
            .leave_out("tcp_*", "each phase has connections of its own".to_owned());
        let moved = MovedBytes(self.moved_so_far.clone());
        self.recorder.add("session_*", Ok(moved));
        self.recorder.sum_processors();
        outbox
            .put(&self.recorder.recording())
            .map_err(SessionError::Unheard)
    }

    pub(super) fn advance_estimate(&mut self) -> Result<(), SessionError> {
        let Some((reference, estimate)) = &mut self.estimate else {
            return Ok(());
        };
        let reading = estimate.advance();
        let reading =
            reading.map_err(|error| SessionError::lost(*reference, &error.to_string()))?;
        if let Some(clock) = reading {
            self.clock = Some(clock);
            self.estimate = None;
        }
        Ok(())
    }

    /// Where a peer listens on one network.
    pub(super) fn target(
        &self,
        node: u32,
        network: u32,
        purpose: Purpose,
        retry_until_ns: u64,
    ) -> Result<Target, SessionError> {
        Ok(Target {
            node,
            from: self.addresses[network as usize],
            port: 0,
            to: self.listener_of(node, network)?,
            place: Place {
                node: self.node,
                network,
                purpose,
            },
            retry_until_ns,
        })
    }

    fn listener_of(&self, node: u32, network: u32) -> Result<SocketAddr, SessionError> {
        let listeners = self.peers.get(&node);
        let listener = listeners.and_then(|listeners| listeners.get(network as usize));
        listener.copied().ok_or_else(|| {
            let message = format!("node {node} has no listener on network {network} in \"peers\"");
            SessionError::bad_request(message)
        })
    }

    fn check_joining(&self, joining: &Joining) -> Result<usize, SessionError> {
        let members: BTreeSet<_> = joining.members.iter().collect();
        if self.mesh.is_some() {
            return Err(SessionError::bad_request("this agent has joined already"));
        }
        if members.len() < 2 || members.len() != joining.members.len() {
            return Err(SessionError::bad_request(
                "an ensemble has two members or more, each once",
            ));
        }
        let position = joining.members.iter().position(|node| *node == self.node);
        position.ok_or_else(|| {
            SessionError::bad_request(format!("node {} is not among the members", self.node))
        })
    }

    fn connect_partners(
        &mut self,
        roster: &Roster,
        reference: u32,
        retry_until_ns: u64,
    ) -> Result<(), SessionError> {
        let rounds = (0..).zip(&roster.partners);
        let mut calls: Vec<(u32, Purpose)> = rounds
            .map(|(round, (to, _))| (*to, Purpose::Barrier { round }))
            .collect();
        if self.node == reference {
            self.clock = Some(ClockOffset::default());
        } else {
            calls.push((reference, Purpose::Clock));
        }
        for (node, purpose) in calls {
            let target = self.target(node, 0, purpose, retry_until_ns)?;
            self.attempts
                .start(target, &self.reactor)
                .map_err(|error| unreachable(&target, error))?;
        }
        Ok(())
    }

    /// Take what has come; true when nothing is missing.
    fn is_assembled(&mut self, roster: &mut Roster) -> Result<bool, SessionError> {
        for (target, outcome) in std::mem::take(&mut self.settled) {
            match (outcome, target.place.purpose) {
                (Outcome::Entered(socket), Purpose::Barrier { round }) => {
                    roster.outgoing[round as usize] = Some(socket);
                }
                (Outcome::Entered(socket), _) => {
                    let estimate = Estimate::start(socket, &self.reactor)?;
                    self.estimate = Some((target.node, estimate));
                }
                (Outcome::Failed(error), _) if error.kind() == io::ErrorKind::ConnectionRefused => {
                    roster.refused.push((target, error));
                }
                (Outcome::Failed(error), _) => return Err(unreachable(&target, error)),
            }
        }
        for (round, (_, from)) in (0..).zip(&roster.partners) {
            let place = Place {
                node: *from,
                network: 0,
                purpose: Purpose::Barrier { round },
            };
            let incoming = &mut roster.incoming[round as usize];
            *incoming = incoming.take().or_else(|| self.arrivals.take(place));
        }
        Ok(self.clock.is_some() && roster.is_complete())
    }

    fn assemble(&mut self, roster: Roster) -> Result<Reply, SessionError> {
        let Roster {
            partners,
            outgoing,
            incoming,
            ..
        } = roster;
        let sockets: Vec<_> = outgoing
            .into_iter()
            .flatten()
            .zip(incoming.into_iter().flatten())
            .collect();
        // Barrier connections carry the step's options like all others, so they can tell what became of these.
        let tcp = tcp::effective(&sockets[0].0)?;
        self.mesh = Some(Mesh::new(&partners, sockets, &self.reactor)?);
        let clock = self.clock.unwrap_or_default();
        Ok(Reply::Joined {
            offset_ns: clock.offset_ns,
            error_ns: clock.error_ns,
            effective: Settings {
                link: Some(Effective::Tcp(tcp)),
                cpus: processor::allowed(),
                wait: Wait::Block,
                verify: self.options.verify,
            },
        })
    }
}

impl Roster {
    fn new(partners: Vec<(u32, u32)>) -> Roster {
        let none = || partners.iter().map(|_| None).collect();
        Roster {
            outgoing: none(),
            incoming: none(),
            refused: Vec::new(),
            partners,
        }
    }

    fn is_complete(&self) -> bool {
        self.outgoing
            .iter()
            .chain(&self.incoming)
            .all(Option::is_some)
    }

    /// Names the nodes that did not let us in and those that did not connect; says why of the first that did not let us in.
    fn too_late(&self, unanswered: Vec<(&Target, bool)>) -> SessionError {
        let refused = self.refused.iter();
        let refused = refused.map(|(target, error)| (target, Some(error.kind())));
        let late = unanswered.into_iter().map(|(target, is_connected)| {
            (target, (!is_connected).then_some(io::ErrorKind::TimedOut))
        });
        let requested: Vec<_> = refused.chain(late).collect();
        let why = requested.first().map(|(target, kind)| match kind {
            Some(kind) => reachability::explain((*kind).into(), target.from, target.to).to_string(),
            None => reachability::no_answer(target.to),
        });
        let requested: BTreeSet<u32> = requested.iter().map(|(target, _)| target.node).collect();
        let absent = self.partners.iter().zip(&self.incoming);
        let absent: BTreeSet<u32> = absent
            .filter(|(_, incoming)| incoming.is_none())
            .map(|((_, from), _)| *from)
            .collect();
        let peers: Vec<u32> = requested.union(&absent).copied().collect();
        SessionError::Failed {
            code: why.as_ref().map_or("peer-silent", |_| "peer-unreachable"),
            message: why.unwrap_or_else(|| format!("nodes {peers:?} did not connect in time")),
            peers,
        }
    }
}

fn unreachable(target: &Target, error: io::Error) -> SessionError {
    let error = reachability::explain(error, target.from, target.to);
    SessionError::about(error::code(&error), target.node, error::describe(&error))
}
