//! Why a peer's listener does not answer: asked only when a connection has failed, since it takes up to a second.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::time::{Duration, Instant};

use rustix::event::PollFlags;
use rustix::io::Errno;
use socket2::Socket;

use crate::system::poll::poll;
use crate::system::tcp_socket::new_socket;

const POLL_FOR: Duration = Duration::from_millis(50);
const WITHIN: Duration = Duration::from_millis(700);
/// A host that lets any of these through, or refuses one, is there: ssh, echo, http, https, and one that is not in use.
const OTHER_PORTS: [u16; 5] = [22, 7, 80, 443, 33_434];

/// The error of a failed connection to a port on which an agent listens, with what it means.
pub fn explain(error: io::Error, from: IpAddr, to: SocketAddr) -> io::Error {
    match meaning(&error, from, to) {
        None => error,
        Some(meaning) => io::Error::new(
            error.kind(),
            format!("no connection from {from} to {to}: {meaning}"),
        ),
    }
}

/// What a failed connection to a port on which an agent listens means, where it means anything.
pub fn meaning(error: &io::Error, from: IpAddr, to: SocketAddr) -> Option<String> {
    Some(match error.kind() {
        io::ErrorKind::ConnectionRefused => {
            format!(
                "the agent listens there, so a firewall rejects port {}",
                to.port()
            )
        }
        io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock if answers(from, to.ip()) => {
            format!(
                "the host answers on other ports, so a firewall drops port {}",
                to.port()
            )
        }
        io::ErrorKind::TimedOut
        | io::ErrorKind::WouldBlock
        | io::ErrorKind::HostUnreachable
        | io::ErrorKind::NetworkUnreachable => {
            "the data network is down there, or a firewall drops everything".to_owned()
        }
        _ => return None,
    })
}

/// What it means that a connection came about and nothing was said over it.
pub fn no_answer(to: SocketAddr) -> String {
    format!(
        "{to} accepts connections but does not answer: its agent is stopped, or gets no processor time"
    )
}

/// Whether anything at an address says anything.
fn answers(from: IpAddr, to: IpAddr) -> bool {
    let sockets: Vec<Socket> = OTHER_PORTS
        .iter()
        .filter_map(|port| attempt(from, SocketAddr::new(to, *port)).ok())
        .collect();
    let deadline = Instant::now() + WITHIN;
    while Instant::now() < deadline {
        if wait_for_any(&sockets) && sockets.iter().any(has_answered) {
            return true;
        }
    }
    false
}

fn attempt(from: IpAddr, to: SocketAddr) -> io::Result<Socket> {
    let socket = new_socket(from)?;
    socket.set_nonblocking(true)?;
    socket.bind(&SocketAddr::new(from, 0).into())?;
    match socket.connect(&to.into()) {
        Err(error) if error.raw_os_error() != Some(Errno::INPROGRESS.raw_os_error()) => Err(error),
        _ => Ok(socket),
    }
}

fn wait_for_any(sockets: &[Socket]) -> bool {
    let watched = sockets.iter().map(|socket| (socket, PollFlags::OUT));
    poll(watched, Some(POLL_FOR)).unwrap_or(false)
}

/// A connection and a refusal both come from a host that is there.
fn has_answered(socket: &Socket) -> bool {
    match socket.take_error() {
        Ok(None) => socket.peer_addr().is_ok(),
        Ok(Some(error)) => error.kind() == io::ErrorKind::ConnectionRefused,
        Err(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    const HERE: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

    #[test]
    fn a_refusal_at_an_open_port_is_a_firewall() {
        let refused = io::Error::from(io::ErrorKind::ConnectionRefused);
        let said = explain(refused, HERE, SocketAddr::new(HERE, 5000)).to_string();
        assert_eq!(
            said,
            "no connection from 127.0.0.1 to 127.0.0.1:5000: the agent listens there, so a firewall rejects port 5000"
        );
    }

    #[test]
    fn a_host_that_answers_elsewhere_drops_the_port() {
        let late = io::Error::from(io::ErrorKind::TimedOut);
        let said = explain(late, HERE, SocketAddr::new(HERE, 5000)).to_string();
        assert!(said.ends_with("so a firewall drops port 5000"), "{said}");
    }

    #[test]
    fn other_failures_are_left_as_they_are() {
        let full = io::Error::other("full");
        assert_eq!(
            explain(full, HERE, SocketAddr::new(HERE, 1)).to_string(),
            "full"
        );
    }
}
