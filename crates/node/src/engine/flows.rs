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
}

impl Flows {
    pub fn current(&self) -> u32 {
        self.current
    }

    /// Whether timers must tell connections apart.
    pub fn are_many(&self) -> bool {
        !self.resting.is_empty()
    }
}
