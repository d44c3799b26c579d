//! TCP: the options of a connection, and what the kernel made of them.

use std::io;
use std::net::TcpStream;

use serde::Serialize;
use socket2::{SockRef, Socket};
use weft_plan::Options;

/// Apply a step's options; buffers must be set before a socket connects or listens, or the window is fixed.
pub fn apply(socket: &Socket, options: &Options) -> io::Result<()> {
    socket.set_tcp_nodelay(options.nodelay)?;
    if let Some(bytes) = options.send_buffer_bytes {
        socket.set_send_buffer_size(bytes as usize)?;
    }
    if let Some(bytes) = options.receive_buffer_bytes {
        socket.set_recv_buffer_size(bytes as usize)?;
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

/// Settings as the kernel holds them. Linux doubles the buffer sizes it is asked for.
#[derive(Debug, Serialize)]
pub struct Effective {
    pub send_buffer_bytes: usize,
    pub receive_buffer_bytes: usize,
    pub nodelay: bool,
    pub congestion: String,
    pub mss_bytes: u32,
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
    })
}
