//! TCP: the options of a connection, and what the kernel made of them.

use std::io;
use std::net::TcpStream;

use serde::Serialize;
use socket2::SockRef;

use crate::system::tcp_socket;

/// Settings as the kernel holds them. Linux doubles the buffer sizes it is asked for.
#[derive(Debug, Serialize)]
pub struct Effective {
    pub send_buffer_bytes: usize,
    pub receive_buffer_bytes: usize,
    pub nodelay: bool,
    pub congestion: String,
    pub mss_bytes: u32,
    /// None where nothing but the path limits it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pacing_bits_per_s: Option<u64>,
    /// How long a receive polls the interface before it sleeps; 0 is not at all.
    pub busy_poll_us: u32,
}

/// Polls for so long where the plan does not say how long; it is what the kernel's documentation recommends.
const BUSY_POLL_NS: u64 = 50_000;

/// Have receives poll the interface for a while before they sleep.
pub fn busy_poll(socket: &SockRef, time_ns: Option<u64>) -> io::Result<()> {
    let time_us = time_ns.unwrap_or(BUSY_POLL_NS).div_ceil(1000);
    socket.set_busy_poll(u32::try_from(time_us).unwrap_or(i32::MAX as u32))
}

/// Read the settings of a connected socket back.
pub fn effective(socket: &TcpStream) -> io::Result<Effective> {
    let socket = SockRef::from(socket);
    let name = socket.tcp_congestion()?;
    Ok(Effective {
        send_buffer_bytes: socket.send_buffer_size()?,
        receive_buffer_bytes: socket.recv_buffer_size()?,
        nodelay: socket.tcp_nodelay()?,
        congestion: String::from_utf8_lossy(&name)
            .trim_end_matches('\0')
            .to_owned(),
        mss_bytes: socket.tcp_mss()?,
        pacing_bits_per_s: tcp_socket::pacing_bits_per_s(&*socket)?,
        // Some kernels do not have it.
        busy_poll_us: socket.busy_poll().unwrap_or(0),
    })
}
