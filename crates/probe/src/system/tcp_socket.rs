//! A TCP socket with the options of a step.

use std::io;
use std::net::IpAddr;

use socket2::{Domain, Protocol, SockRef, Socket, Type};
use weft_plan::Options;

/// A TCP socket of the address's family.
pub fn new_socket(address: IpAddr) -> io::Result<Socket> {
    let domain = if address.is_ipv4() {
        Domain::IPV4
    } else {
        Domain::IPV6
    };
    Socket::new(domain, Type::STREAM, Some(Protocol::TCP))
}

/// Apply a step's options; buffers must be set before a socket connects or listens, or the window is fixed.
pub fn apply(socket: &Socket, options: &Options) -> io::Result<()> {
    socket.set_tcp_nodelay(options.nodelay)?;
    set_buffers(&socket.into(), options)?;
    if let Some(name) = &options.congestion {
        socket
            .set_tcp_congestion(name.as_bytes())
            .map_err(|error| {
                io::Error::new(
                    error.kind(),
                    format!("the kernel refuses congestion control {name:?}: {error}"),
                )
            })?;
    }
    Ok(())
}

/// Ask for a step's buffers, of any sort of socket.
pub fn set_buffers(socket: &SockRef, options: &Options) -> io::Result<()> {
    if let Some(bytes) = options.send_buffer_bytes {
        socket.set_send_buffer_size(bytes as usize)?;
    }
    if let Some(bytes) = options.receive_buffer_bytes {
        socket.set_recv_buffer_size(bytes as usize)?;
    }
    Ok(())
}
