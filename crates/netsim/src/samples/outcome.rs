//! What becomes of a phase.

use std::collections::HashSet;
use std::sync::atomic::AtomicBool;

use weft_plan::{Phase, Step, Transfer};

use crate::simulate::{Fingerprint, Interrupted, Settings, Solution};

use super::columns::{Columns, Loads, Row};
use super::digest::Digest;
use super::setup::Setup;

/// What became of a phase.
#[derive(Debug, Clone, Default)]
pub struct PhaseOutcome {
    pub index: u32,
    /// Times count from the end of the barrier.
    pub rows: Columns,
    pub loads: Loads,
    /// From the end of the barrier to the last end.
    pub span_s: f64,
    pub barrier_s: f64,
    /// Transfers that never arrive: their ends.
    pub failed: Vec<(u32, u32)>,
    /// See `simulate::Solution`.
    pub idle_s: f64,
    pub events: u64,
    pub fingerprint: Fingerprint,
    /// Where not all rows are kept.
    pub digest: Option<Digest>,
}

/// What all phases of a step have in common.
#[derive(Clone, Copy)]
pub struct Common<'a> {
    pub step: &'a Step,
    /// Hosts that take no part.
    pub lost: &'a HashSet<u32>,
    pub stop: &'a AtomicBool,
    pub keep: Keep,
}

/// What is kept of phases.
#[derive(Debug, Clone, Copy, Default)]
pub struct Keep {
    /// Whether to note what constraints carried.
    pub loads: bool,
    /// Digests, and of each phase about so many rows; else all rows.
    pub rows: Option<usize>,
}

/// What a transfer does again and again: batches of messages, one behind the other.
#[derive(Debug, Clone, Copy)]
pub struct Batches {
    pub count: u32,
    pub size_bytes: u64,
    /// Of each batch.
    pub messages: u32,
    /// From the end of the barrier to the first.
    pub start_s: f64,
    /// Of each batch.
    pub elapsed_s: f64,
    /// See `Columns`.
    pub bottleneck: u32,
}

impl PhaseOutcome {
    /// Of a phase of which nothing is known but how many events it took.
    pub fn of(phase: &Phase, events: u64) -> Self {
        Self {
            index: phase.index,
            events,
            ..Self::default()
        }
    }

    /// When the transfers that are set up end.
    pub fn solve(
        &mut self,
        setup: &mut Setup<'_>,
        common: Common<'_>,
    ) -> Result<Solution, Interrupted> {
        let settings = Settings {
            tolerance: setup.parameters.tolerance,
            stop: common.stop,
        };
        let capacities = setup.capacities();
        let solved = setup.solver.ends(&capacities, &setup.transfers, settings)?;
        self.note(&solved);
        Ok(solved)
    }

    /// Notes how the ends of transfers were found.
    pub fn note(&mut self, solved: &Solution) {
        self.fingerprint.add(solved);
        self.idle_s = solved.idle_s;
        self.events = solved.events;
    }

    /// Adds the rows of a transfer; the phase lasts at least as long as they do.
    pub fn add_batches(&mut self, transfer: &Transfer, batches: Batches) {
        self.add_batches_from(transfer, batches, 0);
    }

    /// The same where the first batch has another number than 0.
    pub fn add_batches_from(&mut self, transfer: &Transfer, batches: Batches, first: u32) {
        let start_s = |batch: u32| batches.start_s + f64::from(batch) * batches.elapsed_s;
        for batch in 0..batches.count {
            let row = Row {
                batch: first + batch,
                src: transfer.src,
                dst: transfer.dst,
                size_bytes: batches.size_bytes,
                messages: batches.messages,
                start_s: start_s(batch),
                elapsed_s: batches.elapsed_s,
                bottleneck: batches.bottleneck,
            };
            self.rows.push(self.index, row);
        }
        self.span_s = self.span_s.max(start_s(batches.count));
    }

    /// Notes what the constraints carried of the transfers that arrived, and of what was sent back for them.
    pub fn add_arrived_loads(&mut self, setup: &Setup<'_>, solved: &Solution) {
        let bits = |index: usize| match solved.end_s[index].is_finite() {
            true => setup.transfers.demand(index).bits,
            false => 0.0,
        };
        self.add_loads(setup, bits, self.span_s);
    }

    /// Notes what the constraints carried, given what each transfer did in bits over the phase.
    pub fn add_loads(&mut self, setup: &Setup<'_>, bits: impl Fn(usize) -> f64, span_s: f64) {
        if span_s <= 0.0 || span_s == f64::INFINITY {
            return;
        }
        let mut carried = vec![0.0; setup.network.capacities().len()];
        for index in 0..setup.transfers.len() {
            let back = setup.transfers.demand(index).back;
            for at in setup.transfers.route(index) {
                carried[*at as usize] += bits(index);
            }
            for at in setup.transfers.back(index) {
                carried[*at as usize] += bits(index) * back;
            }
        }
        for (constraint, bits) in carried.iter().enumerate().filter(|(_, bits)| **bits > 0.0) {
            self.loads.phase.push(self.index as i32);
            self.loads.constraint.push(constraint as u32);
            self.loads.bits_per_s.push(bits / span_s);
        }
    }

    /// What a transfer without a path is held back by.
    pub fn fail(&mut self, transfer: &Transfer) {
        self.failed.push((transfer.src, transfer.dst));
    }
}
