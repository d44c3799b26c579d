//! What both ends of a step between two nodes are told.

use std::io;
use std::net::IpAddr;
use std::time::Duration;

use serde::Deserialize;
use weft_plan::Step;

use crate::listener::ports::PortRange;
use crate::listener::refused::Refused;
use crate::listener::token::Token;
use crate::system::processor;

/// What both ends of a step need.
#[derive(Debug, Deserialize)]
pub struct Setup {
    pub step: Step,
    /// Number of nodes in the run, and this agent's index among them.
    pub nodes: u32,
    pub node: u32,
    /// The measured address of this node.
    pub address: IpAddr,
    /// Further addresses of this node, where a message takes several paths at once.
    #[serde(default)]
    pub more_addresses: Vec<IpAddr>,
    /// The ports on which it may listen; any where there are none.
    pub ports: Option<PortRange>,
    pub token: Token,
    /// Another agent of this node records what the host does; this one only what its own process and connections do.
    #[serde(default)]
    pub shares_host: bool,
    /// What receiving a byte costs a processor that does all of it, in picoseconds, by message size: an application computes
    /// gamma times as long.
    #[serde(default)]
    pub costs_ps: Vec<(u64, u64)>,
    /// Connections that were not let in.
    #[serde(skip)]
    pub refused: Refused,
    /// A peer that is silent for longer has failed.
    pub patience_ms: u64,
}

impl Setup {
    /// Bytes of the largest message of the step.
    pub fn largest_bytes(&self) -> u64 {
        self.step.sizes.sizes().into_iter().max().unwrap_or(0)
    }

    /// The address of one of the connections that share a message: they take turns.
    pub fn address_of(&self, connection: usize) -> IpAddr {
        let all = [&[self.address], &self.more_addresses[..]].concat();
        all[connection % all.len()]
    }

    /// Run this thread on the processor that the plan gives the node. Beside an application's work it stays on one in any
    /// case: the last that it may use, since the first is that of most interrupts.
    pub fn pin(&self) -> io::Result<()> {
        let is_loaded = !self.step.pattern.loads().is_empty();
        match self.step.options.cpus {
            None if is_loaded => processor::pin_from_last(self.node),
            _ => processor::pin_node(&self.step.options, self.node),
        }
    }

    pub fn patience(&self) -> Duration {
        Duration::from_millis(self.patience_ms.max(1))
    }
}
