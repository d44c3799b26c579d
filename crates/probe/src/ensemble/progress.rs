//! Where a session is, as it is reported to the coordinator at intervals.

use serde::Serialize;

use crate::system::clock::now_ns;

const REPORT_EVERY_NS: u64 = 500_000_000;

/// What a member is doing in a phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    Connect,
    Barrier,
    Transfer,
}

/// The phase and state that a session is in; no phase means that it is idle.
pub struct Progress {
    pub phase: Option<u32>,
    pub state: State,
    pub round: Option<u32>,
    pub due_ns: u64,
    /// The processors compute, so that nothing need move.
    pub is_computing: bool,
}

impl Progress {
    pub fn new() -> Progress {
        Progress {
            phase: None,
            state: State::Connect,
            round: None,
            due_ns: 0,
            is_computing: false,
        }
    }

    /// Phases begin.
    pub fn begin(&mut self) {
        self.due_ns = now_ns() + REPORT_EVERY_NS;
    }

    pub fn enter(&mut self, phase: u32, state: State) {
        self.phase = Some(phase);
        self.state = state;
        self.round = None;
    }

    /// Phases are over.
    pub fn rest(&mut self) {
        self.phase = None;
    }

    /// When to report next, while there is anything to report.
    pub fn deadline_ns(&self) -> Option<u64> {
        self.phase.map(|_| self.due_ns)
    }

    /// True once in each interval.
    pub fn is_due(&mut self, now_ns: u64) -> bool {
        let is_due = self.phase.is_some() && now_ns >= self.due_ns;
        if is_due {
            self.due_ns = now_ns + REPORT_EVERY_NS;
        }
        is_due
    }
}
