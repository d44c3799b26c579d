//! The ports that data may come in on.

use std::fmt;
use std::io;
use std::net::{IpAddr, SocketAddr};

use serde::Deserialize;
use socket2::Socket;

/// From the first to the last, both included, so that a firewall can be opened for exactly these.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
pub struct PortRange(pub u16, pub u16);

impl fmt::Display for PortRange {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.0 == self.1 {
            true => write!(f, "{}", self.0),
            false => write!(f, "{}-{}", self.0, self.1),
        }
    }
}

/// A socket of `make` that listens on the first free port of the range, or without one wherever the kernel likes.
///
/// Each port needs a socket of its own: the kernel may let two be bound and refuse the second when it listens.
pub fn listen(
    address: IpAddr,
    range: Option<PortRange>,
    backlog: i32,
    make: impl Fn() -> io::Result<Socket>,
) -> io::Result<Socket> {
    let ports = range.unwrap_or(PortRange(0, 0));
    for port in ports.0..=ports.1 {
        let socket = make()?;
        // What ended on this port a moment ago does not keep it.
        socket.set_reuse_address(range.is_some())?;
        let to = SocketAddr::new(address, port);
        match socket
            .bind(&to.into())
            .and_then(|()| socket.listen(backlog))
        {
            Ok(()) => return Ok(socket),
            Err(error) if error.kind() == io::ErrorKind::AddrInUse && range.is_some() => {}
            Err(error) => {
                let place = range.map_or_else(|| address.to_string(), |_| to.to_string());
                let message = format!("cannot listen on {place}: {error}");
                return Err(io::Error::new(error.kind(), message));
            }
        }
    }
    Err(io::Error::new(
        io::ErrorKind::AddrInUse,
        format!("no port of {ports} is free on {address}"),
    ))
}

/// The port that a socket is bound to.
pub fn port(socket: &Socket) -> io::Result<u16> {
    let address = socket.local_addr()?.as_socket();
    Ok(address
        .expect("an internet socket has an internet address")
        .port())
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;
    use crate::system::tcp_socket;

    const HERE: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

    fn listen_in(range: PortRange) -> io::Result<Socket> {
        listen(HERE, Some(range), 1, || tcp_socket::new_socket(HERE))
    }

    #[test]
    fn a_range_is_used_up_port_by_port_and_then_named() {
        // Two ports in a row that are free: found by asking for them.
        let (range, first) = (30_000..40_000)
            .step_by(7)
            .map(|port| PortRange(port, port + 1))
            .find_map(|range| Some((range, listen_in(range).ok()?)))
            .expect("some port is free");
        let second = listen_in(range);
        let ports: Vec<u16> = [Some(&first), second.as_ref().ok()]
            .into_iter()
            .flatten()
            .map(|socket| super::port(socket).unwrap())
            .collect();
        assert!(ports.iter().all(|port| (range.0..=range.1).contains(port)));
        let refused = listen_in(range).unwrap_err().to_string();
        assert_eq!(refused, format!("no port of {range} is free on 127.0.0.1"));
        let single = PortRange(range.0, range.0);
        let refused = listen_in(single).unwrap_err().to_string();
        assert_eq!(
            refused,
            format!("no port of {} is free on 127.0.0.1", range.0)
        );
    }

    #[test]
    fn without_a_range_the_kernel_chooses() {
        let socket = listen(HERE, None, 1, || tcp_socket::new_socket(HERE)).unwrap();
        assert!(super::port(&socket).unwrap() > 0);
    }
}
