//! Messages between the members of a session, as programs and applications exchange them.
//!
//! What is asked for is over when `Channels::next_done` says so; the event loop moves it on in every turn. Connections are made
//! beforehand (`open_channels`) where their making would be in a time that counts, else by the first message.

use std::io;

use super::channels::{Content, End};
use super::connect::{Outcome, Target};
use super::error::SessionError;
use super::session::Session;
use crate::listener::place::Purpose;
use crate::system::clock::now_ns;
use crate::wire::outbox::Outbox;

/// How long to try again at a listener that closes connections for newer ones.
const RETRY_NS: u64 = 10_000_000_000;

impl Session {
    /// Connect to these, where that has not been done; returns when all have let us in.
    pub(super) fn open_channels(
        &mut self,
        ends: impl IntoIterator<Item = End>,
        outbox: &mut Outbox,
    ) -> Result<(), SessionError> {
        for end in ends {
            self.open_channel(end)?;
        }
        while !self.channels.are_connected() {
            self.turn(outbox, None)?;
        }
        Ok(())
    }

    /// Send a message; `token` says when it has left.
    pub(super) fn send(
        &mut self,
        to: End,
        tag: u64,
        content: Content,
        token: u32,
    ) -> Result<(), SessionError> {
        self.open_channel(to)?;
        self.channels.send(to, tag, content, token, &self.reactor);
        Ok(())
    }

    /// Receive the next message with this tag; `token` says when it is there.
    pub(super) fn receive(&mut self, src: u32, tag: u64, content: Content, token: u32) {
        self.channels
            .receive(src, tag, content, token, &self.reactor);
    }

    fn open_channel(&mut self, end: End) -> Result<(), SessionError> {
        if !self.channels.add(end) {
            return Ok(());
        }
        let until_ns = now_ns() + RETRY_NS;
        let target = self.target(end.node, end.network, Purpose::Channel, until_ns)?;
        if let Err(error) = self.attempts.start(target, &self.reactor) {
            self.settle_channel(target, Outcome::Failed(error))?;
        }
        Ok(())
    }

    pub(super) fn settle_channel(&mut self, target: Target, outcome: Outcome) -> io::Result<()> {
        let end = End {
            node: target.node,
            network: target.place.network,
        };
        let socket = match outcome {
            Outcome::Entered(socket) => Ok(socket),
            Outcome::Failed(error) => Err(error),
        };
        self.channels.connected(end, socket, &self.reactor)
    }
}
