//! Stream sockets as channels, and how their ends wait.
//!
//! Sends and receives go straight to the kernel (rustix): the C library's are cancellation points, which costs a
//! process with threads two atomic operations a call.

use std::io;
use std::marker::PhantomData;
use std::os::fd::{AsFd, OwnedFd};

use rustix::io::retry_on_intr;
use rustix::net::{SendFlags, send};
use serde::Serialize;
use socket2::SockRef;

use crate::transport::channel::{Channel, closed};
use crate::transport::duplex::{self, BothWays};
use crate::transport::wait::Wait;

/// A connected stream socket as a channel.
///
/// It waits without a limit: a watchdog must look after it.
pub struct SocketChannel<W> {
    socket: OwnedFd,
    wait: PhantomData<W>,
}

impl<W: Wait> SocketChannel<W> {
    /// Use a connected socket that blocks and has no time-outs.
    pub fn new(socket: impl Into<OwnedFd>) -> Self {
        SocketChannel {
            socket: socket.into(),
            wait: PhantomData,
        }
    }
}

impl<W: Wait> Channel for SocketChannel<W> {
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
                0 => return Err(closed()),
                count => received += count,
            }
        }
        Ok(())
    }

    #[inline]
    fn recv_some(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        match retry_on_intr(|| W::recv_some(self.socket.as_fd(), bytes))? {
            0 => Err(closed()),
            count => Ok(count),
        }
    }

    #[inline]
    fn exchange(&mut self, message: &[u8], arriving: &mut [u8], messages: u32) -> io::Result<()> {
        let share = BothWays::new(self.socket.as_fd(), message, arriving, messages);
        duplex::run::<W>(&mut [share])
    }
}

/// The buffers of a socket as the kernel holds them. Linux doubles the sizes it is asked for.
#[derive(Debug, Serialize)]
pub struct Buffers {
    pub send_buffer_bytes: usize,
    pub receive_buffer_bytes: usize,
}

/// Read the buffers of a socket back.
pub fn buffers(socket: &SockRef) -> io::Result<Buffers> {
    Ok(Buffers {
        send_buffer_bytes: socket.send_buffer_size()?,
        receive_buffer_bytes: socket.recv_buffer_size()?,
    })
}
