//! From the wire to the application.

use super::datagrams::Place;
use super::job::{Frame, Header, Job};
use super::node::Transfer;
use super::observe::Stage;
use super::observe::{Act, Part, Watch};
use super::pair::{Pair, Slot};
use super::process::{Carrier, Operation};
use crate::machine::Task;
use weft_fabric::ETHERNET_BYTES;
use weft_plan::Grain;

impl<W: Watch> Pair<'_, W> {
    /// A frame is in the network interface.
    pub(super) fn received(&mut self, at: usize, frame: Frame) {
        self.nodes[at].turn_to(frame.flow);
        match self.protocol_is_on_nic() {
            true => self.post(at, self.place(Task::Protocol), Job::ProtocolIn(frame)),
            false => self.queue_transfer(at, Transfer::In(frame)),
        }
    }

    /// A frame, or its payload, is in the host's memory: an interrupt comes now or a little later.
    pub(super) fn is_in_memory(&mut self, at: usize, frame: Frame) {
        self.mark(Stage::BusIn, frame);
        let nic = &self.machine.nic;
        let (most, wait_ps) = (nic.coalesce_frames as usize, nic.coalesce_ps);
        let gathers = self.gathers();
        let node = &mut self.nodes[at];
        node.pending.push_back(frame);
        if node.signalled {
            return;
        }
        let is_enough = match gathers {
            true => !node.io_queue.iter().any(Transfer::is_in),
            false => node.pending.len() >= most,
        };
        let slot = self.slot(at, Slot::Coalescing);
        if is_enough {
            self.signal(at);
        } else if !gathers && !self.calendar.is_set(slot) {
            self.calendar.set(slot, self.now_ps + wait_ps);
            let now_ps = self.now_ps;
            self.watch
                .begins(at, Part::Interface, Act::Coalescing, now_ps);
        }
    }

    pub(super) fn signal(&mut self, at: usize) {
        let now_ps = self.now_ps;
        self.watch.ends(at, Part::Interface, true, now_ps);
        self.watch.begins(at, Part::Interface, Act::Signal, now_ps);
        self.nodes[at].signalled = true;
        if !self.gathers() {
            let slot = self.slot(at, Slot::Coalescing);
            self.calendar.clear(slot);
        }
        let slot = self.slot(at, Slot::Signal);
        // A processor calls another without the I/O interrupt controller.
        let is_called = self.gathers() || !self.machine.nic.location.needs_controller();
        let delay_ps = match is_called {
            true => 0,
            false => self.machine.interrupts.delay_ps,
        };
        let node = &mut self.nodes[at];
        let raised_ps = now_ps.max(node.quiet_until_ps);
        node.quiet_until_ps = raised_ps + self.machine.nic.interrupt_gap_ps;
        self.calendar.set(slot, raised_ps + delay_ps);
    }

    pub(super) fn interrupt(&mut self, at: usize) {
        self.watch.ends(at, Part::Interface, true, self.now_ps);
        for frame in self.nodes[at].pending.clone() {
            self.mark(Stage::Coalescing, frame);
        }
        let processor = self.place(Task::Interrupt);
        self.nodes[at].processors[processor].interrupts += 1;
        self.post(at, processor, Job::Interrupt);
    }

    /// All that has come in the meantime goes to the driver.
    pub(super) fn interrupt_entered(&mut self, at: usize, processor: usize) {
        if self.machine.nic.poll {
            self.interrupted(at);
            self.poll(at, processor);
            return;
        }
        self.nodes[at].signalled = false;
        let driver = self.place(Task::Driver);
        while let Some(frame) = self.nodes[at].pending.pop_front() {
            self.mark(Stage::Interrupt, frame);
            self.nodes[at].turn_to(frame.flow);
            self.hand_over(at, processor, driver, Job::DriverIn(frame));
        }
    }

    /// A message whose last byte is there has waited for the interrupt until now.
    fn interrupted(&mut self, at: usize) {
        for index in 0..self.nodes[at].pending.len() {
            let frame = self.nodes[at].pending[index];
            self.mark(Stage::Interrupt, frame);
        }
    }

    pub(super) fn driver_in_done(&mut self, at: usize, processor: usize, frame: Frame) {
        self.driven(at, frame);
        self.driver_in_over(at, processor, frame);
    }

    /// The driver has taken a frame out of the ring, unless that was done before. Nothing but the ring bounds datagrams
    /// that the interface's own processor hands to the host.
    pub(super) fn driven(&mut self, at: usize, frame: Frame) {
        let is_on_nic = self.protocol_is_on_nic();
        if let (true, Some(datagrams)) = (is_on_nic, &mut self.nodes[at].datagrams) {
            datagrams.handed -= 1;
        }
        if !is_on_nic || frame.is_datagram() {
            self.leave_ring(at, frame);
        }
    }

    /// The packet, or those that were merged, go up.
    pub(super) fn driver_in_over(&mut self, at: usize, processor: usize, frame: Frame) {
        self.mark(Stage::DriverIn, frame);
        if self.protocol_is_on_nic() {
            self.deliver(at, processor, frame);
            return;
        }
        if !self.joins_backlog(at) {
            return self.lose(at, frame, Place::Backlog);
        }
        match self.machine.driver_domain {
            Some(_) => self.post(at, processor, Job::BridgeIn(frame)),
            None => self.bridged_in(at, processor, frame),
        }
    }

    /// A packet is where its protocol processing is, which an event in place of an interrupt tells to a guest.
    pub(super) fn bridged_in(&mut self, at: usize, processor: usize, frame: Frame) {
        let protocol = self.place(Task::Protocol);
        self.hand_over(at, processor, protocol, Job::ProtocolIn(frame));
    }

    pub(super) fn protocol_in_done(&mut self, at: usize, processor: usize, frame: Frame) {
        self.mark(Stage::ProtocolIn, frame);
        let is_on_nic = self.protocol_is_on_nic();
        let has_payload = frame.payload_bytes > 0;
        self.take_header(at, frame);
        if is_on_nic {
            let is_wanted = has_payload || self.writer_can_go_on(at);
            match self.gathers() {
                true => self.gather(at, frame, is_wanted),
                false => self.take_in(at, frame, is_wanted),
            }
        }
        if !is_on_nic {
            self.deliver(at, processor, frame);
            self.post(at, processor, Job::Refill);
        }
        if !frame.is_datagram() {
            self.acknowledge(at, processor, has_payload);
            self.transmit(at, processor);
        }
    }

    /// Whether the interface's own processor hands on what is in its ring at once, with one interrupt.
    fn gathers(&self) -> bool {
        self.machine.nic.by_ring && self.protocol_is_on_nic()
    }

    /// A frame that the interface's processor is done with leaves its ring, for the host if that wants it.
    fn take_in(&mut self, at: usize, frame: Frame, is_wanted: bool) {
        match &mut self.nodes[at].datagrams {
            Some(datagrams) => datagrams.handed += 1,
            None => self.leave_ring(at, frame),
        }
        if is_wanted {
            self.queue_transfer(at, Transfer::In(frame));
        }
    }

    /// It stays in the ring until nothing there is left to do and `coalesce_time` is over, or nothing more fits.
    fn gather(&mut self, at: usize, frame: Frame, is_wanted: bool) {
        let slot = self.slot(at, Slot::Coalescing);
        if self.nodes[at].gathered.is_empty() {
            let wait_ps = self.machine.nic.coalesce_ps;
            self.calendar.set(slot, self.now_ps + wait_ps);
            let now_ps = self.now_ps;
            self.watch
                .begins(at, Part::Interface, Act::Coalescing, now_ps);
        }
        self.nodes[at].gathered.push((frame, is_wanted));
        let largest_bytes = self.machine.nic.mtu_bytes + ETHERNET_BYTES;
        let is_full = !self.nodes[at].ring.has_room(largest_bytes);
        if is_full || !self.calendar.is_set(slot) {
            self.hand_in(at, is_full);
        }
    }

    /// What was gathered goes to the host, if there is nothing left to do in the ring or it `must`.
    fn hand_in(&mut self, at: usize, must: bool) {
        let node = &mut self.nodes[at];
        let handed = node.datagrams.as_ref().map_or(0, |one| one.handed);
        if !must && node.gathered.len() + handed < node.ring.frames() {
            return;
        }
        let gathered = std::mem::take(&mut node.gathered);
        let slot = self.slot(at, Slot::Coalescing);
        self.calendar.clear(slot);
        for (frame, is_wanted) in gathered {
            self.mark(Stage::Coalescing, frame);
            self.take_in(at, frame, is_wanted);
        }
    }

    /// `coalesce_time` is over.
    pub(super) fn waited(&mut self, at: usize) {
        match self.gathers() {
            true => self.hand_in(at, false),
            false => self.signal(at),
        }
    }

    fn take_header(&mut self, at: usize, frame: Frame) {
        let Header::Tcp {
            acknowledged,
            edge,
            ahead,
        } = frame.header
        else {
            return self.leave_backlog(at);
        };
        let connection = &mut self.nodes[at].connection;
        connection.acknowledge(acknowledged, edge, ahead);
        if frame.payload_bytes > 0 {
            connection.receive(frame.first, u64::from(frame.payload_bytes));
        }
        self.watch_window(at);
    }

    /// The payload is where the process can have it, and what was acknowledged may make room for more.
    fn deliver(&mut self, at: usize, processor: usize, frame: Frame) {
        if frame.is_datagram() {
            return self.deliver_datagram(at, processor, frame);
        }
        let node = &mut self.nodes[at];
        if frame.payload_bytes > 0 {
            let bytes = u64::from(frame.payload_bytes);
            node.connection.deliver(frame.first, bytes);
        }
        let is_reading = matches!(node.process.operation(), Operation::Read(_));
        let can_read = is_reading && frame.payload_bytes > 0 && node.process.sleeps;
        if can_read || self.writer_can_go_on(at) {
            self.wake(at, processor);
        }
    }

    /// The process need not sleep any more.
    pub(super) fn wake(&mut self, at: usize, processor: usize) {
        self.nodes[at].process.sleeps = false;
        match self.copies_elsewhere() {
            true => self.go_on(at, processor),
            // A library asks again and again instead of sleeping.
            false if self.polls() => {
                self.post(at, self.place(Task::Application), Job::SystemCall);
            }
            false => self.post(at, processor, Job::WakeUp),
        }
    }

    fn writer_can_go_on(&self, at: usize) -> bool {
        let node = &self.nodes[at];
        let left = node.process.left_bytes;
        let is_writing = matches!(node.process.operation(), Operation::Write(_));
        is_writing && node.process.sleeps && node.connection.writable(left) > 0
    }

    /// The processor that woke the process hands it over to where it goes on.
    pub(super) fn woken(&mut self, at: usize, processor: usize) {
        self.hand_over(at, processor, self.place(Task::Application), Job::Switch);
    }

    /// The process runs: it copies, or the copy that it slept for is done.
    pub(super) fn switched(&mut self, at: usize, processor: usize) {
        let node = &self.nodes[at];
        if let Operation::Read(_) = node.process.operation() {
            if node.datagrams.is_some() || node.process.ends_read(node.connection.delivered()) {
                self.end_stage(Stage::WakeUp);
            }
        }
        match self.copies_elsewhere() {
            true => self.returned(at, processor),
            false => self.go_on(at, processor),
        }
    }

    pub(super) fn copied_in(&mut self, at: usize, processor: usize, bytes: u64) {
        let node = &mut self.nodes[at];
        node.consume(bytes);
        node.process.left_bytes -= bytes;
        node.process.got_bytes += bytes;
        let left = node.process.left_bytes;
        if node.datagrams.is_none() && node.connection.owes_window() {
            self.send_acknowledgement(at, processor);
        }
        match left {
            0 => {
                self.end_stage(Stage::CopyIn);
                self.leave(at, processor);
            }
            _ => self.go_on(at, processor),
        }
    }

    /// All is copied. A process that another processor copied for is woken on its own one.
    pub(super) fn leave(&mut self, at: usize, processor: usize) {
        match self.copies_elsewhere() {
            true => self.hand_over(at, processor, self.place(Task::Application), Job::WakeUp),
            false => self.returned(at, processor),
        }
    }

    fn polls(&self) -> bool {
        matches!(self.exchange.carrier, Carrier::Mpi(_))
    }

    fn computes(&self, at: usize) -> bool {
        let process = &self.nodes[at].process;
        let is_read = matches!(process.operation(), Operation::Read(_));
        let is_there = self.exchange.compute == Grain::Read || process.left_bytes == 0;
        is_read && is_there && self.machine.application.cycles_per_byte > 0.0
    }

    fn returned(&mut self, at: usize, processor: usize) {
        match self.computes(at) {
            true => self.post(at, processor, Job::Compute),
            false => self.computed(at, processor),
        }
    }

    /// The application goes on to the next operation, once it has the whole of this one.
    pub(super) fn computed(&mut self, at: usize, processor: usize) {
        self.nodes[at].process.got_bytes = 0;
        if self.nodes[at].process.left_bytes == 0 {
            if self.nodes[at].process.receives() {
                self.end_stage(Stage::Application);
                self.read[at] += 1;
                let now_ps = self.now_ps;
                self.nodes[at].flows.note_end(now_ps);
                self.datagram_read(at);
            } else {
                self.sending.ended_ps = self.now_ps;
            }
            self.nodes[at].process.next();
        }
        if self.nodes[at].process.is_over() {
            return;
        }
        self.begin_operation(at, processor);
    }
}
