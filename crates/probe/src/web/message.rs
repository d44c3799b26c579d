//! What the coordinator asks of both ends, and what they say.

use std::net::SocketAddr;

use serde::{Deserialize, Serialize};

use crate::wire::setup::Setup;

/// What is asked of a node.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Request {
    /// Start a server, say where it is, and record beside the users' pages until told that all is over.
    WebServe(Setup),
    /// Request pages of one phase.
    WebUsers {
        #[serde(flatten)]
        setup: Setup,
        peer: SocketAddr,
        step_index: u32,
        launch: u32,
        phase: u32,
        epoch_ns: i64,
    },
}

impl Request {
    pub fn setup(&self) -> &Setup {
        match self {
            Self::WebServe(setup) | Self::WebUsers { setup, .. } => setup,
        }
    }
}

/// What a serving node is told while its server runs.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Next {
    /// Users begin to count their pages.
    Before {
        phase: u32,
    },
    /// They have ended.
    After,
    Over,
}

/// What is said beside samples.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Reply<'a> {
    Serving {
        port: u16,
        /// The program, its version as it says it, and the process that started all others of it.
        program: &'a str,
        version: &'a str,
        pid: u32,
    },
    /// From now on pages count.
    Counting,
    /// No more do.
    Counted,
    Responses(Responses),
}

/// Response times of a phase, from when a request was due (in a closed loop: sent) to the last byte of its page.
#[derive(Debug, Serialize)]
pub struct Responses {
    pub phase: u32,
    pub users: u32,
    pub is_open: bool,
    /// Users that waited for a page, on average.
    pub waiting: f64,
    pub mean_ns: f64,
    pub median_ns: f64,
    pub p90_ns: f64,
    pub p95_ns: f64,
    pub p99_ns: f64,
    pub p999_ns: f64,
    /// Requests whose response times these are.
    pub requests: u64,
    /// Requests without a page: the connection broke, or the server said something else than the page.
    pub errors: u64,
    /// Requests that were not answered within the run's patience.
    pub timeouts: u64,
    /// How much later than due the generator sent what it could have sent: the 99th percentile.
    pub late_ns: f64,
}
