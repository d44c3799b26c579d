//! The way between memory and interface, and the link: one transfer at a time each, first come first served.

use weft_fabric::Medium;

use super::datagrams::Place;
use super::job::Frame;
use super::node::Transfer;
use super::observe::Stage;
use super::observe::{Act, Gauge, Part, Watch};
use super::pair::{Pair, Slot};
use super::users::USERS;

impl<W: Watch> Pair<'_, W> {
    pub(super) fn queue_transfer(&mut self, at: usize, transfer: Transfer) {
        let (Transfer::Out(frame) | Transfer::In(frame)) = transfer;
        self.turn_to_interface(self.interface_of(frame));
        self.nodes[at].io_queue.push_back(transfer);
        if !self.nodes[at].io_begun {
            self.begin_transfer(at);
        }
    }

    fn begin_transfer(&mut self, at: usize) {
        if !self.choose_transfer(at) {
            return;
        }
        self.nodes[at].io_begun = true;
        let Some(transfer) = self.nodes[at].io_queue.front().copied() else {
            return;
        };
        let (frame, act) = match transfer {
            Transfer::Out(frame) => (frame, Act::TransferOut(frame)),
            Transfer::In(frame) => (frame, Act::TransferIn(frame)),
        };
        self.watch.begins(at, Part::IoBus, act, self.now_ps);
        // Headers and payload go to different places, one after the other.
        let is_split = matches!(transfer, Transfer::In(_)) && self.machine.nic.header_split;
        let parts = 1 + u64::from(is_split && frame.payload_bytes > 0);
        let (bus, location) = (
            self.machine.bus_of(self.interface),
            self.machine.nic.location,
        );
        let bits = 8 * u64::from(frame.bytes());
        let memory_ps = time_ps(bits, self.machine.memory.bus_bits_per_s);
        let bursts = match bus.burst_bytes {
            0 => parts,
            most => parts - 1 + (bits / 8).div_ceil(most),
        };
        let hold_ps = u64::from(location.holds_memory_bus()) * memory_ps;
        let node = &mut self.nodes[at];
        let took_ps = match location.crosses_io_bus() {
            true => {
                let took_ps = bursts * bus.access_ps + time_ps(bits, bus.bits_per_s);
                node.io_bus_ps += took_ps;
                took_ps
            }
            false => memory_ps,
        };
        node.memory_bus_ps += hold_ps as f64;
        node.io_hold = (hold_ps as f64 / took_ps.max(1) as f64).min(1.0);
        let slot = self.slot(at, Slot::IoBus);
        self.calendar.set(slot, self.now_ps + took_ps);
        self.retime(at);
    }

    pub(super) fn bus_done(&mut self, at: usize) {
        if !self.nodes[at].io_begun {
            return self.begin_transfer(at);
        }
        self.watch.ends(at, Part::IoBus, true, self.now_ps);
        let node = &mut self.nodes[at];
        (node.io_hold, node.io_begun) = (0.0, false);
        let done = node.io_queue.pop_front();
        if let Some(Transfer::Out(frame) | Transfer::In(frame)) = done {
            node.turn_to(frame.flow);
            let interface = self.interface_of(frame);
            self.turn_to_interface(interface);
            let gap_ps = self.machine.interfaces[interface].gap_ps;
            self.nodes[at].ready_ps[interface] = self.now_ps + gap_ps;
        }
        match self.nodes[at].io_queue.is_empty() {
            true => self.retime(at),
            false => self.begin_transfer(at),
        }
        if let (Some(transfer), Some(touches)) = (done, &mut self.nodes[at].touches) {
            touches.transferred(transfer);
        }
        match done {
            Some(Transfer::Out(frame)) => self.is_at_nic(at, frame),
            Some(Transfer::In(frame)) => self.is_in_memory(at, frame),
            None => (),
        }
    }

    pub(super) fn queue_frame(&mut self, at: usize, frame: Frame) {
        self.turn_to_interface(self.interface_of(frame));
        self.nodes[at].link_queue.push_back(frame);
        self.begin_frame(at);
    }

    /// The next frame sets out, if the wire is free and the other end has room.
    pub(super) fn begin_frame(&mut self, at: usize) {
        let slot = self.slot(at, Slot::Link);
        let Some(frame) = self.nodes[at].link_queue.front().copied() else {
            return;
        };
        if self.calendar.is_set(slot) || (self.machine.nic.pause && !self.reserve(1 - at, frame)) {
            return;
        }
        let act = Act::Frame(frame);
        self.watch.begins(at, Part::Link, act, self.now_ps);
        let bytes = Medium::WIRE.occupied_bytes(u64::from(frame.bytes()));
        let took_ps = time_ps(8 * bytes, self.machine.link.bits_per_s);
        self.nodes[at].link_ps += took_ps;
        self.nodes[at].frames_out += 1;
        self.calendar.set(slot, self.now_ps + took_ps);
    }

    pub(super) fn link_done(&mut self, at: usize) {
        self.watch.ends(at, Part::Link, true, self.now_ps);
        let arrival_ps = self.now_ps + self.machine.link.delay_ps;
        if let Some(frame) = self.nodes[at].link_queue.pop_front() {
            let on_wire = &mut self.nodes[1 - at].on_wire;
            on_wire.push_back((arrival_ps, frame));
            if on_wire.len() == 1 {
                let slot = self.slot(1 - at, Slot::Wire);
                self.calendar.set(slot, arrival_ps);
            }
            if frame.is_datagram() {
                self.datagram_left(at, frame);
            }
        }
        self.begin_frame(at);
    }

    pub(super) fn arrive(&mut self, at: usize) {
        let Some((_, frame)) = self.nodes[at].on_wire.pop_front() else {
            return;
        };
        if let Some((next_ps, _)) = self.nodes[at].on_wire.front() {
            let slot = self.slot(at, Slot::Wire);
            self.calendar.set(slot, *next_ps);
        }
        self.mark(Stage::Wire, frame);
        if !self.machine.nic.pause && !self.reserve(at, frame) {
            return self.lose(at, frame, Place::Ring);
        }
        let now_ps = self.now_ps;
        self.nodes[at].ring.enter(now_ps);
        if self.users.is_some() && at == USERS {
            return self.reached(frame);
        }
        self.received(at, frame);
    }

    /// Takes room in the ring, if there is any.
    fn reserve(&mut self, at: usize, frame: Frame) -> bool {
        let has_room = self.nodes[at].ring.has_room(frame.bytes());
        if has_room {
            self.nodes[at].ring.reserve(frame);
            self.watch_ring(at);
        }
        has_room
    }

    /// A frame's room in the ring is free again.
    pub(super) fn leave_ring(&mut self, at: usize, frame: Frame) {
        let now_ps = self.now_ps;
        self.nodes[at].ring.leave(frame, now_ps);
        self.watch_ring(at);
        self.begin_frame(1 - at);
    }

    fn watch_ring(&mut self, at: usize) {
        let used_bytes = self.nodes[at].ring.used_bytes();
        self.watch.changes(at, Gauge::Ring, used_bytes, self.now_ps);
    }
}

fn time_ps(bits: u64, bits_per_s: u64) -> u64 {
    (u128::from(bits) * 1_000_000_000_000 / u128::from(bits_per_s)) as u64
}
