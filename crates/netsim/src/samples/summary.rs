//! The phases of a step, joined.

use crate::simulate::Fingerprint;

use super::columns::{Columns, Loads, nanoseconds};
use super::digest::{Digest, Tally};
use super::outcome::PhaseOutcome;

/// What became of some phases of a step.
#[derive(Debug, Clone, Default)]
pub struct Outcome {
    /// Times count from the start of the first phase's barrier.
    pub rows: Columns,
    pub loads: Loads,
    pub phases: Vec<PhaseSummary>,
    /// From the first barrier's start to the last end.
    pub span_ns: i64,
    /// See `simulate::Solution`; the largest of all phases.
    pub idle_s: f64,
    pub events: u64,
    /// Of all transfers of phases that were condensed.
    pub tally: Tally,
}

/// A phase, without its rows.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PhaseSummary {
    pub index: u32,
    /// When its transfers begin.
    pub start_ns: i64,
    pub span_ns: i64,
    pub barrier_ns: i64,
    /// Transfers that never arrive: their ends.
    pub failed: Vec<(u32, u32)>,
    pub fingerprint: Fingerprint,
    /// Where not all rows are kept.
    pub digest: Option<Digest>,
}

impl Outcome {
    /// Adds later phases of the same step.
    pub(super) fn append(&mut self, later: Outcome) {
        let offset_ns = self.span_ns;
        self.rows.append_from(offset_ns, later.rows);
        self.loads.append(later.loads);
        let phases = later.phases.into_iter();
        self.phases.extend(phases.map(|phase| PhaseSummary {
            start_ns: phase.start_ns + offset_ns,
            ..phase
        }));
        self.span_ns += later.span_ns;
        self.idle_s = self.idle_s.max(later.idle_s);
        self.events += later.events;
        self.tally.merge(&later.tally);
    }
}

/// One phase after the other.
pub fn joined(outcomes: Vec<PhaseOutcome>) -> Outcome {
    let mut all = Outcome::default();
    for one in outcomes {
        let barrier_ns = nanoseconds(one.barrier_s);
        let start_ns = all.span_ns + barrier_ns;
        let span_ns = nanoseconds(one.span_s);
        all.rows.append_from(start_ns, one.rows);
        all.loads.append(one.loads);
        all.span_ns = start_ns + span_ns;
        all.idle_s = all.idle_s.max(one.idle_s);
        all.events += one.events;
        all.phases.push(PhaseSummary {
            index: one.index,
            start_ns,
            span_ns,
            barrier_ns,
            failed: one.failed,
            fingerprint: one.fingerprint,
            digest: one.digest,
        });
    }
    all
}
