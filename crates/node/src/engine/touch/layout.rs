//! Where code and what it keeps lie in a node's memory: one after the other, from the first address on.

use super::buffers::Extent;
use crate::engine::job::Job;
use crate::machine::{Costs, Footprints, Machine};
use weft_fabric::{ETHERNET_BYTES, IP_AND_TCP_BYTES};

/// What runs, by the code that it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Routine {
    Interrupt,
    DriverIn,
    DriverOut,
    ProtocolIn,
    ProtocolOut,
    Refill,
    WakeUp,
    Switch,
    SystemCall,
    Copy,
}

impl Routine {
    const ALL: [Self; 10] = [
        Self::Interrupt,
        Self::DriverIn,
        Self::DriverOut,
        Self::ProtocolIn,
        Self::ProtocolOut,
        Self::Refill,
        Self::WakeUp,
        Self::Switch,
        Self::SystemCall,
        Self::Copy,
    ];

    /// What a job runs; the application's own work touches nothing of the kernel's.
    pub fn of(job: Job) -> Option<Self> {
        Some(match job {
            Job::Call | Job::Interrupt => Self::Interrupt,
            Job::DriverIn(_) | Job::Poll(_) | Job::BridgeIn(_) => Self::DriverIn,
            Job::DriverOut(_) | Job::BridgeOut(_) => Self::DriverOut,
            Job::ProtocolIn(_) => Self::ProtocolIn,
            Job::ProtocolOut(_) => Self::ProtocolOut,
            Job::Refill => Self::Refill,
            Job::WakeUp => Self::WakeUp,
            Job::Switch => Self::Switch,
            Job::SystemCall => Self::SystemCall,
            Job::CopyOut(_) | Job::CopyIn(_) => Self::Copy,
            Job::Library { .. } | Job::Compute => return None,
        })
    }

    /// How many cycles its code takes once through; what comes on top for pages or copies is taken to loop in it.
    fn cycles(self, costs: &Costs) -> f64 {
        match self {
            Self::Interrupt => costs.interrupt,
            Self::DriverIn => costs.driver,
            Self::DriverOut => costs.driver_out,
            Self::ProtocolIn => costs.protocol + costs.softirq,
            Self::ProtocolOut => costs.protocol_out,
            Self::Refill => costs.refill,
            Self::WakeUp => costs.wake_up,
            Self::Switch => costs.context_switch,
            Self::SystemCall => costs.system_call,
            Self::Copy => costs.copy_in.max(costs.copy_out),
        }
    }
}

/// Where everything lies that does not come and go.
#[derive(Debug, Clone)]
pub struct Layout {
    /// By routine.
    code: [Extent; Routine::ALL.len()],
    /// By processor.
    stacks: Vec<Extent>,
    pub interrupt: Extent,
    pub driver: Extent,
    pub socket: Extent,
    pub process: Extent,
    descriptors_in: Extent,
    descriptors_out: Extent,
    descriptor_bytes: u64,
    /// Where received frames lie, each in its slot behind the kernel's notes about it; of split ones, the headers.
    slots: Extent,
    slot_bytes: u64,
    /// The process's own memory for a message, and its library's.
    pub user: Extent,
    pub library: Extent,
    /// Where memory begins that is taken and given back.
    pub heap: u64,
}

const FIRST: u64 = 1 << 20;
/// The kernel's caches and processes begin at pages.
pub const PAGE_BYTES: u64 = 4096;
/// Where pages for received payloads begin: far behind the rest of memory.
pub const FIRST_PAGE: u64 = 1 << 40;

/// Hands out one region after the other.
struct Frontier(u64);

impl Frontier {
    fn take(&mut self, bytes: u64, align: u64) -> Extent {
        let address = self.0.next_multiple_of(align);
        self.0 = address + bytes;
        Extent { address, bytes }
    }
}

impl Layout {
    /// `line_bytes` is what regions are aligned to; a message has at most `message_bytes`.
    pub fn new(
        machine: &Machine,
        kept: &Footprints,
        line_bytes: u64,
        message_bytes: u64,
        library_bytes: u64,
    ) -> Self {
        let mut frontier = Frontier(FIRST);
        let mut take = |bytes| frontier.take(bytes, line_bytes);
        let code = Routine::ALL.map(|routine| {
            let cycles = routine.cycles(&machine.costs);
            take((cycles * kept.instruction_bytes).ceil() as u64)
        });
        let stacks = machine.processors.iter().map(|_| take(kept.stack_bytes));
        let stacks = stacks.collect();
        let frame_bytes = u64::from(machine.nic.mtu_bytes + ETHERNET_BYTES);
        let held_bytes = match machine.nic.header_split {
            true => HEADERS_BYTES,
            false => frame_bytes,
        };
        let slot_bytes = (kept.packet_bytes + held_bytes).next_multiple_of(line_bytes);
        let slots = (machine.nic.ring_bytes / frame_bytes).max(1);
        let [interrupt, driver, socket, process] = [
            kept.interrupt_bytes,
            kept.driver_bytes,
            kept.socket_bytes,
            kept.process_bytes,
        ]
        .map(&mut take);
        let descriptors_in = take(slots * kept.descriptor_bytes);
        let descriptors_out = take(slots * kept.descriptor_bytes);
        let slots = frontier.take(slots * slot_bytes, PAGE_BYTES);
        let user = frontier.take(message_bytes, PAGE_BYTES);
        let library = frontier.take(library_bytes, PAGE_BYTES);
        Self {
            code,
            stacks,
            interrupt,
            driver,
            socket,
            process,
            descriptors_in,
            descriptors_out,
            descriptor_bytes: kept.descriptor_bytes,
            slots,
            slot_bytes,
            user,
            library,
            heap: frontier.take(0, PAGE_BYTES).address,
        }
    }

    pub fn code(&self, routine: Routine) -> Extent {
        self.code[routine as usize]
    }

    pub fn stack(&self, processor: usize) -> Extent {
        self.stacks[processor]
    }

    /// The place of the received frame of this number: notes, then headers and, unless it was split, payload.
    pub fn slot(&self, number: u64) -> u64 {
        self.slots.address + number % (self.slots.bytes / self.slot_bytes) * self.slot_bytes
    }

    pub fn descriptor_in(&self, number: u64) -> Extent {
        self.descriptor(self.descriptors_in, number)
    }

    pub fn descriptor_out(&self, number: u64) -> Extent {
        self.descriptor(self.descriptors_out, number)
    }

    fn descriptor(&self, ring: Extent, number: u64) -> Extent {
        let bytes = self.descriptor_bytes;
        let address = ring.address + number % (ring.bytes / bytes) * bytes;
        Extent { address, bytes }
    }
}

/// What a frame has in front of its payload.
pub const HEADERS_BYTES: u64 = (IP_AND_TCP_BYTES + ETHERNET_BYTES) as u64;
