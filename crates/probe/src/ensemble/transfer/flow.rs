//! A flow: what a node does for one connection of a phase, whichever sort of work it is.

use std::io;

use super::super::event_loop::reactor::Reactor;
use super::cast::Relay;
use super::pingpong::{Pinger, Ponger};
use super::receive::Receiver;
use super::send::Sender;
use super::shared::{Served, Shared};

/// A served connection; a relay has two.
pub enum Flow {
    Send(Sender),
    Receive(Receiver),
    Ping(Pinger),
    Pong(Ponger),
    Relay(Relay),
}

impl Flow {
    /// Move what it can, up to a limit that is fair to the others.
    #[inline]
    pub fn serve(&mut self, shared: &mut Shared, reactor: &Reactor) -> io::Result<Served> {
        match self {
            Flow::Send(flow) => flow.serve(shared),
            Flow::Receive(flow) => flow.serve(shared),
            Flow::Ping(flow) => flow.serve(shared, reactor),
            Flow::Pong(flow) => flow.serve(shared, reactor),
            Flow::Relay(flow) => flow.serve(shared, reactor),
        }
    }

    /// The source and the destination of the transfer.
    pub fn ends(&self, node: u32) -> (u32, u32) {
        match self {
            Flow::Send(flow) => (node, flow.dst),
            Flow::Receive(flow) => (flow.src, node),
            Flow::Ping(flow) => (node, flow.dst),
            Flow::Pong(flow) => (flow.src, node),
            Flow::Relay(flow) => (flow.src, node),
        }
    }

    /// The peers that it is not through with.
    pub fn nodes(&self) -> impl Iterator<Item = u32> {
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
