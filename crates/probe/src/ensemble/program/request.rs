//! What the coordinator asks of a member that takes part in programs.

use serde::Deserialize;
use weft_plan::program::Node;
use weft_plan::{Compute, Step};

/// Carry out programs, with a barrier before each.
#[derive(Debug, Deserialize)]
pub struct Programs {
    pub step_index: u32,
    pub launch: u32,
    pub step: Step,
    /// The member that each rank is.
    pub ranks: Vec<u32>,
    pub compute: Compute,
    /// How many messages of each phase to give times of.
    pub rows: u64,
    pub phases: Vec<Phase>,
}

/// A phase of a step: one program, carried out as often as the step says.
#[derive(Debug, Deserialize)]
pub struct Phase {
    pub phase: u32,
    /// This member's part; absent where it follows from the step.
    pub node: Option<Node>,
}
