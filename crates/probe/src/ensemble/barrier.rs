//! The barrier before each phase, by dissemination (Hensgen, Finkel and Manber 1988): after ceil(log2 n) rounds of
//! one message each, every member has heard, directly or not, from every other.

use super::error::SessionError;
use super::mesh::Mark;
use super::progress::State;
use super::session::Session;
use crate::system::clock::now_ns;
use crate::wire::outbox::Outbox;

impl Session {
    /// Wait until all members have come here; returns how long that took.
    pub(super) fn barrier(&mut self, phase: u32, outbox: &mut Outbox) -> Result<u64, SessionError> {
        self.progress.enter(phase, State::Barrier);
        let entered_ns = now_ns();
        let rounds = self.mesh.as_ref().map_or(0, |mesh| mesh.rounds());
        for round in 0..rounds {
            self.progress.round = Some(round);
            let mark = Mark {
                sequence: self.barriers,
                phase,
                round,
            };
            self.pass_round(mark, outbox)?;
        }
        self.barriers += 1;
        Ok(now_ns() - entered_ns)
    }

    fn pass_round(&mut self, mark: Mark, outbox: &mut Outbox) -> Result<(), SessionError> {
        let Some(mesh) = &mut self.mesh else {
            return Ok(());
        };
        mesh.announce(mark, &self.reactor)?;
        while !self.has_heard(mark)? {
            self.turn(outbox, None)?;
        }
        Ok(())
    }

    fn has_heard(&mut self, mark: Mark) -> Result<bool, SessionError> {
        self.mesh.as_mut().map_or(Ok(true), |mesh| mesh.hear(mark))
    }
}
