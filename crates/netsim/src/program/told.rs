//! What is told of a program that was played: its messages, and what its nodes did.

use weft_plan::program::Action;

use super::activity::Meter;
use super::play::{Delivery, Outcome, Play};

impl Play<'_> {
    /// The outcome for all nodes; tells of each message, node by node.
    pub(super) fn outcome(mut self, tell: &mut dyn FnMut(Delivery)) -> Outcome {
        self.find_meant();
        let (shift, copies) = match self.rotation {
            None => (0, 1),
            Some(rotation) => (rotation.shift, rotation.copies),
        };
        let own = self.meters.iter().map(Meter::activity);
        let mut activities = Vec::with_capacity(self.hosts.len());
        for copy in 0..copies {
            activities.extend(own.clone());
            for send in 0..self.schedule.operations() {
                if let Action::Send(message) = self.schedule.operation(send).action {
                    let (by, sent) = (copy * shift, self.sent[send as usize]);
                    if !self.has_come(send) {
                        continue;
                    }
                    tell(Delivery {
                        src: self.schedule.node(send) + by,
                        dst: (message.peer + by) % self.hosts.len() as u32,
                        bytes: message.bytes,
                        start_s: sent.began_s,
                        end_s: sent.end_s,
                        bottleneck: self.turned(sent.bottleneck, copy),
                    });
                }
            }
        }
        Outcome {
            timed: self.laps.timed(self.schedule, self.now_s, |receive| {
                self.has_come(self.partner(receive))
            }),
            activities,
            played: self.schedule.nodes(),
            events: self.flows.events,
        }
    }

    /// Whether a message came before all had ended that must, or between those.
    fn has_come(&self, send: u32) -> bool {
        let mut ends = [send, self.partner(send)].into_iter();
        let must = !ends.any(|one| self.schedule.stop(self.schedule.node(one)).is_some());
        must || self.sent[send as usize].end_s > 0.0
    }

    /// Finds which of the constraints of its own held each message back, where one stood for several.
    fn find_meant(&mut self) {
        let Some(rotation) = self.rotation else {
            return;
        };
        for send in 0..self.schedule.operations() {
            if let Action::Send(_) = self.schedule.operation(send).action {
                let message = self.transfer(send);
                self.setup.seek_message(&message);
                let sent = &mut self.sent[send as usize];
                sent.bottleneck = rotation.meant(self.setup.route().there, sent.bottleneck);
            }
        }
    }

    fn turned(&self, constraint: u32, copy: u32) -> u32 {
        match self.rotation {
            None => constraint,
            Some(rotation) => rotation.turned(constraint, copy),
        }
    }
}
