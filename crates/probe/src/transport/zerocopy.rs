//! TCP that sends from the message's own memory (MSG_ZEROCOPY), and is notified when the kernel is through with it.
//!
//! A message's memory is never written while it may still be sent: what is sent is always the same, which is why
//! nothing can be verified over this channel.

use std::io;
use std::mem;
use std::net::TcpStream;
use std::os::fd::{AsFd, AsRawFd};
use std::time::Duration;

use rustix::event::PollFlags;
use rustix::io::{Errno, retry_on_intr};
use rustix::net::{SendFlags, send};

use crate::system::poll::poll;
use crate::system::socket_option;
use crate::transport::channel::Channel;
use crate::transport::socket::SocketChannel;
use crate::transport::wait::Wait;

/// Sends that the kernel may have in hand before it is asked which are over.
const MOST_PENDING: u32 = 32;
/// How long the kernel may take to be through with anything at all, once it has no room left.
const ROOM_WITHIN: Duration = Duration::from_secs(1);
const CONTROL_BYTES: usize = 128;
/// From the kernel's linux/errqueue.h (SO_EE_ORIGIN_ZEROCOPY), which the libc crate does not have.
const ORIGIN_ZEROCOPY: u8 = 5;

/// Ask the kernel for zero-copy sends on a connection.
pub fn enable(socket: &TcpStream) -> io::Result<()> {
    socket_option::set(socket, libc::SOL_SOCKET, libc::SO_ZEROCOPY, 1)
}

/// A connection that sends without copying.
pub struct ZeroCopyChannel<W> {
    socket: TcpStream,
    receiving: SocketChannel<W>,
    pending: u32,
}

impl<W: Wait> ZeroCopyChannel<W> {
    /// Use a connection on which zero-copy sends are enabled.
    pub fn new(socket: TcpStream) -> io::Result<Self> {
        Ok(ZeroCopyChannel {
            receiving: SocketChannel::new(socket.try_clone()?),
            socket,
            pending: 0,
        })
    }

    /// Hear which sends are over, without waiting.
    fn reap(&mut self) -> io::Result<()> {
        while self.pending > 0 {
            match completed(&self.socket)? {
                0 => break,
                count => self.pending = self.pending.saturating_sub(count),
            }
        }
        Ok(())
    }

    fn wait_for_room(&mut self) -> io::Result<()> {
        // Only errors are waited for, by which the kernel notifies.
        if !poll([(&self.socket, PollFlags::empty())], Some(ROOM_WITHIN))? {
            return Err(io::Error::new(
                io::ErrorKind::OutOfMemory,
                "the kernel has no memory left to account for zero-copy sends (net.core.optmem_max)",
            ));
        }
        self.reap()
    }
}

impl<W: Wait> Channel for ZeroCopyChannel<W> {
    fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        let flags = SendFlags::NOSIGNAL | SendFlags::from_bits_retain(libc::MSG_ZEROCOPY as u32);
        let mut sent = 0;
        while sent < bytes.len() {
            match retry_on_intr(|| send(self.socket.as_fd(), &bytes[sent..], flags)) {
                Ok(count) => {
                    sent += count;
                    self.pending += 1;
                }
                Err(Errno::NOBUFS) => self.wait_for_room()?,
                Err(error) => return Err(error.into()),
            }
        }
        if self.pending > MOST_PENDING {
            self.reap()?;
        }
        Ok(())
    }

    #[inline]
    fn recv(&mut self, bytes: &mut [u8]) -> io::Result<()> {
        self.receiving.recv(bytes)
    }
}

/// How many sends the kernel says are over; it says it once for a run of them, on the socket's error queue.
fn completed(socket: &TcpStream) -> io::Result<u32> {
    let mut control = [0_u64; CONTROL_BYTES / 8];
    // SAFETY: msghdr is plain data for which zero is a valid value.
    let mut message: libc::msghdr = unsafe { mem::zeroed() };
    message.msg_control = control.as_mut_ptr().cast();
    message.msg_controllen = CONTROL_BYTES as _;
    let flags = libc::MSG_ERRQUEUE | libc::MSG_DONTWAIT;
    // SAFETY: `message` describes `control`, which outlives the call.
    if unsafe { libc::recvmsg(socket.as_raw_fd(), &raw mut message, flags) } < 0 {
        let error = io::Error::last_os_error();
        return match error.kind() {
            io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted => Ok(0),
            _ => Err(error),
        };
    }
    // SAFETY: the kernel has filled `control`, and the macros stay inside of what it says it filled.
    unsafe {
        let header = libc::CMSG_FIRSTHDR(&raw const message);
        if header.is_null() {
            return Ok(0);
        }
        let report = libc::CMSG_DATA(header).cast::<libc::sock_extended_err>();
        let report = report.read_unaligned();
        if report.ee_origin != ORIGIN_ZEROCOPY {
            return Ok(0);
        }
        Ok(report.ee_data.wrapping_sub(report.ee_info).wrapping_add(1))
    }
}
