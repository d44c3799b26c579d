//! What the coordinator hears of evidence.

use std::io;

use serde::Serialize;

use super::recorder::{Missing, Recorded, Recorder};
use super::rows;
use crate::wire::frame::Kind;
use crate::wire::outbox::Outbox;

/// Said once, before there are rows.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Reply<'a> {
    /// Which counters are read beside the batches of a step, and which are not.
    Recording {
        counters: Vec<&'a str>,
        missing: &'a [Missing],
    },
}

impl Recorder {
    /// Which counters this has, each name once.
    pub fn recording(&self) -> Reply<'_> {
        let names = self.counters().iter().map(|one| one.name.as_str());
        let mut counters: Vec<&str> = names.collect();
        counters.sort_unstable();
        counters.dedup();
        let missing = self.missing();
        Reply::Recording { counters, missing }
    }
}

/// Queue what was recorded.
pub fn put(outbox: &mut Outbox, recorded: Recorded) -> io::Result<()> {
    let streams = rows::encode(&recorded).map_err(io::Error::other)?;
    let mut frames = streams.iter();
    frames.try_for_each(|stream| outbox.put_frame(Kind::Evidence, stream))
}
