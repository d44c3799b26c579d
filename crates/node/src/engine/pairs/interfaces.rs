//! Several interfaces of one node, and several buses. What happens, happens to one of them at a time, on both nodes.

use crate::engine::job::Frame;
use crate::engine::node::Transfer;
use crate::engine::observe::Watch;
use crate::engine::pair::{Pair, Slot};

impl<W: Watch> Pair<'_, W> {
    /// What follows happens to this interface and its bus.
    pub(in crate::engine) fn turn_to_interface(&mut self, to: usize) {
        let from = self.interface;
        if from == to {
            return;
        }
        let bus = |at: usize| self.machine.interfaces[at].bus;
        let (bus_from, bus_to) = (bus(from), bus(to));
        for node in &mut self.nodes {
            node.swap_interface(from);
            node.swap_interface(to);
            if bus_from != bus_to {
                node.swap_bus(bus_from);
                node.swap_bus(bus_to);
            }
        }
        self.interface = to;
    }

    /// Brings the first transfer to the front whose interface may have the bus; when none may, it is tried again at the
    /// earliest time. Whether there is one.
    pub(in crate::engine) fn choose_transfer(&mut self, at: usize) -> bool {
        let node = &self.nodes[at];
        let ready_ps = |transfer: &Transfer| {
            let (Transfer::Out(frame) | Transfer::In(frame)) = *transfer;
            node.ready_ps[self.interface_of(frame)]
        };
        let first = node
            .io_queue
            .iter()
            .position(|one| ready_ps(one) <= self.now_ps);
        if let Some(index) = first {
            let queue = &mut self.nodes[at].io_queue;
            let chosen = queue.remove(index);
            chosen.into_iter().for_each(|one| queue.push_front(one));
            return true;
        }
        if let Some(next_ps) = node.io_queue.iter().map(ready_ps).min() {
            let slot = self.slot(at, Slot::IoBus);
            self.calendar.set(slot, next_ps);
        }
        false
    }

    /// The first interface on the same bus, whose slot in the calendar is the bus's.
    pub(in crate::engine) fn first_on_bus(&self) -> usize {
        let all = &self.machine.interfaces;
        let bus = all[self.interface].bus;
        all.iter().position(|one| one.bus == bus).unwrap_or(0)
    }

    /// The interface that a frame goes over: its connection's, or of a bond the next in turn (Linux: balance-rr).
    pub(in crate::engine) fn interface_of(&self, frame: Frame) -> usize {
        match self.is_bonded {
            true => frame.number as usize % self.machine.interfaces.len(),
            false => self.route(frame.flow).map_or(0, |route| route.interface),
        }
    }
}
