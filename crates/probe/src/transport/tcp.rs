//! TCP: the options of a connection, and what the kernel made of them.

use std::io;
use std::mem::size_of_val;
use std::net::TcpStream;
use std::os::fd::AsRawFd;

use serde::Serialize;
use socket2::SockRef;

/// Settings as the kernel holds them. Linux doubles the buffer sizes it is asked for.
#[derive(Debug, Serialize)]
pub struct Effective {
    pub send_buffer_bytes: usize,
    pub receive_buffer_bytes: usize,
    pub nodelay: bool,
    pub congestion: String,
    pub mss_bytes: u32,
    /// How long a receive polls the interface before it sleeps; 0 is not at all.
    pub busy_poll_us: libc::c_int,
}

/// Polls for so long where the plan does not say how long; it is what the kernel's documentation recommends.
const BUSY_POLL_NS: u64 = 50_000;

/// Have receives poll the interface for a while before they sleep.
pub fn busy_poll(socket: &impl AsRawFd, time_ns: Option<u64>) -> io::Result<()> {
    let time_us = time_ns.unwrap_or(BUSY_POLL_NS).div_ceil(1000);
    let time_us = libc::c_int::try_from(time_us).unwrap_or(libc::c_int::MAX);
    // SAFETY: the pointer and length describe `time_us`.
    let outcome = unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_BUSY_POLL,
            (&raw const time_us).cast(),
            size_of_val(&time_us) as libc::socklen_t,
        )
    };
    match outcome {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// What is in force of it; 0 where the kernel does not know it.
fn busy_poll_us(socket: &TcpStream) -> libc::c_int {
    let mut time_us: libc::c_int = 0;
    let mut length = size_of_val(&time_us) as libc::socklen_t;
    // SAFETY: the pointer and length describe `time_us`, which stays as it is where the call fails.
    unsafe {
        libc::getsockopt(
            socket.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_BUSY_POLL,
            (&raw mut time_us).cast(),
            &raw mut length,
        );
    }
    time_us
}

/// Read the settings of a connected socket back.
pub fn effective(socket: &TcpStream) -> io::Result<Effective> {
    let busy_poll_us = busy_poll_us(socket);
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
        busy_poll_us,
    })
}
