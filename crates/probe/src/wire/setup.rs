//! What both ends of a step between two nodes are told.

use std::net::IpAddr;
use std::time::Duration;

use serde::Deserialize;
use weft_plan::Step;

use crate::listener::ports::PortRange;
use crate::listener::refused::Refused;
use crate::listener::token::Token;

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

    pub fn patience(&self) -> Duration {
        Duration::from_millis(self.patience_ms.max(1))
    }
}
