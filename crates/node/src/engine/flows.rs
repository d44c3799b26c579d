//! Several connections of one node, each with its process. What happens, happens to one of them at a time.

use std::collections::VecDeque;
use std::mem::swap;

use super::connection::Connection;
use super::node::Node;
use super::pair::{Pair, Slot};
use super::process::Process;
use super::watch::Watch;

/// The connections and processes that nothing happens to now; empty where there is one only.
#[derive(Debug, Clone, Default)]
pub struct Flows {
    /// By connection; the place of the current one holds what was there before all.
    resting: Vec<(Connection, Process)>,
    current: u32,
    /// Acknowledgements that are due, at which time of which connection, in order.
    promised: VecDeque<(u64, u32)>,
}

impl Flows {
    pub fn current(&self) -> u32 {
        self.current
    }

    /// Whether timers must tell connections apart.
    pub fn are_many(&self) -> bool {
        !self.resting.is_empty()
    }
}

impl Node {
    /// Gives the node so many connections like the one it has.
    pub fn multiply(&mut self, flows: u32) {
        let one = (self.connection.clone(), self.process.clone());
        self.flows.resting = vec![one; flows as usize];
    }

    /// What follows happens to this connection and its process.
    pub fn turn_to(&mut self, flow: u32) {
        if flow == self.flows.current {
            return;
        }
        self.swap(self.flows.current);
        self.swap(flow);
        self.flows.current = flow;
    }

    fn swap(&mut self, flow: u32) {
        let (connection, process) = &mut self.flows.resting[flow as usize];
        swap(connection, &mut self.connection);
        swap(process, &mut self.process);
    }
}

impl<W: Watch> Pair<'_, W> {
    /// What arrived is acknowledged after a while, if nothing goes back that takes the acknowledgement along.
    pub(super) fn promise_acknowledgement(&mut self, at: usize, has_payload: bool) {
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
    pub(super) fn keep_promises(&mut self, at: usize) {
        while let Some((due_ps, flow)) = self.nodes[at].flows.promised.front().copied() {
            if due_ps > self.now_ps {
                let slot = self.slot(at, Slot::Acknowledgement);
                self.calendar.set(slot, due_ps);
                break;
            }
            self.nodes[at].flows.promised.pop_front();
            self.nodes[at].turn_to(flow);
            if self.nodes[at].connection.has_unacknowledged() {
                self.send_acknowledgement(at, self.place(crate::Task::Protocol));
            }
        }
    }
}
