//! The state of one node.

use std::collections::VecDeque;
use std::mem::swap;

use super::connection::Connection;
use super::datagrams::Datagrams;
use super::flows::Flows;
use super::job::Frame;
use super::process::{Exchange, Process};
use super::processor::Processor;
use super::touch::Touches;
use crate::machine::Machine;
use weft_fabric::IP_AND_TCP_BYTES;

/// What crosses the I/O bus.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transfer {
    Out(Frame),
    In(Frame),
}

impl Transfer {
    pub fn is_in(&self) -> bool {
        matches!(self, Self::In(_))
    }
}

#[derive(Debug, Clone)]
pub struct Node {
    pub processors: Vec<Processor>,
    /// Of the connection that something happens to now.
    pub process: Process,
    pub connection: Connection,
    /// Where messages are datagrams, which the connection then has no part in.
    pub datagrams: Option<Datagrams>,
    pub flows: Flows,
    pub io_queue: VecDeque<Transfer>,
    /// What of the memory bus the transfer under way holds.
    pub io_hold: f64,
    /// Those that nothing happens to now, as with connections: of the current one what was there before all.
    pub interfaces: Vec<Interface>,
    pub buses: Vec<Bus>,
    /// A transfer is under way.
    pub io_begun: bool,
    /// By interface: when it may have the bus again.
    pub ready_ps: Vec<u64>,
    /// Frames that wait for the wire, the first of which may be on it.
    pub link_queue: VecDeque<Frame>,
    pub on_wire: VecDeque<(u64, Frame)>,
    pub ring: Ring,
    /// Frames whose interrupt has not come yet.
    pub pending: VecDeque<Frame>,
    /// Frames that the interface's own processor is done with, still in its ring, and whether the host wants them.
    pub gathered: Vec<(Frame, bool)>,
    /// Packets that are handed up as one, as far as they have come.
    pub merged: Option<Frame>,
    /// An interrupt is on its way, or the driver looks for frames itself.
    pub signalled: bool,
    /// Before it no interrupt is raised.
    pub quiet_until_ps: u64,
    pub io_bus_ps: u64,
    pub memory_bus_ps: f64,
    pub link_ps: u64,
    pub frames_out: u64,
    pub frames_made: u32,
    /// Where caches remember what was touched.
    pub touches: Option<Touches>,
}

impl Node {
    pub fn new(machine: &Machine, exchange: Exchange, begins: bool) -> Self {
        let segment_bytes = u64::from(machine.nic.mtu_bytes - IP_AND_TCP_BYTES);
        let sockets = machine.sockets;
        Self {
            processors: vec![Processor::default(); machine.processors.len()],
            process: Process::new(exchange, begins),
            connection: Connection::new(
                segment_bytes,
                sockets.send_bytes,
                sockets.receive_bytes,
                !exchange.nodelay,
            )
            .with_large_send(u64::from(machine.nic.large_send_bytes), sockets.large_sends),
            datagrams: Datagrams::new(machine, exchange),
            flows: Flows::default(),
            io_queue: VecDeque::new(),
            io_hold: 0.0,
            interfaces: vec![
                Interface::new(Ring::new(machine.nic.ring_bytes));
                machine.interfaces.len()
            ],
            io_begun: false,
            ready_ps: vec![0; machine.interfaces.len()],
            buses: vec![Bus::default(); 1 + machine.io_buses.len()],
            link_queue: VecDeque::new(),
            on_wire: VecDeque::new(),
            ring: Ring::new(machine.nic.ring_bytes),
            pending: VecDeque::new(),
            gathered: Vec::new(),
            merged: None,
            signalled: false,
            quiet_until_ps: 0,
            io_bus_ps: 0,
            memory_bus_ps: 0.0,
            link_ps: 0,
            frames_out: 0,
            frames_made: 0,
            touches: Touches::new(machine, exchange),
        }
    }
}

/// Where received frames lie until the driver, or the network interface's protocol processing, took them out.
#[derive(Debug, Clone)]
pub struct Ring {
    size_bytes: u64,
    used_bytes: u64,
    /// When each frame came, in order.
    since_ps: VecDeque<u64>,
    changed_ps: u64,
    pub left: u64,
    pub stay_ps: u64,
    pub area_ps: u64,
}

impl Ring {
    pub fn new(size_bytes: u64) -> Self {
        Self {
            size_bytes,
            used_bytes: 0,
            since_ps: VecDeque::new(),
            changed_ps: 0,
            left: 0,
            stay_ps: 0,
            area_ps: 0,
        }
    }

    /// Whether there is room for a frame of so many bytes.
    pub fn has_room(&self, bytes: u32) -> bool {
        self.used_bytes + u64::from(bytes) <= self.size_bytes
    }

    /// How many are in it.
    pub fn frames(&self) -> usize {
        self.since_ps.len()
    }

    pub fn used_bytes(&self) -> u64 {
        self.used_bytes
    }

    /// Room is taken when the frame sets out, where the other end pauses until there is some, else when it arrives.
    pub fn reserve(&mut self, frame: Frame) {
        self.used_bytes += u64::from(frame.bytes());
    }

    pub fn enter(&mut self, now_ps: u64) {
        self.change(now_ps);
        self.since_ps.push_back(now_ps);
    }

    pub fn leave(&mut self, frame: Frame, now_ps: u64) {
        self.change(now_ps);
        self.used_bytes -= u64::from(frame.bytes());
        self.left += 1;
        if let Some(since_ps) = self.since_ps.pop_front() {
            self.stay_ps += now_ps - since_ps;
        }
    }

    fn change(&mut self, now_ps: u64) {
        self.area_ps += self.since_ps.len() as u64 * (now_ps - self.changed_ps);
        self.changed_ps = now_ps;
    }
}

impl Node {
    /// How much of `left` bytes the writer may copy now.
    pub fn writable(&self, left: u64) -> u64 {
        match &self.datagrams {
            Some(datagrams) => datagrams.writable(left),
            None => self.connection.writable(left),
        }
    }

    /// How much of `left` bytes the reader may copy now.
    pub fn available(&self, left: u64) -> u64 {
        match &self.datagrams {
            Some(datagrams) => datagrams.available(left),
            None => self.connection.available(left),
        }
    }

    pub fn write(&mut self, bytes: u64) {
        match &mut self.datagrams {
            Some(datagrams) => datagrams.write(bytes),
            None => self.connection.write(bytes),
        }
    }

    pub fn consume(&mut self, bytes: u64) {
        match &mut self.datagrams {
            Some(datagrams) => datagrams.consume(),
            None => self.connection.consume(bytes),
        }
    }

    /// Of the stream of payload: what was sent, and what of it the socket need not keep.
    pub fn sent_bytes(&self) -> (u64, u64) {
        match &self.datagrams {
            Some(datagrams) => (datagrams.sent_bytes(), datagrams.left_bytes()),
            None => (self.connection.sent(), self.connection.acknowledged()),
        }
    }

    /// Gives the node so many connections like the one it has.
    pub fn multiply(&mut self, flows: u32) {
        let one = (self.connection.clone(), self.process.clone());
        self.flows.resting = vec![one; flows as usize];
    }

    /// Gives the node a connection like the one it has for each of these processes.
    pub fn carry(&mut self, processes: Vec<Process>) {
        self.process = processes[0].clone();
        self.flows.ends_ps = vec![Vec::new(); processes.len()];
        let each = processes.into_iter();
        self.flows.resting = each.map(|one| (self.connection.clone(), one)).collect();
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

/// What an interface has of its own while something happens to another.
#[derive(Debug, Clone)]
pub struct Interface {
    link_queue: VecDeque<Frame>,
    on_wire: VecDeque<(u64, Frame)>,
    ring: Ring,
    pending: VecDeque<Frame>,
    gathered: Vec<(Frame, bool)>,
    merged: Option<Frame>,
    signalled: bool,
    quiet_until_ps: u64,
}

impl Interface {
    pub fn new(ring: Ring) -> Self {
        Self {
            link_queue: VecDeque::new(),
            on_wire: VecDeque::new(),
            ring,
            pending: VecDeque::new(),
            gathered: Vec::new(),
            merged: None,
            signalled: false,
            quiet_until_ps: 0,
        }
    }
}

/// A bus that nothing happens to now: what waits for it, and what of the memory bus it holds.
#[derive(Debug, Clone, Default)]
pub struct Bus {
    queue: VecDeque<Transfer>,
    pub hold: f64,
    begun: bool,
}

impl Node {
    pub fn swap_interface(&mut self, at: usize) {
        let other = &mut self.interfaces[at];
        swap(&mut other.link_queue, &mut self.link_queue);
        swap(&mut other.on_wire, &mut self.on_wire);
        swap(&mut other.ring, &mut self.ring);
        swap(&mut other.pending, &mut self.pending);
        swap(&mut other.gathered, &mut self.gathered);
        swap(&mut other.merged, &mut self.merged);
        swap(&mut other.signalled, &mut self.signalled);
        swap(&mut other.quiet_until_ps, &mut self.quiet_until_ps);
    }

    pub fn swap_bus(&mut self, at: usize) {
        let other = &mut self.buses[at];
        swap(&mut other.queue, &mut self.io_queue);
        swap(&mut other.hold, &mut self.io_hold);
        swap(&mut other.begun, &mut self.io_begun);
    }
}
