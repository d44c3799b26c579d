//! Acknowledgements that wait for data to go with.

use super::observe::Watch;
use super::pair::{Pair, Slot};
use crate::machine::Task;

impl<W: Watch> Pair<'_, W> {
    /// What arrived is acknowledged now, or later.
    pub(super) fn acknowledge(&mut self, at: usize, processor: usize, has_payload: bool) {
        let slot = self.slot(at, Slot::Acknowledgement);
        if self.nodes[at].connection.owes_acknowledgement() {
            self.send_acknowledgement(at, processor);
        } else if self.nodes[at].flows.are_many() {
            self.promise_acknowledgement(at, has_payload);
        } else if has_payload && !self.calendar.is_set(slot) {
            let wait_ps = self.machine.sockets.delayed_ack_ps;
            self.calendar.set(slot, self.now_ps + wait_ps);
        }
    }

    /// The time to acknowledge what nothing went back for has come.
    pub(super) fn acknowledge_late(&mut self, at: usize) {
        if self.nodes[at].flows.are_many() {
            return self.keep_promises(at);
        }
        if self.nodes[at].connection.has_unacknowledged() {
            self.send_acknowledgement(at, self.place(Task::Protocol));
        }
    }

    /// What arrived is acknowledged after a while, if nothing goes back that takes the acknowledgement along.
    fn promise_acknowledgement(&mut self, at: usize, has_payload: bool) {
        if !has_payload {
            return;
        }
        let due_ps = self.now_ps + self.machine.sockets.delayed_ack_ps;
        let flows = &mut self.nodes[at].flows;
        flows.promised.push_back((due_ps, flows.current));
        let slot = self.slot(at, Slot::Acknowledgement);
        if !self.calendar.is_set(slot) {
            self.calendar.set(slot, due_ps);
        }
    }

    /// Those that are due now and were not overtaken.
    fn keep_promises(&mut self, at: usize) {
        while let Some((due_ps, flow)) = self.nodes[at].flows.promised.front().copied() {
            if due_ps > self.now_ps {
                let slot = self.slot(at, Slot::Acknowledgement);
                self.calendar.set(slot, due_ps);
                break;
            }
            self.nodes[at].flows.promised.pop_front();
            self.nodes[at].turn_to(flow);
            if self.nodes[at].connection.has_unacknowledged() {
                self.send_acknowledgement(at, self.place(Task::Protocol));
            }
        }
    }
}
