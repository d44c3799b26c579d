//! What carries the messages of a step.

use serde::{Deserialize, Serialize};

use crate::pattern::Pattern;

/// What carries the messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Transport {
    Tcp,
    /// Datagrams, of which some may be lost.
    Udp,
    /// A Unix stream socket, inside one node.
    Unix,
    /// Rings in memory that two processes of one node share.
    Shm,
    /// The user's MPI, between two ranks.
    Mpi,
    /// No network at all: what remains is the overhead of the timed loop itself.
    Null,
}

/// The transports by their names in a plan.
pub(crate) const TRANSPORTS: [(&str, Transport); 6] = [
    ("tcp", Transport::Tcp),
    ("udp", Transport::Udp),
    ("unix", Transport::Unix),
    ("shm", Transport::Shm),
    ("mpi", Transport::Mpi),
    ("null", Transport::Null),
];

/// What a UDP datagram over IPv4 holds: 65,535 bytes less the headers of IP and UDP.
const MOST_DATAGRAM_BYTES: u64 = 65_507;
/// The number of a streamed datagram, that of its batch, and when it was sent.
const STREAM_HEADER_BYTES: u64 = 16;

impl Transport {
    /// Its name in a plan.
    pub fn name(self) -> &'static str {
        let found = TRANSPORTS.iter().find(|(_, one)| *one == self);
        found.expect("every transport has a name").0
    }

    /// Whether it can carry messages of these sizes; if not, which key is wrong and what would be right.
    pub(crate) fn suits(
        self,
        pattern: &Pattern,
        sizes: &[u64],
    ) -> Result<(), (&'static str, String)> {
        if self != Self::Udp {
            return Ok(());
        }
        let least = match pattern {
            Pattern::Stream { .. } => STREAM_HEADER_BYTES,
            _ => 1,
        };
        let sizes_fit = |size: &u64| (least..=MOST_DATAGRAM_BYTES).contains(size);
        match sizes.iter().find(|size| !sizes_fit(size)) {
            Some(size) => Err((
                "sizes",
                format!(
                    "a {} message over UDP is one datagram of {least} to {MOST_DATAGRAM_BYTES} bytes, \
                     there is one of {size}",
                    pattern.name()
                ),
            )),
            None => Ok(()),
        }
    }
}
