//! How a member joins: it builds its barrier connections and compares its clock with the first member's.

use std::collections::BTreeSet;
use std::io;
use std::net::{SocketAddr, TcpStream};

use weft_plan::Wait;

use super::clock_offset::{ClockOffset, Estimate};
use super::connecting::{Errand, Outcome};
use super::error::Trouble;
use super::mesh::{self, Mesh};
use super::reply::Reply;
use super::request::Joining;
use super::session::Session;
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
    /// Doors that refused us. Their owners are there, so nobody gives up before the time is over: who did would close its
    /// own door, and be refused to others.
    refused: Vec<(Errand, io::Error)>,
}

impl Session {
    /// Join the other members; returns when all connections of this member exist and its clock's offset is known.
    pub fn join(&mut self, joining: Joining, outbox: &mut Outbox) -> Result<Reply, Trouble> {
        let position = self.check_joining(&joining)?;
        self.pin()?;
        let deadline_ns = now_ns() + joining.connect_ms * 1_000_000;
        self.peers = joining.peers;
        self.epoch_ns = joining.epoch_ns;
        let mut roster = Roster::new(mesh::partners(&joining.members, position));
        self.dial_partners(&roster, joining.members[0], deadline_ns)?;
        while !self.is_assembled(&mut roster)? {
            if now_ns() >= deadline_ns {
                return Err(roster.too_late(self.dials.errands().collect()));
            }
            self.turn(outbox, Some(deadline_ns))?;
        }
        self.assemble(roster)
    }

    pub(super) fn advance_estimate(&mut self) -> Result<(), Trouble> {
        let Some((reference, estimate)) = &mut self.estimate else {
            return Ok(());
        };
        let reading = estimate.advance();
        let reading = reading.map_err(|error| Trouble::lost(*reference, &error.to_string()))?;
        if let Some(clock) = reading {
            self.clock = Some(clock);
            self.estimate = None;
        }
        Ok(())
    }

    /// The way to a peer's door on one network.
    pub(super) fn errand(
        &self,
        node: u32,
        network: u32,
        purpose: Purpose,
        retry_until_ns: u64,
    ) -> Result<Errand, Trouble> {
        Ok(Errand {
            node,
            from: self.addresses[network as usize],
            to: self.door_of(node, network)?,
            place: Place {
                node: self.node,
                network,
                purpose,
            },
            retry_until_ns,
        })
    }

    fn door_of(&self, node: u32, network: u32) -> Result<SocketAddr, Trouble> {
        let doors = self.peers.get(&node);
        let door = doors.and_then(|doors| doors.get(network as usize));
        door.copied().ok_or_else(|| {
            let message = format!("node {node} has no door on network {network} in \"peers\"");
            Trouble::bad_request(message)
        })
    }

    fn check_joining(&self, joining: &Joining) -> Result<usize, Trouble> {
        let members: BTreeSet<_> = joining.members.iter().collect();
        if self.mesh.is_some() {
            return Err(Trouble::bad_request("this agent has joined already"));
        }
        if members.len() < 2 || members.len() != joining.members.len() {
            return Err(Trouble::bad_request(
                "an ensemble has two members or more, each once",
            ));
        }
        let position = joining.members.iter().position(|node| *node == self.node);
        position.ok_or_else(|| {
            Trouble::bad_request(format!("node {} is not among the members", self.node))
        })
    }

    fn pin(&self) -> io::Result<()> {
        let cpus = self.options.cpus.as_ref();
        match cpus.and_then(|cpus| cpus.get(self.node as usize)) {
            Some(cpu) => processor::pin(*cpu),
            None => Ok(()),
        }
    }

    fn dial_partners(
        &mut self,
        roster: &Roster,
        reference: u32,
        retry_until_ns: u64,
    ) -> Result<(), Trouble> {
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
            let errand = self.errand(node, 0, purpose, retry_until_ns)?;
            self.dials
                .start(errand, &self.reactor)
                .map_err(|error| unreachable(&errand, error))?;
        }
        Ok(())
    }

    /// Take what has come; true when nothing is missing.
    fn is_assembled(&mut self, roster: &mut Roster) -> Result<bool, Trouble> {
        for (errand, outcome) in std::mem::take(&mut self.settled) {
            match (outcome, errand.place.purpose) {
                (Outcome::Entered(socket), Purpose::Barrier { round }) => {
                    roster.outgoing[round as usize] = Some(socket);
                }
                (Outcome::Entered(socket), _) => {
                    let estimate = Estimate::start(socket, &self.reactor)?;
                    self.estimate = Some((errand.node, estimate));
                }
                (Outcome::Failed(error), _) if error.kind() == io::ErrorKind::ConnectionRefused => {
                    roster.refused.push((errand, error));
                }
                (Outcome::Failed(error), _) => return Err(unreachable(&errand, error)),
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

    fn assemble(&mut self, roster: Roster) -> Result<Reply, Trouble> {
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
        let nobody = || partners.iter().map(|_| None).collect();
        Roster {
            outgoing: nobody(),
            incoming: nobody(),
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

    /// Blames those who did not let us in and those who did not come; says why of the first that did not let us in.
    fn too_late(&self, silent: Vec<&Errand>) -> Trouble {
        let refused = self
            .refused
            .iter()
            .map(|(errand, error)| (errand, error.kind()));
        let late = silent
            .into_iter()
            .map(|errand| (errand, io::ErrorKind::TimedOut));
        let dialed: Vec<_> = refused.chain(late).collect();
        let why = dialed.first().map(|(errand, kind)| {
            reachability::explain((*kind).into(), errand.from, errand.to).to_string()
        });
        let dialed: BTreeSet<u32> = dialed.iter().map(|(errand, _)| errand.node).collect();
        let absent = self.partners.iter().zip(&self.incoming);
        let absent: BTreeSet<u32> = absent
            .filter(|(_, incoming)| incoming.is_none())
            .map(|((_, from), _)| *from)
            .collect();
        let peers: Vec<u32> = dialed.union(&absent).copied().collect();
        Trouble::Failed {
            code: why.as_ref().map_or("peer-silent", |_| "peer-unreachable"),
            message: why.unwrap_or_else(|| format!("nodes {peers:?} did not connect in time")),
            peers,
        }
    }
}

fn unreachable(errand: &Errand, error: io::Error) -> Trouble {
    let error = reachability::explain(error, errand.from, errand.to);
    Trouble::blame(error::code(&error), errand.node, error::describe(&error))
}
