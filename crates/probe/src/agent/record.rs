//! What is recorded beside the samples of a pair, where the step asks for it.

use std::io;

use super::Agent;
use crate::agent::message::Reply;
use crate::evidence::{self, Recorded, Recorder};
use crate::pair::link::Link;
use crate::wire::frame::Kind;
use crate::wire::outbox::Outbox;
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
        let counters = recorder.counters().iter().map(|one| one.name.as_str());
        let mut counters: Vec<&str> = counters.collect();
        counters.sort_unstable();
        counters.dedup();
        self.say(&Reply::Recording {
            counters: &counters,
            missing: recorder.missing(),
        })?;
        Ok(recorder)
    }
}

/// Queue what was recorded.
pub fn put(outbox: &mut Outbox, recorded: Recorded) -> io::Result<()> {
    let streams = evidence::encode(&recorded).map_err(io::Error::other)?;
    let mut frames = streams.iter();
    frames.try_for_each(|stream| outbox.put_frame(Kind::Evidence, stream))
}
