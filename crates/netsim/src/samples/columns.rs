//! Samples by column.

use crate::table;

table! {
    /// The rows of phases, one for each timed batch: `start_ns` counts from the start of the first of them.
    pub struct Columns {
        phase: i32,
        batch: i32,
        src: i32,
        dst: i32,
        size_bytes: i64,
        messages: i32,
        start_ns: i64,
        elapsed_ns: i64,
        /// The constraint that held the row's transfer back, or `OWN_CAP` or `NOTHING`.
        bottleneck: u32,
    }
}

/// One row, with times in seconds from the start of its phase.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Row {
    pub batch: u32,
    pub src: u32,
    pub dst: u32,
    pub size_bytes: u64,
    pub messages: u32,
    pub start_s: f64,
    pub elapsed_s: f64,
    pub bottleneck: u32,
}

impl Columns {
    /// Adds a row of a phase.
    pub fn push(&mut self, phase: u32, row: Row) {
        self.phase.push(phase as i32);
        self.batch.push(row.batch as i32);
        self.src.push(row.src as i32);
        self.dst.push(row.dst as i32);
        self.size_bytes.push(row.size_bytes as i64);
        self.messages.push(row.messages as i32);
        self.start_ns.push(nanoseconds(row.start_s));
        self.elapsed_ns.push(nanoseconds(row.elapsed_s));
        self.bottleneck.push(row.bottleneck);
    }

    /// Adds the rows of a later phase that begins at `start_ns`.
    pub fn append_from(&mut self, start_ns: i64, mut later: Columns) {
        later
            .start_ns
            .iter_mut()
            .for_each(|start| *start += start_ns);
        self.append(later);
    }

    /// The rows whose position passes.
    pub fn only(&self, passes: impl Fn(usize) -> bool) -> Columns {
        let kept: Vec<usize> = (0..self.len()).filter(|row| passes(*row)).collect();
        self.in_order(&kept)
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.phase.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.phase.is_empty()
    }
}

table! {
    /// What constraints carried in phases: the mean over the phase, of those that carried anything.
    pub struct Loads {
        phase: i32,
        constraint: u32,
        bits_per_s: f64,
    }
}

/// To the nearest nanosecond.
pub fn nanoseconds(seconds: f64) -> i64 {
    (seconds * 1e9).round() as i64
}
