//! A connected socket in the event loop.

use std::io::{self, IoSlice};
use std::net::{Shutdown, TcpStream};
use std::os::fd::AsFd;

use rustix::io::Errno;
use rustix::net::{RecvFlags, SendAncillaryBuffer, SendFlags, recv, send, sendmsg};

use super::reactor::{Interest, Key, Reactor};
use crate::system::socket_option;

/// A socket, its name in the event loop, and what it waits for.
pub struct Line {
    socket: TcpStream,
    key: Key,
    interest: Interest,
}

impl Line {
    /// Start to watch a socket.
    pub fn watch(
        socket: TcpStream,
        key: Key,
        interest: Interest,
        reactor: &Reactor,
    ) -> io::Result<Line> {
        reactor.watch(&socket, key, interest)?;
        Ok(Line {
            socket,
            key,
            interest,
        })
    }

    /// Wait for something else from now on.
    #[inline]
    pub fn want(&mut self, interest: Interest, reactor: &Reactor) -> io::Result<()> {
        if interest != self.interest {
            reactor.rewatch(&self.socket, self.key, interest)?;
            self.interest = interest;
        }
        Ok(())
    }

    /// Be woken only when so many bytes have come, or the connection has ended.
    pub fn wake_at(&self, bytes: u64) -> io::Result<()> {
        let bytes = i32::try_from(bytes).unwrap_or(i32::MAX);
        socket_option::set(&self.socket, libc::SOL_SOCKET, libc::SO_RCVLOWAT, bytes)
    }

    /// Take what is there; `None` when nothing is, 0 at the end of the connection.
    #[inline]
    pub fn read(&self, bytes: &mut [u8]) -> io::Result<Option<usize>> {
        settle(recv(self.socket.as_fd(), bytes, RecvFlags::DONTWAIT).map(|(count, _)| count))
    }

    /// Hand over what the kernel takes; `None` when it takes nothing.
    #[inline]
    pub fn write(&self, bytes: &[u8]) -> io::Result<Option<usize>> {
        let flags = SendFlags::DONTWAIT | SendFlags::NOSIGNAL;
        settle(send(self.socket.as_fd(), bytes, flags))
    }

    /// The same of two pieces, one behind the other.
    pub fn write_both(&self, first: &[u8], second: &[u8]) -> io::Result<Option<usize>> {
        let flags = SendFlags::DONTWAIT | SendFlags::NOSIGNAL;
        let pieces = [IoSlice::new(first), IoSlice::new(second)];
        let mut nothing = SendAncillaryBuffer::default();
        settle(sendmsg(self.socket.as_fd(), &pieces, &mut nothing, flags))
    }

    /// Say that nothing more will come.
    pub fn finish(&self) {
        // It fails only when the connection has broken, which the peer then sees as well.
        let _ = self.socket.shutdown(Shutdown::Write);
    }
}

#[inline]
fn settle(outcome: Result<usize, Errno>) -> io::Result<Option<usize>> {
    match outcome {
        Ok(count) => Ok(Some(count)),
        Err(Errno::AGAIN | Errno::INTR) => Ok(None),
        Err(error) => Err(error.into()),
    }
}
