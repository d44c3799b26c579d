//! TCP: the channel, its options, and what the kernel made of them.
//!
//! Sends and receives go straight to the kernel (rustix): the C library's are cancellation points, which costs a
//! process with threads two atomic operations a call.

use std::io;
use std::marker::PhantomData;
use std::net::TcpStream;
use std::os::fd::{AsFd, BorrowedFd};

use rustix::io::{Errno, retry_on_intr};
use rustix::net::{RecvFlags, SendFlags, recv, send};
use serde::Serialize;
use socket2::{SockRef, Socket};
use weft_plan::Options;

use crate::channel::Channel;
use crate::clock::now_ns;

/// How long a spinning receiver tries before it sleeps.
const SPIN_NS: u64 = 100_000;
/// Tries between two looks at the clock while spinning.
const TRIES_PER_LOOK: u32 = 64;

/// How the end of a connection waits for data.
pub trait Wait {
    fn recv(fd: BorrowedFd, bytes: &mut [u8]) -> Result<usize, Errno>;
}

/// Sleep in the kernel until data is there.
pub struct Block;

/// Ask again and again for a while, which spares the wake-up, then sleep.
pub struct Spin;

impl Wait for Block {
    #[inline]
    fn recv(fd: BorrowedFd, bytes: &mut [u8]) -> Result<usize, Errno> {
        receive(fd, bytes, RecvFlags::WAITALL)
    }
}

impl Wait for Spin {
    #[inline]
    fn recv(fd: BorrowedFd, bytes: &mut [u8]) -> Result<usize, Errno> {
        let mut deadline_ns = None;
        loop {
            for _ in 0..TRIES_PER_LOOK {
                match receive(fd, bytes, RecvFlags::DONTWAIT) {
                    Err(Errno::AGAIN) => std::hint::spin_loop(),
                    other => return other,
                }
            }
            let now = now_ns();
            if now > *deadline_ns.get_or_insert(now + SPIN_NS) {
                return receive(fd, bytes, RecvFlags::empty());
            }
        }
    }
}

/// A connected TCP socket as a channel.
pub struct TcpChannel<W> {
    socket: TcpStream,
    wait: PhantomData<W>,
}

impl<W: Wait> TcpChannel<W> {
    /// Use a connected socket, which from now on waits without a limit: a watchdog must look after it.
    pub fn new(socket: TcpStream) -> io::Result<Self> {
        socket.set_read_timeout(None)?;
        Ok(TcpChannel {
            socket,
            wait: PhantomData,
        })
    }
}

impl<W: Wait> Channel for TcpChannel<W> {
    #[inline]
    fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        let mut sent = 0;
        while sent < bytes.len() {
            let rest = &bytes[sent..];
            sent += retry_on_intr(|| send(self.socket.as_fd(), rest, SendFlags::NOSIGNAL))?;
        }
        Ok(())
    }

    #[inline]
    fn recv(&mut self, bytes: &mut [u8]) -> io::Result<()> {
        let mut received = 0;
        while received < bytes.len() {
            match retry_on_intr(|| W::recv(self.socket.as_fd(), &mut bytes[received..]))? {
                0 => {
                    return Err(io::Error::new(
                        io::ErrorKind::UnexpectedEof,
                        "the peer closed the connection",
                    ));
                }
                count => received += count,
            }
        }
        Ok(())
    }
}

#[inline]
fn receive(fd: BorrowedFd, bytes: &mut [u8], flags: RecvFlags) -> Result<usize, Errno> {
    recv(fd, bytes, flags).map(|(received, _)| received)
}

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
