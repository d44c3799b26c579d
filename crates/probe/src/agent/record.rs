//! What is recorded beside the samples of a pair, where the step asks for it.

use std::io;

use super::Agent;
use crate::application::Load;
use crate::evidence::{self, Computed, Recorder};
use crate::pair::link::Link;
use crate::wire::setup::Setup;

impl Agent {
    /// A recorder for one end of a link, or of messages without one; says which counters it has.
    pub(super) fn recorder(&mut self, setup: &Setup, link: Option<&Link>) -> io::Result<Recorder> {
        self.recorder_beside(setup, link, None)
    }

    /// The same, of an end where an application computes.
    pub(super) fn recorder_beside(
        &mut self,
        setup: &Setup,
        link: Option<&Link>,
        load: Option<&Load>,
    ) -> io::Result<Recorder> {
        if !setup.step.options.evidence {
            return Ok(Recorder::default());
        }
        let connections = link.map_or(Ok(Vec::new()), Link::connections)?;
        let mut recorder = if setup.shares_host {
            evidence::open_own(connections)
        } else {
            evidence::open(setup.address, connections)
        };
        if let Some(load) = load {
            recorder.add_quick(Computed(load.counts()));
        }
        self.say(&recorder.recording())?;
        Ok(recorder)
    }
}
