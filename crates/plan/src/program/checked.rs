//! From a program to one that is known to end.

use super::{Program, Schedule, deadlock};

impl Schedule {
    /// Checks a program whose longer messages than `rendezvous_bytes` wait for their receive. The error names an
    /// operation, or a circle of them.
    pub fn of(program: Program, rendezvous_bytes: u64) -> Result<Self, String> {
        let schedule = Self::paired(&program, rendezvous_bytes)?;
        drop(program);
        deadlock::check(&schedule)?;
        Ok(schedule)
    }
}
