//! The JSON messages between the coordinator and an agent.

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};

use crate::ensemble;
use crate::file_cast;
use crate::inspect;
use crate::knobs;
use crate::pair::driver::Known;
use crate::pair::settings::Settings;
use crate::pair::stall::Stall;
use crate::system::facts::Facts;
use crate::transport::delivery::DeliveryRow;
use crate::watch;
use crate::web;
use crate::wire::setup::Setup;

/// What the coordinator asks.
#[derive(Debug)]
pub enum Asked {
    /// What time is it on your monotonic clock?
    Clock,
    /// What have your interfaces carried so far?
    Counters,
    Beside(Beside),
    /// Note which sockets are opened, until the next request.
    Sockets,
    Pair(Box<Request>),
    Inspect(inspect::Request),
    Knobs(knobs::Request),
    Ensemble(ensemble::Request),
    Web(Box<web::Request>),
    Watch(watch::Request),
    FileCast(file_cast::Request),
}

impl<'de> Deserialize<'de> for Asked {
    /// By hand, because serde's untagged enums hide what is wrong.
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        let value = serde_json::Value::deserialize(input)?;
        let asked = match value["type"].as_str() {
            Some("clock") => Ok(Asked::Clock),
            Some("counters") => Ok(Asked::Counters),
            Some("sockets") => Ok(Asked::Sockets),
            Some("serve" | "drive" | "drive_synchronised") => {
                Request::deserialize(value).map(|request| Asked::Pair(Box::new(request)))
            }
            Some("web_serve" | "web_users") => {
                web::Request::deserialize(value).map(|request| Asked::Web(Box::new(request)))
            }
            Some("beside") => Beside::deserialize(value).map(Asked::Beside),
            kind if inspect::is_request(kind) => {
                inspect::Request::deserialize(value).map(Asked::Inspect)
            }
            kind if knobs::is_request(kind) => knobs::Request::deserialize(value).map(Asked::Knobs),
            kind if watch::is_request(kind) => watch::Request::deserialize(value).map(Asked::Watch),
            kind if file_cast::is_request(kind) => {
                file_cast::Request::deserialize(value).map(Asked::FileCast)
            }
            _ => ensemble::Request::deserialize(value).map(Asked::Ensemble),
        };
        asked.map_err(D::Error::custom)
    }
}

/// Record what this node does beside a process, which is expected at a socket of that name in the network namespace.
#[derive(Debug, Deserialize)]
pub struct Beside {
    /// The measured address of this node.
    pub address: IpAddr,
    pub name: String,
}

/// What is asked of the two ends of a pair.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Request {
    /// Listen, say on which port, then serve the peer that shows the token.
    Serve(Setup),
    /// Connect to a serving peer (none for the null transport) and run phases.
    Drive {
        #[serde(flatten)]
        setup: Setup,
        peer: Option<SocketAddr>,
        step_index: u32,
        launch: u32,
        /// Indices of the phases to run.
        phases: Vec<u32>,
        /// Their order, where their times are known from earlier launches.
        #[serde(default)]
        known: Vec<Known>,
        /// Whether further batches come when these phases are over.
        #[serde(default)]
        takes_orders: bool,
        epoch_ns: i64,
    },
    /// Connect to a serving peer and run batches when the coordinator says.
    DriveSynchronised {
        #[serde(flatten)]
        setup: Setup,
        /// One for each of the node's addresses.
        peers: Vec<SocketAddr>,
    },
}

impl Request {
    pub fn setup(&self) -> &Setup {
        match self {
            Request::Serve(setup)
            | Request::Drive { setup, .. }
            | Request::DriveSynchronised { setup, .. } => setup,
        }
    }
}

/// What the agent says; samples travel in frames of their own.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Reply<'a> {
    Ready {
        version: &'static str,
        facts: Box<Facts>,
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
    /// A batch with a synchronised start is over; when it began is on CLOCK_MONOTONIC.
    Timed {
        start_ns: u64,
        elapsed_ns: u64,
    },
    Connected {
        effective: Settings,
    },
    /// All that was asked for so far is measured and sent; the next batches may be asked for.
    Awaiting,
    /// What became of the messages of batches whose samples follow.
    Deliveries {
        rows: &'a [DeliveryRow],
    },
    /// The step is about to fail: nothing had moved on its connection.
    Stalled {
        #[serde(flatten)]
        stall: Stall,
    },
    Done {
        /// Connections that were not let in.
        rejected: u64,
    },
    Error {
        code: &'static str,
        message: String,
        /// As in `Done`.
        rejected: u64,
    },
}

/// What timing itself costs on this node.
#[derive(Debug, Serialize)]
pub struct Overhead {
    pub clock_read_ns: f64,
    /// One round trip of a timed loop over a channel that does nothing.
    pub loop_ns: f64,
}
