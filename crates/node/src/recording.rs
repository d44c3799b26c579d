//! What was seen in two nodes: slices, stages, gauges.

use crate::engine::{Gauge, Stage};

/// What a slice does, by number.
pub const NAMES: [&str; 20] = [
    "call",
    "interrupt",
    "driver in",
    "driver out",
    "protocol in",
    "protocol out",
    "refill",
    "wake-up",
    "switch",
    "system call",
    "copy out",
    "copy in",
    "compute",
    "to the interface",
    "to memory",
    "frame",
    "coalescing",
    "signal",
    "library",
    "bridge",
];

/// Something that a part did without a break. `flow` ties slices of one frame, or of one message, together; -1 is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slice {
    /// An index of `tracks`, those of the second node behind those of the first.
    pub track: u32,
    /// An index of [`NAMES`].
    pub name: u32,
    pub begin_ps: u64,
    pub end_ps: u64,
    pub bytes: i64,
    pub flow: i64,
    /// Something else came first, and the rest follows in another slice.
    pub is_put_off: bool,
}

/// A stage of the budget of one way of a round trip.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Passage {
    /// Ways are counted from the first, of the warm-up; even ones are of the first node's messages.
    pub way: u32,
    pub stage: Stage,
    pub begin_ps: u64,
    pub end_ps: u64,
}

/// A gauge's new value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reading {
    pub node: u32,
    pub gauge: Gauge,
    pub at_ps: u64,
    pub value: u64,
}

/// What was seen.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Recording {
    pub slices: Vec<Slice>,
    pub passages: Vec<Passage>,
    pub readings: Vec<Reading>,
    /// When each batch of messages began that counts.
    pub batches_ps: Vec<u64>,
    /// Whether there was more than fits.
    pub is_cut: bool,
}
