//! What a simulation needs besides the network.

use crate::network::Network;
use weft_plan::named_enum;

/// The parameters of the ends, as in LogGP (A. Alexandrov et al., SPAA 1995): o is `overhead_s`; L and G are the
/// network's; g, the gap between messages, is o.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Parameters {
    /// What a message costs at each of its ends.
    pub overhead_s: f64,
    /// What a connection may have on its way; it then runs no faster than this in a round trip.
    pub window_bytes: Option<u64>,
    /// A receiver acknowledges so many full segments at a time; with 0 nothing is sent back, as if acknowledgements
    /// were free. TCP acknowledges every second segment at least (delayed acknowledgements: RFC 1122, section 4.2.3.2;
    /// RFC 5681, section 4.2); receivers that merge segments before they look at them acknowledge more at a time.
    pub segments_per_ack: u32,
    /// How transfers that meet share what there is.
    pub sharing: Sharing,
    /// How the messages of a program leave their host.
    pub outgoing: Outgoing,
    /// What the barrier before a phase takes; where it is not given, a dissemination barrier of messages of one byte
    /// (D. Hensgen et al., Int. J. of Parallel Programming 17(1), 1988).
    pub barrier_s: Option<f64>,
    /// See `simulate::Settings`.
    pub tolerance: f64,
    /// How many phases are solved at a time. Results do not depend on it.
    pub threads: usize,
}

named_enum! {
    /// How transfers that meet at a limit share it.
    #[derive(Default)]
    pub enum Sharing {
        /// None could have more without another, that has no more, getting less.
        #[default]
        MaxMin = "max-min",
        /// As connections over TCP Reno come to, each frame carried out.
        Reno = "reno",
    }
}

named_enum! {
    /// How messages of a program leave an interface that has several.
    #[derive(Default)]
    pub enum Outgoing {
        /// One behind the other, as in LogGP.
        #[default]
        Queue = "queue",
        /// Those to one node one behind the other, those to several side by side, as connections of TCP do it.
        Connections = "connections",
    }
}

impl Default for Parameters {
    fn default() -> Self {
        Self {
            overhead_s: 10e-6,
            window_bytes: None,
            segments_per_ack: 2,
            sharing: Sharing::MaxMin,
            outgoing: Outgoing::Queue,
            barrier_s: None,
            tolerance: 0.0,
            threads: 1,
        }
    }
}

/// A network with what the simulation needs besides.
#[derive(Debug, Clone, Copy)]
pub struct Simulator<'a> {
    pub network: &'a dyn Network,
    pub parameters: Parameters,
}
