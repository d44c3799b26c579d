//! From a system call to the wire.

use super::job::{Frame, Header, Job};
use super::node::Transfer;
use super::observe::Stage;
use super::observe::{Gauge, Watch};
use super::pair::{Pair, Slot};
use super::process::Operation;
use crate::machine::Task;

impl<W: Watch> Pair<'_, W> {
    /// Where a task is done for what `processor` sends.
    fn place_out(&self, task: Task, processor: usize) -> usize {
        let place = self.place(task);
        match self.machine.sockets.send_in_place && !self.machine.processors[place].on_nic {
            true => processor,
            false => place,
        }
    }

    pub(super) fn protocol_is_on_nic(&self) -> bool {
        self.machine.processors[self.place(Task::Protocol)].on_nic
    }

    /// The process calls the system where it is.
    pub(super) fn begin_operation(&mut self, at: usize, processor: usize) {
        if self.holds_back(at) {
            return;
        }
        let job = match self.nodes[at].process.operation() {
            Operation::Work { cycles, bytes } => Job::Library { cycles, bytes },
            _ => Job::SystemCall,
        };
        self.post(at, processor, job);
    }

    /// The process is in the kernel; the processor that copies goes on.
    pub(super) fn called(&mut self, at: usize, processor: usize) {
        if let Operation::Write(_) = self.nodes[at].process.operation() {
            self.end_stage(Stage::SystemCall);
        }
        self.go_on(at, processor);
    }

    /// Whether another processor copies for the application, which sleeps meanwhile.
    pub(super) fn copies_elsewhere(&self) -> bool {
        self.place(Task::Copy) != self.place(Task::Application)
    }

    /// Has what can be copied now copied, or sleeps.
    pub(super) fn go_on(&mut self, at: usize, processor: usize) {
        let copier = self.place(Task::Copy);
        let node = &self.nodes[at];
        let left = node.process.left_bytes;
        let job = match node.process.operation() {
            Operation::Write(_) => Job::CopyOut(node.writable(left) as u32),
            Operation::Read(_) => Job::CopyIn(node.available(left) as u32),
            Operation::Work { .. } => return,
        };
        match job {
            Job::CopyOut(0) => {
                self.nodes[at].process.sleeps = true;
                self.transmit(at, processor);
            }
            // A read gives back what there is; the process reads on until it has the message.
            Job::CopyIn(0) if self.nodes[at].process.got_bytes > 0 => {
                self.leave(at, processor);
            }
            Job::CopyIn(0) => self.nodes[at].process.sleeps = true,
            job => self.hand_over(at, processor, copier, job),
        }
    }

    pub(super) fn copied_out(&mut self, at: usize, processor: usize, bytes: u64) {
        let node = &mut self.nodes[at];
        node.write(bytes);
        node.process.left_bytes -= bytes;
        if node.process.left_bytes == 0 {
            self.end_stage(Stage::CopyOut);
        }
        self.transmit(at, processor);
        match self.nodes[at].process.left_bytes {
            0 => self.leave(at, processor),
            _ => self.go_on(at, processor),
        }
    }

    /// Sends the segments that may go.
    pub(super) fn transmit(&mut self, at: usize, processor: usize) {
        if self.nodes[at].datagrams.is_some() {
            return self.transmit_datagram(at, processor);
        }
        if let Some((first, bytes)) = self.nodes[at].connection.lost_segment() {
            self.send(at, processor, first, bytes as u32, false);
        }
        let push = self.nodes[at].process.pushes();
        while let Some(bytes) = self.nodes[at].connection.next_segment(push) {
            let node = &self.nodes[at];
            let sent = node.connection.sent();
            let is_last = node.process.ends_written(sent);
            self.send(at, processor, sent - bytes, bytes as u32, is_last);
        }
    }

    pub(super) fn send_acknowledgement(&mut self, at: usize, processor: usize) {
        let sent = self.nodes[at].connection.sent();
        self.send(at, processor, sent, 0, false);
    }

    fn send(&mut self, at: usize, processor: usize, first: u64, payload_bytes: u32, is_last: bool) {
        let header = self.nodes[at].connection.header();
        if !self.nodes[at].flows.are_many() {
            let slot = self.slot(at, Slot::Acknowledgement);
            self.calendar.clear(slot);
        }
        self.watch_window(at);
        self.send_frame(at, processor, first, payload_bytes, header, is_last);
    }

    pub(super) fn send_frame(
        &mut self,
        at: usize,
        processor: usize,
        first: u64,
        payload_bytes: u32,
        header: Header,
        is_last: bool,
    ) {
        let node = &mut self.nodes[at];
        node.frames_made = node.frames_made.wrapping_add(1);
        let frame = Frame {
            number: node.frames_made,
            flow: node.flows.current(),
            first,
            payload_bytes,
            header,
            is_last,
        };
        let is_from_nic = self.machine.processors[processor].on_nic;
        match self.protocol_is_on_nic() && !is_from_nic && payload_bytes > 0 {
            true => self.hand_over(
                at,
                processor,
                self.place(Task::Driver),
                Job::DriverOut(frame),
            ),
            false => {
                let protocol = self.place_out(Task::Protocol, processor);
                self.hand_over(at, processor, protocol, Job::ProtocolOut(frame));
            }
        }
    }

    pub(super) fn watch_window(&mut self, at: usize) {
        let connection = &self.nodes[at].connection;
        let (in_flight, window) = (connection.in_flight(), connection.window());
        self.watch
            .changes(at, Gauge::InFlight, in_flight, self.now_ps);
        self.watch.changes(at, Gauge::Window, window, self.now_ps);
    }

    pub(super) fn protocol_out_done(&mut self, at: usize, processor: usize, frame: Frame) {
        self.mark(Stage::ProtocolOut, frame);
        match self.protocol_is_on_nic() {
            true => self.queue_packets(at, frame),
            false => {
                let driver = self.place_out(Task::Driver, processor);
                let job = match self.machine.driver_domain {
                    Some(_) => Job::BridgeOut(frame),
                    None => Job::DriverOut(frame),
                };
                self.hand_over(at, processor, driver, job);
            }
        }
    }

    pub(super) fn bridged_out(&mut self, at: usize, processor: usize, frame: Frame) {
        self.post(at, processor, Job::DriverOut(frame));
    }

    pub(super) fn driver_out_done(&mut self, at: usize, frame: Frame) {
        self.mark(Stage::DriverOut, frame);
        self.queue_transfer(at, Transfer::Out(frame));
    }

    /// A frame, or what will be one, has crossed the I/O bus.
    pub(super) fn is_at_nic(&mut self, at: usize, frame: Frame) {
        self.mark(Stage::BusOut, frame);
        match self.protocol_is_on_nic() {
            true => self.post(at, self.place(Task::Protocol), Job::ProtocolOut(frame)),
            false => self.queue_packets(at, frame),
        }
    }

    /// A large send becomes packets, of which the last one ends the message; each says the same about what was received.
    fn queue_packets(&mut self, at: usize, frame: Frame) {
        if frame.is_datagram() {
            return self.queue_frame(at, frame);
        }
        let packet_bytes = self.nodes[at].connection.packet_bytes as u32;
        let mut left_bytes = frame.payload_bytes;
        while left_bytes > packet_bytes {
            let packet = Frame {
                first: frame.end() - u64::from(left_bytes),
                payload_bytes: packet_bytes,
                is_last: false,
                ..frame
            };
            left_bytes -= packet_bytes;
            self.queue_frame(at, packet);
        }
        let last = Frame {
            first: frame.end() - u64::from(left_bytes),
            payload_bytes: left_bytes,
            ..frame
        };
        self.queue_frame(at, last);
    }
}
