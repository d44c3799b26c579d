//! What a node is made of.

use super::costs::Breakdown;
use super::costs::Costs;
use super::location::Location;
use super::memory::Memory;
use super::mpi::Libraries;
use super::placement::Placement;
use super::processor::Processor;

/// A node: its hardware, what its software costs, and which processor does what.
#[derive(Debug, Clone, PartialEq)]
pub struct Machine {
    /// The file's name for it and the placement's.
    pub name: String,
    pub title: String,
    /// Those of the host first; the network interface's own, if it has one, is the last.
    pub processors: Vec<Processor>,
    pub memory: Memory,
    pub io_bus: IoBus,
    pub io_buses: Buses,
    /// At least one; all are as `nic` and `link` say.
    pub interfaces: Vec<Interface>,
    pub nic: Nic,
    pub interrupts: Interrupts,
    pub link: Link,
    pub sockets: Sockets,
    pub costs: Costs,
    /// What of the costs goes to which category, where the description says it.
    pub breakdown: Breakdown,
    /// Between the interfaces and processes, which are in guests then.
    pub driver_domain: Option<DriverDomain>,
    pub application: Application,
    pub mpi: Libraries,
    pub placement: Placement,
}

/// The bus between the bridge and the network interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IoBus {
    pub bits_per_s: u64,
    /// To win the bus and begin, for each burst.
    pub access_ps: u64,
    /// A transfer wins the bus again after so many bytes. 0 is never: a transfer is one burst.
    pub burst_bytes: u64,
}

/// One of several interfaces that are alike but for this.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Interface {
    pub name: String,
    /// 0 is `io_bus`; those of `io_buses` follow in the order of their names.
    pub bus: usize,
    /// How long after a transfer it asks for the bus again: descriptors, and what the chip does itself.
    pub gap_ps: u64,
    /// The processor that its interrupts go to (Linux: smp_affinity), where it is not the placement's.
    pub interrupt: Option<usize>,
}

/// The virtual machine that has the interfaces (Xen: domain 0, or a driver domain): it is where the placement has
/// interrupts and the driver. Guests' packets cross its bridge, and an event wakes either side as an interrupt does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DriverDomain {
    /// Cycles for each packet, in the driver domain and once more in the guest, whose interface also has a driver: the
    /// bridge, and a page that is given away on one side and taken in on the other.
    pub packet: u64,
}

/// Buses by name besides `io_bus`.
pub type Buses = Vec<(String, IoBus)>;

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Nic {
    pub location: Location,
    pub ring_bytes: u64,
    /// Whether a full ring pauses the other end (IEEE 802.3, annex 31B); else what finds no room is lost.
    pub pause: bool,
    pub mtu_bytes: u32,
    /// An interrupt comes with so many frames, or so long after the first.
    pub coalesce_frames: u32,
    pub coalesce_ps: u64,
    /// The least time from one interrupt to the next (Intel e1000: InterruptThrottleRate); 0 is none.
    pub interrupt_gap_ps: u64,
    /// Its own processor raises interrupts itself: one for all that is in its ring, instead of those of `coalesce_frames`.
    pub by_ring: bool,
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
    /// How its own processor reaches its memory: always by the mean, the host's unless it is given.
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
    /// So many large sends a window has room for at least (Linux: net.ipv4.tcp_tso_win_divisor).
    pub large_sends: u32,
    /// How long an acknowledgement waits for data to go with.
    pub delayed_ack_ps: u64,
    /// Frames that may wait between driver and protocol processing (Linux: net.core.netdev_max_backlog).
    pub backlog_frames: u32,
    /// What is sent is processed where it is sent, by a system call or in answer to a packet, not where the placement
    /// has protocol and driver (Linux without transmit steering).
    pub send_in_place: bool,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Application {
    /// What it computes for each byte it receives.
    pub cycles_per_byte: f64,
}
