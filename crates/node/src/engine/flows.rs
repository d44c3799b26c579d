//! Several connections of one node, each with its process. What happens, happens to one of them at a time.

use std::collections::VecDeque;

use super::connection::Connection;
use super::process::Process;

/// The connections and processes that nothing happens to now; empty where there is one only.
#[derive(Debug, Clone, Default)]
pub struct Flows {
    /// By connection; the place of the current one holds what was there before all.
    pub(super) resting: Vec<(Connection, Process)>,
    pub(super) current: u32,
    /// Acknowledgements that are due, at which time of which connection, in order.
    pub(super) promised: VecDeque<(u64, u32)>,
    /// By connection, where they are pairs of processes: when each message was read.
    pub(super) ends_ps: Vec<Vec<u64>>,
}

impl Flows {
    pub fn current(&self) -> u32 {
        self.current
    }

    /// A message of the current connection is read.
    pub fn note_end(&mut self, now_ps: u64) {
        if let Some(ends_ps) = self.ends_ps.get_mut(self.current as usize) {
            ends_ps.push(now_ps);
        }
    }

    /// Whether timers must tell connections apart.
    pub fn are_many(&self) -> bool {
        !self.resting.is_empty()
    }
}

/// Where a connection goes, and what its processes do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Route {
    /// Of both nodes.
    pub processor: usize,
    pub interface: usize,
    /// The node whose process begins.
    pub begins: usize,
    pub message_bytes: u64,
    pub answer_bytes: u64,
}

impl Route {
    /// The node whose process reads what ends a message, or a round trip.
    pub fn reader(&self) -> usize {
        match self.answer_bytes {
            0 => 1 - self.begins,
            _ => self.begins,
        }
    }
}
