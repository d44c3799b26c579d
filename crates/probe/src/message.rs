//! The JSON messages between the coordinator and an agent.

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};
use weft_plan::Step;

use crate::delivery::DeliveryRow;
use crate::ensemble;
use crate::facts::Facts;
use crate::inspect;
use crate::link;
use crate::ports::PortRange;
use crate::token::Token;

/// What both ends of a step need to know.
#[derive(Debug, Deserialize)]
pub struct Common {
    pub step: Step,
    /// Number of nodes in the run, and this agent's index among them.
    pub nodes: u32,
    pub node: u32,
    /// The measured address of this node.
    pub address: IpAddr,
    /// Further addresses of this node, where a message takes several ways at once.
    #[serde(default)]
    pub more_addresses: Vec<IpAddr>,
    /// The ports on which it may listen; any where there are none.
    pub ports: Option<PortRange>,
    pub token: Token,
    /// A peer that is silent for longer has failed.
    pub patience_ms: u64,
}

impl Common {
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

/// What the coordinator asks.
#[derive(Debug)]
pub enum Asked {
    /// What time is it on your monotonic clock?
    Clock,
    /// What have your interfaces carried so far?
    Counters,
    Pair(Box<Request>),
    Inspect(inspect::Request),
    Ensemble(ensemble::Request),
}

impl<'de> Deserialize<'de> for Asked {
    /// By hand, because serde's untagged enums hide what is wrong.
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        let value = serde_json::Value::deserialize(input)?;
        let asked = match value["type"].as_str() {
            Some("clock") => Ok(Asked::Clock),
            Some("counters") => Ok(Asked::Counters),
            Some("serve" | "drive" | "drive_together") => {
                Request::deserialize(value).map(|request| Asked::Pair(Box::new(request)))
            }
            kind if inspect::is_request(kind) => {
                inspect::Request::deserialize(value).map(Asked::Inspect)
            }
            _ => ensemble::Request::deserialize(value).map(Asked::Ensemble),
        };
        asked.map_err(D::Error::custom)
    }
}

/// What is asked of the two ends of a pair.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Request {
    /// Open a door, say where, then serve whoever presents the token.
    Serve(Common),
    /// Connect to a serving peer (none for the null transport) and run phases.
    Drive {
        #[serde(flatten)]
        common: Common,
        peer: Option<SocketAddr>,
        step_index: u32,
        launch: u32,
        /// Indices of the phases to run.
        phases: Vec<u32>,
        epoch_ns: i64,
    },
    /// Connect to a serving peer and run batches on the coordinator's beat.
    DriveTogether {
        #[serde(flatten)]
        common: Common,
        /// One for each of the node's addresses.
        peers: Vec<SocketAddr>,
    },
}

/// What the agent says; samples travel in frames of their own.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Reply<'a> {
    Ready {
        version: &'static str,
        facts: Facts,
        /// Why a transport is not to be had on this node, by its name; nothing where it is.
        transports: BTreeMap<&'static str, Option<String>>,
        timing: Overhead,
    },
    Clock {
        now_ns: u64,
    },
    /// Bytes received and sent, by interface.
    Counters {
        interfaces: BTreeMap<String, [u64; 2]>,
    },
    Listening {
        port: u16,
        /// Those of the further addresses.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        more_ports: Vec<u16>,
    },
    /// A batch on the coordinator's beat is over; when it began is on CLOCK_MONOTONIC.
    Timed {
        start_ns: u64,
        elapsed_ns: u64,
    },
    Connected {
        effective: Settings,
    },
    /// What became of the messages of batches whose samples follow.
    Deliveries {
        rows: &'a [DeliveryRow],
    },
    Done {
        rejected: u64,
    },
    Error {
        code: &'static str,
        message: String,
    },
}

/// What timing itself costs on this node.
#[derive(Debug, Serialize)]
pub struct Overhead {
    pub clock_read_ns: f64,
    /// One round trip of a timed loop over a channel that does nothing.
    pub loop_ns: f64,
}

/// Settings in force for a step, read back from the kernel.
#[derive(Debug, Serialize)]
pub struct Settings {
    #[serde(flatten)]
    pub link: Option<link::Effective>,
    /// The processors the timed loop may run on.
    pub cpus: Vec<u32>,
    pub wait: weft_plan::Wait,
    pub verify: bool,
}
