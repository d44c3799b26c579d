//! What is recorded beside the samples of a pair, where the step asks for it.

use std::io;

use super::Agent;
use crate::evidence::{self, Recorder};
use crate::pair::link::Link;
use crate::wire::setup::Setup;

impl Agent {
    /// A recorder for one end of a link, or of messages without one; says which counters it has.
    pub(super) fn recorder(&mut self, setup: &Setup, link: Option<&Link>) -> io::Result<Recorder> {
        if !setup.step.options.evidence {
            return Ok(Recorder::default());
        }
        let connections = link.map_or(Ok(Vec::new()), Link::connections)?;
        let recorder = if setup.shares_host {
            evidence::open_own(connections)
        } else {
            evidence::open(setup.address, connections)
        };
        self.say(&recorder.recording())?;
        Ok(recorder)
    }
}
