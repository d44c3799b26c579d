//! From a program to one that is known to end.

use super::{Node, Program, Repeated, Schedule, deadlock};

impl Schedule {
    /// Checks a program whose longer messages than `rendezvous_bytes` wait for their receive. The error names an
    /// operation, or a circle of them.
    pub fn of(program: &Program, rendezvous_bytes: u64) -> Result<Self, String> {
        let all = program.nodes.len() as u32;
        Self::of_first(&program.nodes, all, rendezvous_bytes)
    }

    /// The same of the first of so many nodes, after which these repeat. A message of theirs has the true node as its
    /// peer, and the operation as its partner that stands for the one there: at the same position of a node of the first.
    pub fn of_first(nodes: &[Node], all: u32, rendezvous_bytes: u64) -> Result<Self, String> {
        let schedule = Self::paired(nodes, all, rendezvous_bytes)?;
        deadlock::check(&schedule)?;
        Ok(schedule)
    }
}

impl Program {
    /// Refuses one that does not end, as `Schedule::of` does.
    pub fn check(&self, rendezvous_bytes: u64) -> Result<(), String> {
        let (repeated, all) = (Repeated::of(self), self.nodes.len());
        // What repeats waits in a circle where its first nodes do, but the circle has other names.
        match Schedule::of_first(&repeated.nodes, all as u32, rendezvous_bytes) {
            Err(_) if repeated.nodes.len() < all => Schedule::of(self, rendezvous_bytes).map(drop),
            found => found.map(drop),
        }
    }
}
