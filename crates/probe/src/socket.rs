//! Stream sockets as channels, and how their ends wait.
//!
//! Sends and receives go straight to the kernel (rustix): the C library's are cancellation points, which costs a
//! process with threads two atomic operations a call.

use std::io;
use std::marker::PhantomData;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::io::{Errno, retry_on_intr};
use rustix::net::{RecvFlags, SendFlags, recv, send};
use serde::Serialize;
use socket2::SockRef;

use crate::both_ways::{self, BothWays};
use crate::channel::Channel;
use crate::clock::now_ns;

/// How long a spinning receiver tries before it sleeps.
const SPIN_NS: u64 = 100_000;
/// Tries between two looks at the clock while spinning.
const TRIES_PER_LOOK: u32 = 64;

/// How the end of a connection waits for data.
pub trait Wait {
    /// Whether it looks again and again, and never sleeps for long.
    const SPINS: bool;

    fn recv(fd: BorrowedFd, bytes: &mut [u8]) -> Result<usize, Errno>;

    /// What to do between two looks at memory that another process writes.
    fn idle();
}

/// Sleep in the kernel until data is there.
pub struct Block;

/// Ask again and again for a while, which spares the wake-up, then sleep.
pub struct Spin;

impl Wait for Block {
    const SPINS: bool = false;

    #[inline]
    fn recv(fd: BorrowedFd, bytes: &mut [u8]) -> Result<usize, Errno> {
        receive(fd, bytes, RecvFlags::WAITALL)
    }

    /// Nothing wakes a process that waits for memory: it lets others run, and looks when its turn comes again.
    #[inline]
    fn idle() {
        std::thread::yield_now();
    }
}

impl Wait for Spin {
    const SPINS: bool = true;

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

    #[inline]
    fn idle() {
        std::hint::spin_loop();
    }
}

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

    #[inline]
    fn exchange(&mut self, message: &[u8], arriving: &mut [u8], messages: u32) -> io::Result<()> {
        let share = BothWays::new(self.socket.as_fd(), message, arriving, messages);
        both_ways::run::<W>(&mut [share])
    }
}

#[inline]
fn receive(fd: BorrowedFd, bytes: &mut [u8], flags: RecvFlags) -> Result<usize, Errno> {
    recv(fd, bytes, flags).map(|(received, _)| received)
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
