//! What TCP says of a connection on which nothing moves: whether full segments vanish where small packets pass.

use std::fmt;
use std::io;
use std::net::TcpStream;
use std::time::Duration;

use rustix::net::sockopt;
use serde::Serialize;

/// One end of a connection, at the latest look at it.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Stall {
    /// The payload of a full segment.
    pub segment_bytes: u32,
    /// Segments that were sent and not acknowledged.
    pub unacknowledged: u32,
    /// How often in a row the oldest of them was sent again.
    pub resends: u32,
    /// Since the peer's kernel last acknowledged anything, a keepalive probe included.
    pub unanswered_ms: u32,
}

impl Stall {
    pub fn of(info: &libc::tcp_info) -> Stall {
        Stall {
            segment_bytes: info.tcpi_snd_mss,
            unacknowledged: info.tcpi_unacked,
            resends: info.tcpi_retransmits.into(),
            unanswered_ms: info.tcpi_last_ack_recv,
        }
    }
}

/// Have the kernel ask the peer's once a second, in packets without payload, whether it is there.
pub fn probe(socket: &TcpStream, is_on: bool) {
    let second = Duration::from_secs(1);
    let _ = sockopt::set_tcp_keepidle(socket, second);
    let _ = sockopt::set_tcp_keepintvl(socket, second);
    let _ = sockopt::set_socket_keepalive(socket, is_on);
}

/// A failure of a connection that had stalled.
#[derive(Debug)]
struct Stalled {
    error: io::Error,
    stall: Stall,
}

impl fmt::Display for Stalled {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(out)
    }
}

impl std::error::Error for Stalled {}

/// The same failure, with what is known of the stall.
pub fn with_stall(error: io::Error, stall: Option<Stall>) -> io::Error {
    match stall {
        Some(stall) => io::Error::new(error.kind(), Stalled { error, stall }),
        None => error,
    }
}

/// What is known of the stall before a failure.
pub fn stall_of(error: &io::Error) -> Option<Stall> {
    let stalled = error.get_ref()?.downcast_ref::<Stalled>()?;
    Some(stalled.stall)
}
