//! What processors do.

use crate::machine::{Span, Task};
use weft_fabric::{ETHERNET_BYTES, IP_AND_TCP_BYTES};

/// IPv4's header, and UDP's behind it in a datagram's first fragment (RFC 791, 768).
pub const IP_BYTES: u32 = 20;
pub const UDP_BYTES: u32 = 8;

/// A frame, with what its header says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frame {
    /// Of those that its node made.
    pub number: u32,
    /// Which of the node's connections it belongs to.
    pub flow: u32,
    /// Where its payload begins in the connection's stream.
    pub first: u64,
    pub payload_bytes: u32,
    pub header: Header,
    /// Whether it has the last byte of a message.
    pub is_last: bool,
}

/// What a frame says besides its payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Header {
    Tcp {
        /// Everything before this byte has arrived.
        acknowledged: u64,
        /// Everything before this byte may be sent.
        edge: u64,
        /// Segments that arrived behind a gap (RFC 2018: what selective acknowledgements tell).
        ahead: u32,
    },
    /// Which fragment of which datagram it is, both counted from 0.
    Udp { datagram: u64, fragment: u32 },
}

impl Frame {
    /// With its headers, as buses, rings and pages have it.
    pub fn bytes(self) -> u32 {
        let headers = match self.header {
            Header::Tcp { .. } => IP_AND_TCP_BYTES,
            Header::Udp { fragment: 0, .. } => IP_BYTES + UDP_BYTES,
            Header::Udp { .. } => IP_BYTES,
        };
        self.payload_bytes + headers + ETHERNET_BYTES
    }

    /// Where the payload behind it begins.
    pub fn end(self) -> u64 {
        self.first + u64::from(self.payload_bytes)
    }

    pub fn is_datagram(self) -> bool {
        matches!(self.header, Header::Udp { .. })
    }
}

/// What is done when a processor has worked long enough.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Job {
    /// Another processor, or the timer, wanted attention.
    Call,
    /// The network interface did.
    Interrupt,
    DriverIn(Frame),
    /// The same without an interrupt for it: the driver looks for more itself.
    Poll(Frame),
    DriverOut(Frame),
    /// Between a driver domain's interfaces and a guest's: the bridge, and the page that changes hands.
    BridgeIn(Frame),
    BridgeOut(Frame),
    ProtocolIn(Frame),
    ProtocolOut(Frame),
    Refill,
    /// The process is made ready; it goes on where its placement says.
    WakeUp,
    /// The process goes on here.
    Switch,
    SystemCall,
    CopyOut(u32),
    CopyIn(u32),
    /// A library between the process and the socket, with the bytes that it copies.
    Library {
        cycles: u32,
        bytes: u64,
    },
    Compute,
}

/// Priority: a lower level preempts a higher one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    Interrupt,
    Softirq,
    Process,
}

pub const LEVELS: usize = 3;

impl Job {
    pub fn level(self) -> Level {
        match self {
            Self::Call | Self::Interrupt | Self::DriverIn(_) => Level::Interrupt,
            Self::Poll(_)
            | Self::DriverOut(_)
            | Self::BridgeIn(_)
            | Self::BridgeOut(_)
            | Self::ProtocolIn(_)
            | Self::ProtocolOut(_)
            | Self::Refill
            | Self::WakeUp => Level::Softirq,
            Self::Switch
            | Self::SystemCall
            | Self::CopyOut(_)
            | Self::CopyIn(_)
            | Self::Library { .. }
            | Self::Compute => Level::Process,
        }
    }

    /// Whether it hands a frame to an interface, or takes it from there.
    pub fn is_of_interface(self) -> bool {
        matches!(self, Self::DriverIn(_) | Self::Poll(_) | Self::DriverOut(_))
    }

    pub fn task(self) -> Task {
        match self {
            Self::Call | Self::Interrupt => Task::Interrupt,
            Self::DriverIn(_)
            | Self::Poll(_)
            | Self::DriverOut(_)
            | Self::BridgeIn(_)
            | Self::BridgeOut(_)
            | Self::Refill => Task::Driver,
            Self::ProtocolIn(_) | Self::ProtocolOut(_) => Task::Protocol,
            Self::CopyOut(_) | Self::CopyIn(_) => Task::Copy,
            Self::WakeUp
            | Self::Switch
            | Self::SystemCall
            | Self::Library { .. }
            | Self::Compute => Task::Application,
        }
    }
}

/// A job that has begun or waits.
#[derive(Debug, Clone, Copy)]
pub struct Piece {
    pub job: Job,
    /// For which of the node's connections.
    pub flow: u32,
    /// For which of its interfaces, where it is for one.
    pub interface: usize,
    /// The remaining work, counted as if it ran alone.
    pub left_ps: f64,
    /// Accesses to the host's memory in a picosecond of that.
    pub density: f64,
}

impl Piece {
    pub fn new(job: Job, (flow, interface): (u32, usize), span: Span) -> Self {
        let density = match span.isolated_ps > 0.0 {
            true => span.host_accesses / span.isolated_ps,
            false => 0.0,
        };
        Self {
            job,
            flow,
            interface,
            left_ps: span.isolated_ps,
            density,
        }
    }
}
