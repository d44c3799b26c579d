//! A recorder of an end that says nothing else, or little, until the step is over.

use std::io;

use super::recorder::{Recorded, Recorder};
use crate::system::clock::now_ns;
use crate::transport::order::Order;
use crate::wire::samples::REPORT_EVERY_NS;

/// Hands on what it records between phases, while the other end waits until this one is ready.
pub struct ServingEnd<'a> {
    recorder: Recorder,
    hand_on: Box<dyn FnMut(Recorded) -> io::Result<()> + 'a>,
    phase: u32,
    reported_ns: u64,
}

impl<'a> ServingEnd<'a> {
    pub fn new(
        recorder: Recorder,
        hand_on: impl FnMut(Recorded) -> io::Result<()> + 'a,
    ) -> ServingEnd<'a> {
        ServingEnd {
            recorder,
            hand_on: Box::new(hand_on),
            phase: 0,
            reported_ns: now_ns(),
        }
    }

    /// A batch is announced, or the end.
    pub fn before(&mut self, order: Order) -> io::Result<()> {
        let is_new = order.is_end() || order.phase != self.phase;
        if is_new {
            self.recorder.finish();
        }
        let is_late = order.is_end() || now_ns() - self.reported_ns > REPORT_EVERY_NS;
        if is_new && is_late {
            self.recorder.hand_on(&mut self.hand_on).transpose()?;
            self.reported_ns = now_ns();
        }
        self.phase = order.phase;
        self.recorder.before(order);
        Ok(())
    }

    /// The last message of a batch is through.
    pub fn after(&mut self) {
        self.recorder.after();
    }
}
