//! What a node is made of.

mod breakdown;
mod cache;
mod check;
mod configuration;
mod costs;
mod footprints;
mod location;
mod memory;
mod placement;
mod read;
mod units;
mod work;

pub use breakdown::{Breakdown, PER_BYTE};
pub use cache::{Cache, Holds, MOST_LEVELS};
pub use check::{ETHERNET_BYTES, HEADER_BYTES};
pub use footprints::Footprints;
pub use location::Location;
pub use memory::{Caches, MeanAccess, Memory, MemoryModel};
pub use placement::{Placement, Task};
pub use work::{Span, Work};

/// A node: its hardware, what its software costs, and who does what.
#[derive(Debug, Clone, PartialEq)]
pub struct Machine {
    /// The file's name for it and the placement's.
    pub name: String,
    pub title: String,
    /// Those of the host first; the network interface's own, if it has one, is the last.
    pub processors: Vec<Processor>,
    pub memory: Memory,
    pub io_bus: IoBus,
    pub nic: Nic,
    pub interrupts: Interrupts,
    pub link: Link,
    pub sockets: Sockets,
    pub costs: Costs,
    /// What of the costs goes to which category, where the description says it.
    pub breakdown: Breakdown,
    pub application: Application,
    pub placement: Placement,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Processor {
    pub name: String,
    pub clock_hz: u64,
    /// Whether it is the network interface's: apart from the host's memory bus and without interrupts.
    pub on_nic: bool,
}

/// The bus between the bridge and the network interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IoBus {
    pub bits_per_s: u64,
    /// To win the bus and begin, for each transfer.
    pub access_ps: u64,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Nic {
    pub location: Location,
    pub ring_bytes: u64,
    pub mtu_bytes: u32,
    /// An interrupt comes with so many frames, or so long after the first.
    pub coalesce_frames: u32,
    pub coalesce_ps: u64,
    /// Large send: the kernel hands over so many bytes at once, which the interface cuts into packets. 0 is none.
    pub large_send_bytes: u32,
    /// Packets that come together are handed up as one, up to so many bytes (Linux: GRO). 0 is never.
    pub merge_bytes: u32,
    /// After an interrupt the driver looks for frames until there are none, with no more interrupts (Linux: NAPI).
    pub poll: bool,
    /// Whether it computes checksums, so that protocol processing does not touch every byte for them.
    pub checksum: bool,
    /// Whether received headers go to small buffers of their own and payloads to whole pages, which sockets take over as
    /// they are (Linux: tcp-data-split of ethtool(8)): two transfers for a frame, and no copy from buffer to buffer.
    pub header_split: bool,
    /// How its own processor reaches its memory: always by the mean. The hit rate is the host's unless it is given.
    pub hit_rate: f64,
    pub hit_ps: u64,
    pub miss_ps: u64,
}

impl Nic {
    /// The mean access time of its own processor.
    pub fn access_ps(&self) -> f64 {
        self.hit_rate * self.hit_ps as f64 + (1.0 - self.hit_rate) * self.miss_ps as f64
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Interrupts {
    /// From the network interface's signal through the interrupt controller to the processor.
    pub delay_ps: u64,
    /// How often the timer interrupts each processor of the host; 0 is never.
    pub timer_hz: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Link {
    pub bits_per_s: u64,
    pub delay_ps: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sockets {
    pub send_bytes: u64,
    pub receive_bytes: u64,
    /// How long an acknowledgement waits for data to go with.
    pub delayed_ack_ps: u64,
    /// What is sent is processed where it is sent, by a system call or in answer to a packet, not where the placement
    /// has protocol and driver (Linux without transmit steering).
    pub send_in_place: bool,
}

/// What software costs in cycles of whoever does it, without what it waits for memory.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Costs {
    /// Accesses to memory for each of these cycles.
    pub accesses_per_cycle: f64,
    /// Entering an interrupt and leaving it.
    pub interrupt: u64,
    /// The driver, for each frame received.
    pub driver: u64,
    /// Each page of 4 KiB of a frame received; of split frames, of their payload.
    pub page: u64,
    /// Each page of what is copied to be sent.
    pub page_out: u64,
    /// Putting a packet to others, where packets are merged.
    pub merge: u64,
    /// The driver, for each frame, or large send, that is sent.
    pub driver_out: u64,
    /// What hands a packet from the driver to the protocol on a processor of the host.
    pub softirq: u64,
    /// TCP and IP, for each segment received, or each that was merged.
    pub protocol: u64,
    /// The same for a packet without payload.
    pub acknowledgement: u64,
    /// TCP and IP, for each segment, or large send, that is sent.
    pub protocol_out: u64,
    /// Besides its bytes, for each copy to and from a socket: at most a segment.
    pub copy_in: u64,
    pub copy_out: u64,
    /// New buffers for the ring, after packets were handed up.
    pub refill: u64,
    /// Making a process ready to run.
    pub wake_up: u64,
    /// Switching to it.
    pub context_switch: u64,
    /// Entering the kernel and leaving it.
    pub system_call: u64,
    /// Accesses of protocol processing for each byte: from buffer to buffer.
    pub protocol_accesses_per_byte: f64,
    /// Accesses of a checksum for each byte.
    pub checksum_accesses_per_byte: f64,
    /// Accesses of a copy for each byte.
    pub copy_accesses_per_byte: f64,
    /// The same from the socket to the reader.
    pub copy_in_accesses_per_byte: f64,
    pub remote: Remote,
}

/// What comes on top where the copy to the reader is on another processor of the host than protocol processing: what one
/// has written moves from its cache to the other's, and both want the socket's lock.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Remote {
    /// In the driver, for each frame received that has payload.
    pub frame: u64,
    /// In protocol processing, for each segment received.
    pub segment: u64,
    /// In the copy, for each of them.
    pub copy: u64,
    /// In the copy, for each byte.
    pub accesses_per_byte: f64,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Application {
    /// What it computes for each byte it receives.
    pub cycles_per_byte: f64,
}
