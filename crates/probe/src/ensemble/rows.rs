//! What a phase has measured at a node, before it becomes samples.

use crate::wire::samples::Sample;

/// One timed batch on this node's clock; the missing end of the transfer is this node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    pub batch: u32,
    pub src: u32,
    /// Given when this node is the source.
    pub dst: Option<u32>,
    pub size_bytes: u64,
    pub messages: u32,
    pub start_ns: u64,
    pub elapsed_ns: u64,
}

/// What all rows of a phase have in setup.
#[derive(Clone, Copy, Debug)]
pub struct Context {
    pub step_index: u32,
    pub phase: u32,
    pub launch: u32,
    pub node: u32,
    /// What turns this node's clock into the run's.
    pub shift_ns: i64,
}

impl Context {
    pub fn sample(&self, row: &Row) -> Sample {
        let (src, dst) = match row.dst {
            Some(dst) => (self.node, dst),
            None => (row.src, self.node),
        };
        Sample {
            step: self.step_index as i32,
            phase: self.phase as i32,
            launch: self.launch as i32,
            batch: row.batch as i32,
            src: src as i32,
            dst: dst as i32,
            size_bytes: row.size_bytes as i64,
            messages: row.messages as i32,
            start_ns: row.start_ns as i64 + self.shift_ns,
            elapsed_ns: row.elapsed_ns as i64,
        }
    }
}
