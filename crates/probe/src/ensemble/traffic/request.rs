//! What the coordinator asks of a member of a traffic simulation.

use serde::Deserialize;
use weft_plan::Traffic;

use super::super::error::SessionError;

/// Simulate traffic, with a barrier before each phase.
#[derive(Debug, Deserialize)]
pub struct Traffics {
    pub step_index: u32,
    pub launch: u32,
    pub traffic: Traffic,
    /// The member that simulates each domain.
    pub ranks: Vec<u32>,
    pub phases: Vec<Part>,
}

/// A phase: the first so many take part.
#[derive(Clone, Copy, Debug, Deserialize)]
pub struct Part {
    pub phase: u32,
    pub nodes: u32,
}

impl Traffics {
    pub fn check(&self, part: &Part) -> Result<(), SessionError> {
        match (1..=self.ranks.len()).contains(&(part.nodes as usize)) {
            true => Ok(()),
            false => Err(SessionError::bad_request(format!(
                "phase {}: {} nodes, and there are {}",
                part.phase,
                part.nodes,
                self.ranks.len()
            ))),
        }
    }
}
