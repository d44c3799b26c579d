//! A TCP socket with the options of a step.

use std::io;
use std::net::IpAddr;
use std::os::fd::AsRawFd;

use socket2::{Domain, Protocol, SockRef, Socket, Type};
use weft_plan::Options;

use super::socket_option;

const PACING_RATE: (i32, i32) = (libc::SOL_SOCKET, libc::SO_MAX_PACING_RATE);

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
    if let Some(bytes) = options.mss_bytes {
        socket.set_tcp_mss(bytes as u32)?;
    }
    if let Some(bits_per_s) = options.pacing_bits_per_s {
        let (level, name) = PACING_RATE;
        socket_option::set(socket, level, name, bits_per_s.div_ceil(8))?;
    }
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

/// The most that the kernel sends over a socket, in bits per second; none where nothing limits it.
pub fn pacing_bits_per_s(socket: &impl AsRawFd) -> io::Result<Option<u64>> {
    let (level, name) = PACING_RATE;
    let bytes_per_s: u64 = socket_option::get(socket, level, name)?;
    Ok((bytes_per_s != u64::MAX).then(|| bytes_per_s.saturating_mul(8)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pace_is_read_back_and_an_unlimited_one_is_none() {
        let socket = new_socket("127.0.0.1".parse().expect("an address")).expect("a socket");
        assert_eq!(pacing_bits_per_s(&socket).expect("a pace"), None);
        let options = Options {
            pacing_bits_per_s: Some(80_000_000),
            ..Options::default()
        };
        apply(&socket, &options).expect("a pace can be set");
        assert_eq!(
            pacing_bits_per_s(&socket).expect("a pace"),
            Some(80_000_000)
        );
    }
}
