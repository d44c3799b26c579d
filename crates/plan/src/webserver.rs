//! A web server and users that request pages, think, and request again.

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::reading::Axis;
use crate::reading::Section;

pub const KEYS: [&str; 8] = [
    "users", "think", "request", "work", "seed", "server", "loop", "time",
];

const USERS: Axis = Axis {
    example: "[100, 2500] or \"100:2500:100\"",
    least: 1.0,
    most: 100_000.0,
    is_whole: true,
    intervals: 25.0,
};
/// What arrives at once: more would have to be read piece by piece.
const MOST_REQUEST_BYTES: u64 = 1 << 20;
const MOST_WORK_CYCLES: u32 = 1_000_000_000;
const DEFAULT_REQUEST_BYTES: u64 = 300;
const DEFAULT_THINK_NS: u64 = 1_000_000_000;
/// Requests that are due faster never come to an end.
const LEAST_OPEN_THINK_NS: u64 = 10_000;
json_enum! {
    /// The program that serves pages.
    pub enum Server {
        Apache = "apache",
        Nginx = "nginx",
    }
}

json_enum! {
    /// When a user requests the next page.
    pub enum Loop {
        /// A think time after the last request was due: what is late does not put off what comes after it.
        Open = "open",
        /// A think time after the last page was there.
        Closed = "closed",
    }
}

/// So many users at a time, each with a connection of its own that stays open.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Webserver {
    pub users: Vec<u32>,
    /// The mean of the exponentially distributed time between a page and the next request.
    pub think_ns: u64,
    pub request_bytes: u64,
    /// What the server computes for a request, in cycles of the application's processor.
    pub work_cycles: u32,
    /// Of the think times.
    pub seed: u32,
    /// Whichever is installed where it is missing; no program where it is simulated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<Server>,
    /// Closed where it is missing.
    #[serde(default, rename = "loop", skip_serializing_if = "Option::is_none")]
    pub arrivals: Option<Loop>,
    /// How long so many users are measured in a launch, where the server is a program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_ns: Option<u64>,
}

impl Webserver {
    /// Reads the keys of a step.
    pub(crate) fn read(step: &Section) -> Result<Self> {
        let users = USERS.read(step, "users")?;
        let users =
            users.ok_or_else(|| step.refuse("users", format!("such as {}", USERS.example)))?;
        let request = step.size("request")?.unwrap_or(DEFAULT_REQUEST_BYTES);
        if request > MOST_REQUEST_BYTES {
            return Err(step.refuse("request", "must be at most 1 MiB"));
        }
        let think_ns = step.time("think")?.unwrap_or(DEFAULT_THINK_NS);
        let arrivals = step.choice("loop", &Loop::NAMED)?;
        if arrivals == Some(Loop::Open) && think_ns < LEAST_OPEN_THINK_NS {
            return Err(step.refuse("think", "must be at least 10 us in an open loop"));
        }
        Ok(Self {
            users: users.into_iter().map(|users| users as u32).collect(),
            think_ns,
            request_bytes: request,
            work_cycles: step.count("work", 0..=MOST_WORK_CYCLES)?.unwrap_or(0),
            seed: step.count("seed", 0..=u32::MAX)?.unwrap_or(0),
            server: step.choice("server", &Server::NAMED)?,
            arrivals,
            time_ns: step.time("time")?,
        })
    }
}
