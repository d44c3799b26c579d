//! What jobs and transfers touch where caches remember it.
//!
//! A job touches all at once when it is taken up, so that of jobs that wait the caches see the order in which they came.

use std::collections::VecDeque;

use super::buffers::{Extent, Slab, SocketBuffer};
use super::layout::{FIRST_PAGE, HEADERS_BYTES, Layout, Routine};
use super::walk::Walker;
use crate::caches::{Cost, Count};
use crate::engine::costs::remote;
use crate::engine::job::{Frame, Job};
use crate::engine::process::{Carrier, Exchange};
use crate::machine::{Costs, Footprints, Machine, Span, Task};

/// Where a process and its connection stand when a job is taken up.
#[derive(Debug, Clone, Copy)]
pub struct Standing {
    /// Which of the node's connections it is.
    pub flow: u32,
    /// What of its message the process has copied.
    pub copied: u64,
    /// What of the stream was sent, with the frame of the job.
    pub sent: u64,
    pub acknowledged: u64,
}

/// The bytes of one connection's socket, on their way out and in.
#[derive(Debug, Clone, Default)]
pub struct Socket {
    pub out: SocketBuffer,
    pub inward: SocketBuffer,
    pub consumed: u64,
}

/// What the driver gives to the network interface.
#[derive(Debug, Clone, Copy)]
pub enum Outgoing {
    /// A frame that protocol processing of the host made: notes, headers, payload.
    Frame(Extent),
    /// Bytes of a stream, which the interface's own processor makes a frame of.
    Stream { flow: u32, first: u64, bytes: u64 },
}

/// Frames so far, by what has had them.
#[derive(Debug, Clone, Copy, Default)]
pub struct Had {
    /// The I/O bus, on the way in.
    pub crossed: u64,
    pub driven: u64,
    pub refilled: u64,
    pub driven_out: u64,
}

/// A node's memory.
#[derive(Debug, Clone)]
pub struct Touches {
    pub walker: Walker,
    pub layout: Layout,
    pub kept: Footprints,
    pub costs: Costs,
    pub checksum_per_byte: f64,
    protocol_in_per_byte: f64,
    pub is_on_nic: bool,
    /// Whether received payloads have pages of their own.
    pub splits: bool,
    pub slab: Slab,
    pub pages: Slab,
    /// By connection.
    pub sockets: Vec<Socket>,
    pub outgoing: VecDeque<Outgoing>,
    /// How many of those the driver has had.
    pub driven: usize,
    pub had: Had,
    /// Received frames that protocol processing has not had: their numbers, and where their payloads are.
    pub waiting: VecDeque<(u64, Extent)>,
    remote_accesses_per_byte: f64,
}

impl Touches {
    /// Nothing where memory is described by its mean access time.
    pub fn new(machine: &Machine, exchange: Exchange) -> Option<Self> {
        let caches = machine.memory.caches()?;
        let longest_bytes = caches.all.iter().map(|one| one.line_bytes).max()?;
        let message_bytes = exchange.message_bytes.max(exchange.answer_bytes);
        let library_bytes = match exchange.carrier {
            Carrier::Mpi(library) => message_bytes.min(library.eager_bytes),
            _ => 0,
        };
        let message_bytes = message_bytes + exchange.carrier.header_bytes();
        let kept = &caches.footprints;
        let layout = Layout::new(machine, kept, longest_bytes, message_bytes, library_bytes);
        let protocol = machine.placement.of(Task::Protocol);
        Some(Self {
            walker: Walker::new(machine, caches),
            slab: Slab::new(layout.heap),
            pages: Slab::new(FIRST_PAGE),
            layout,
            kept: caches.footprints,
            costs: machine.costs,
            checksum_per_byte: machine.checksum_accesses_per_byte(),
            protocol_in_per_byte: machine.in_accesses_per_byte(),
            is_on_nic: machine.processors[protocol].on_nic,
            splits: machine.nic.header_split,
            sockets: vec![Socket::default()],
            outgoing: VecDeque::new(),
            driven: 0,
            had: Had::default(),
            waiting: VecDeque::new(),
            remote_accesses_per_byte: remote(machine, &machine.costs).accesses_per_byte,
        })
    }

    pub fn counts(&self) -> &[Count] {
        self.walker.hierarchy.counts()
    }

    /// What a job takes a processor of the host that would take `alone` without memory.
    pub fn span(&mut self, job: Job, processor: usize, isolated: Span, at: Standing) -> Span {
        let mut cost = match Routine::of(job) {
            Some(routine) => {
                let accesses = (isolated.host_accesses - self.accesses_of_bytes(job)).max(0.0);
                self.run(job, routine, processor, accesses, at)
            }
            None => Cost::default(),
        };
        cost += match job {
            Job::CopyOut(bytes) => self.copy_out(processor, u64::from(bytes), at),
            Job::CopyIn(bytes) => self.copy_in(processor, u64::from(bytes), at),
            Job::Library { bytes, .. } => self.copy_by_library(processor, bytes),
            Job::ProtocolOut(frame) => self.make_frame(processor, frame, at),
            Job::ProtocolIn(frame) => self.take_frame(processor, frame),
            _ => Cost::default(),
        };
        Span {
            isolated_ps: isolated.isolated_ps + cost.stall_ps as f64,
            host_accesses: cost.crossings as f64,
        }
    }

    /// What of a job's accesses are not code's, but loops over bytes of messages.
    fn accesses_of_bytes(&self, job: Job) -> f64 {
        let costs = &self.costs;
        match job {
            Job::ProtocolIn(frame) => f64::from(frame.payload_bytes) * self.protocol_in_per_byte,
            Job::ProtocolOut(frame) => {
                let each = costs.protocol_accesses_per_byte + self.checksum_per_byte;
                f64::from(frame.payload_bytes) * each
            }
            Job::CopyOut(bytes) => f64::from(bytes) * costs.copy_accesses_per_byte,
            Job::CopyIn(bytes) => f64::from(bytes) * self.copy_in_accesses_per_byte(),
            _ => 0.0,
        }
    }

    pub fn copy_in_accesses_per_byte(&self) -> f64 {
        self.costs.copy_in_accesses_per_byte + self.remote_accesses_per_byte
    }

    /// Runs through a routine's code once, and uses what it keeps.
    fn run(
        &mut self,
        job: Job,
        routine: Routine,
        processor: usize,
        accesses: f64,
        at: Standing,
    ) -> Cost {
        let mut cost = self.walker.fetch(processor, self.layout.code(routine));
        let [one, two, three] = self.kept_by(job, routine, at);
        let places = [self.layout.stack(processor), one, two, three];
        let reads = (accesses * self.kept.reads).round() as u64;
        let writes = (accesses.round() as u64).saturating_sub(reads);
        let cycles = 1.0 / self.costs.accesses_per_cycle.max(f64::MIN_POSITIVE);
        cost += self
            .walker
            .work_on(processor, &places, reads, writes, cycles);
        cost
    }

    /// What a routine keeps besides its stack; what is not there is empty.
    fn kept_by(&mut self, job: Job, routine: Routine, at: Standing) -> [Extent; 3] {
        let nothing = Extent::default();
        match (routine, job) {
            (Routine::DriverIn, _) => {
                let number = next(&mut self.had.driven);
                let notes = self.notes(self.layout.slot(number));
                [self.layout.driver, self.layout.descriptor_in(number), notes]
            }
            (Routine::DriverOut, Job::DriverOut(frame)) => {
                let number = next(&mut self.had.driven_out);
                let notes = self.drive_out(frame, at);
                [
                    self.layout.driver,
                    self.layout.descriptor_out(number),
                    notes,
                ]
            }
            (Routine::ProtocolIn, _) => {
                let number = self.waiting.front().map_or(0, |(number, _)| *number);
                let address = self.layout.slot(number);
                let bytes = self.kept.packet_bytes + HEADERS_BYTES;
                [self.layout.socket, Extent { address, bytes }, nothing]
            }
            (Routine::ProtocolOut, Job::ProtocolOut(frame)) => {
                let address = self.new_frame(frame);
                let bytes = self.kept.packet_bytes + HEADERS_BYTES;
                [self.layout.socket, Extent { address, bytes }, nothing]
            }
            (Routine::Refill, _) => {
                let number = next(&mut self.had.refilled);
                [
                    self.layout.driver,
                    self.layout.descriptor_in(number),
                    nothing,
                ]
            }
            (Routine::Interrupt, _) => [self.layout.interrupt, nothing, nothing],
            (Routine::WakeUp | Routine::Switch, _) => [self.layout.process, nothing, nothing],
            (Routine::SystemCall, _) => [self.layout.process, self.layout.socket, nothing],
            _ => [nothing; 3],
        }
    }

    fn notes(&self, address: u64) -> Extent {
        Extent {
            address,
            bytes: self.kept.packet_bytes,
        }
    }

    /// The notes about the frame that the driver sends next.
    fn drive_out(&mut self, frame: Frame, at: Standing) -> Extent {
        let bytes = u64::from(frame.payload_bytes);
        if self.is_on_nic {
            let first = at.sent - bytes;
            let flow = frame.flow;
            self.outgoing
                .push_back(Outgoing::Stream { flow, first, bytes });
        }
        let driven = self.outgoing.get(self.driven).copied();
        self.driven += 1;
        match driven {
            Some(Outgoing::Frame(extent)) => self.notes(extent.address),
            _ => Extent::default(),
        }
    }

    fn new_frame(&mut self, frame: Frame) -> u64 {
        let bytes = self.kept.packet_bytes + HEADERS_BYTES + u64::from(frame.payload_bytes);
        let address = self.slab.take(bytes);
        self.outgoing
            .push_back(Outgoing::Frame(Extent { address, bytes }));
        address
    }
}

/// Counts one more, and gives back its number.
pub fn next(count: &mut u64) -> u64 {
    *count += 1;
    *count - 1
}
