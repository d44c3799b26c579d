//! What a member of an ensemble says; samples travel in frames of their own.

use serde::Serialize;

use super::program::{Activity, Lap};
use super::progress::State;
use crate::pair::settings::Settings;

#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Reply {
    ListeningOn {
        ports: Vec<u16>,
    },
    Joined {
        offset_ns: i64,
        error_ns: u64,
        effective: Settings,
    },
    /// Said at intervals while phases run.
    Alive {
        phase: u32,
        state: State,
        /// Bytes sent and received in this session.
        moved_bytes: u64,
        waiting_for: Vec<u32>,
        /// The barrier's round.
        round: Option<u32>,
        /// Time passes although nothing moves.
        computing: bool,
    },
    /// What the member did with its time in each execution of a program.
    Activities {
        phase: u32,
        activities: Vec<Activity>,
        /// What was timed of it.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        laps: Vec<Lap>,
    },
    /// Where the cars of a member's domain are after a phase that is traffic, and what it was.
    Driven {
        phase: u32,
        hash: i64,
        home: u64,
        waiting: u64,
        driving: u64,
        arrived: u64,
        passed: u64,
        messages: u64,
        bytes: u64,
    },
    PhaseOver {
        phase: u32,
        barrier_us: f64,
        /// As in `Alive`.
        moved_bytes: u64,
        failed: Vec<FailedTransfer>,
    },
    PhasesDone,
    Left {
        /// Connections closed because they had not the token, or asked for a place that was taken.
        rejected: u64,
    },
    /// Ends the session.
    Error {
        code: &'static str,
        message: String,
        /// The nodes that failed.
        peers: Vec<u32>,
    },
}

/// A transfer whose connection broke; its phase went on without it.
#[derive(Debug, Serialize)]
pub struct FailedTransfer {
    pub src: u32,
    pub dst: u32,
    pub reason: String,
}
