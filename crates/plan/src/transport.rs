//! What carries the messages of a step.

use std::ops::RangeInclusive;

use crate::pattern::Pattern;

json_enum! {
    /// What carries the messages.
    pub enum Transport {
        Tcp = "tcp",
        /// TCP, the receiver polling its interface for a while (SO_BUSY_POLL).
        TcpBusyPoll = "tcp-busy-poll",
        /// TCP that sends from the message's own memory (MSG_ZEROCOPY).
        TcpZerocopy = "tcp-zerocopy",
        /// TCP through io_uring.
        TcpUring = "tcp-uring",
        /// Several TCP connections that share every message.
        TcpStriped = "tcp-striped",
        /// Multipath TCP.
        Mptcp = "mptcp",
        /// Datagrams, of which some may be lost.
        Udp = "udp",
        /// A Unix stream socket, inside one node.
        Unix = "unix",
        /// Rings in memory that two processes of one node share.
        Shm = "shm",
        /// The user's MPI, between two ranks.
        Mpi = "mpi",
        /// ICMP echo, which the peer's kernel answers.
        Icmp = "icmp",
        /// No network at all: what remains is the overhead of the timed loop itself.
        Null = "null",
    }
}

/// What a UDP datagram over IPv4 holds: 65,535 bytes less the headers of IP and UDP.
const MOST_DATAGRAM_BYTES: u64 = 65_507;
/// The number of a streamed datagram, that of its batch, and when it was sent.
const STREAM_HEADER_BYTES: u64 = 16;

impl Transport {
    /// Whether it is TCP underneath, with its options.
    pub(crate) fn is_tcp(self) -> bool {
        matches!(
            self,
            Self::Tcp
                | Self::TcpBusyPoll
                | Self::TcpZerocopy
                | Self::TcpUring
                | Self::TcpStriped
                | Self::Mptcp
        )
    }

    /// How long a message can be.
    pub(crate) fn message_bytes(self, pattern: &Pattern) -> RangeInclusive<u64> {
        match (self, pattern) {
            (Self::Udp, Pattern::Stream { .. }) => STREAM_HEADER_BYTES..=MOST_DATAGRAM_BYTES,
            (Self::Udp | Self::Icmp, _) => 1..=MOST_DATAGRAM_BYTES,
            _ => 1..=u64::MAX,
        }
    }

    /// Whether segments and pace of its connections can be set.
    pub(crate) fn has_segments(self) -> bool {
        // Of Multipath TCP the kernel sets them for one path only.
        self.is_tcp() && self != Self::Mptcp
    }

    /// Whether its connections are sockets with buffers.
    pub(crate) fn has_buffers(self) -> bool {
        self.is_tcp() || matches!(self, Self::Udp | Self::Unix)
    }

    /// Whether every byte can be written before it is sent, and looked at when it has arrived.
    pub(crate) fn is_verifiable(self) -> bool {
        // What is sent without copying may still be on its way when the next message is written.
        (self.is_tcp() && self != Self::TcpZerocopy) || matches!(self, Self::Unix | Self::Shm)
    }

    /// Whether one process can send and receive at the same time over it.
    fn goes_both_ways(self) -> bool {
        matches!(
            self,
            Self::Tcp | Self::TcpBusyPoll | Self::TcpStriped | Self::Mptcp | Self::Unix | Self::Shm
        )
    }

    /// Whether it carries the transfers of a pattern other than a pair's, which all carry.
    pub(crate) fn carries(self, pattern: &Pattern) -> bool {
        match self {
            Self::Tcp => true,
            Self::Mpi => !matches!(pattern, Pattern::Cast(_) | Pattern::Traffic(_)),
            _ => pattern.is_pair(),
        }
    }

    /// Whether the pattern and these sizes can go over it; if not, which key is wrong and what would be right.
    pub(crate) fn suits(
        self,
        pattern: &Pattern,
        sizes: &[u64],
    ) -> Result<(), (&'static str, String)> {
        let streams = matches!(pattern, Pattern::Stream { .. });
        if matches!(pattern, Pattern::MultiPair(_)) && self != Self::Tcp {
            let right = "several pairs take what carries them from `interfaces`; remove it here";
            return Err(("transport", right.to_owned()));
        }
        if matches!(pattern, Pattern::Exchange { .. }) && !self.goes_both_ways() {
            let both = Self::ALL.into_iter().filter(|one| one.goes_both_ways());
            let names: Vec<_> = both.map(Self::name).collect();
            return Err((
                "transport",
                format!("both ways at once goes over {}", names.join(", ")),
            ));
        }
        match self {
            Self::Icmp if streams => Err((
                "transport",
                "\"icmp\" is for pattern = \"pingpong\": every echo is answered".to_owned(),
            )),
            Self::Udp | Self::Icmp => fit(sizes, &self.message_bytes(pattern)),
            _ => Ok(()),
        }
    }
}

/// Whether all messages are datagrams that can be.
fn fit(sizes: &[u64], possible: &RangeInclusive<u64>) -> Result<(), (&'static str, String)> {
    match sizes.iter().find(|size| !possible.contains(size)) {
        Some(size) => Err((
            "sizes",
            format!(
                "a message here is one datagram of {} to {MOST_DATAGRAM_BYTES} bytes, there is one of {size}; \
                 for example sizes = [\"64 B\", \"1472 B\"], as in the plan udp",
                possible.start()
            ),
        )),
        None => Ok(()),
    }
}
