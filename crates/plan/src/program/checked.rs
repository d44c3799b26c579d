//! From a program to one that is known to end.

use super::{Program, Schedule, deadlock};

impl Schedule {
    /// Checks a program whose longer messages than `rendezvous_bytes` wait for their receive. The error names an
    /// operation, or a circle of them.
    pub fn of(program: &Program, rendezvous_bytes: u64) -> Result<Self, String> {
        Self::of_first(program, program.nodes.len(), rendezvous_bytes)
    }

    /// The same of a program that repeats every so many nodes, of which only the first are looked at. A message of
    /// theirs has the node that the program names as its peer, and the operation as its partner that stands for the one
    /// there: at the same position of a node of the first that is so many, or a multiple of it, before.
    pub fn of_first(
        program: &Program,
        nodes: usize,
        rendezvous_bytes: u64,
    ) -> Result<Self, String> {
        let schedule = Self::paired(program, nodes, rendezvous_bytes)?;
        deadlock::check(&schedule)?;
        Ok(schedule)
    }
}

impl Program {
    /// Refuses one that does not end, as `Schedule::of` does.
    pub fn check(&self, rendezvous_bytes: u64) -> Result<(), String> {
        let first = self.period();
        // What repeats waits in a circle where its first nodes do, but the circle has other names.
        match Schedule::of_first(self, first, rendezvous_bytes) {
            Err(_) if first < self.nodes.len() => Schedule::of(self, rendezvous_bytes).map(drop),
            found => found.map(drop),
        }
    }
}
