//! A driver that looks for frames itself, and packets that are handed up as one.

use super::job::{Frame, Job};
use super::observe::Watch;
use super::pair::Pair;
use crate::machine::Task;

impl<W: Watch> Pair<'_, W> {
    /// Takes the next frame there is; when there is none, interrupts are on again.
    pub(super) fn poll(&mut self, at: usize, processor: usize) {
        match self.nodes[at].pending.pop_front() {
            Some(frame) => {
                self.nodes[at].turn_to(frame.flow);
                let driver = self.place(Task::Driver);
                self.hand_over(at, processor, driver, Job::Poll(frame));
            }
            None => self.nodes[at].signalled = false,
        }
    }

    pub(super) fn polled(&mut self, at: usize, processor: usize, frame: Frame) {
        match self.machine.nic.merge_bytes {
            0 => self.driver_in_done(at, processor, frame),
            most_bytes => self.merge(at, processor, frame, most_bytes),
        }
        self.poll(at, processor);
    }

    /// Puts a packet to those before it. They go up when no other is there, when one more would be too many, and with the
    /// last of a message, which has the push flag; what has no payload goes by itself (Linux: dev_gro_receive).
    fn merge(&mut self, at: usize, processor: usize, frame: Frame, most_bytes: u32) {
        self.driven(at, frame);
        let before = self.nodes[at].merged.take();
        let whole = match before {
            Some(before) if belong_together(before, frame, most_bytes) => Frame {
                payload_bytes: before.payload_bytes + frame.payload_bytes,
                first: before.first,
                ..frame
            },
            before => {
                self.hand_up(at, processor, before);
                frame
            }
        };
        let is_over = whole.is_last || frame.payload_bytes == 0 || frame.is_datagram();
        if is_over || self.nodes[at].pending.is_empty() {
            self.hand_up(at, processor, Some(whole));
        } else {
            self.nodes[at].merged = Some(whole);
        }
    }

    fn hand_up(&mut self, at: usize, processor: usize, frame: Option<Frame>) {
        if let Some(frame) = frame {
            self.nodes[at].turn_to(frame.flow);
            self.driver_in_over(at, processor, frame);
        }
    }
}

fn belong_together(before: Frame, frame: Frame, most_bytes: u32) -> bool {
    before.flow == frame.flow
        && before.end() == frame.first
        && before.payload_bytes + frame.payload_bytes <= most_bytes
}
