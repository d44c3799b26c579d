//! TCP through io_uring: each send and receive is a request in a ring, and what it came to stands in another.

use std::io;
use std::marker::PhantomData;
use std::net::TcpStream;
use std::os::fd::AsRawFd;

use io_uring::{IoUring, opcode, squeue, types};

use crate::transport::channel::{Channel, closed};
use crate::transport::wait::Wait;

/// Requests that the ring has room for; there is never more than one.
const ENTRIES: u32 = 2;

/// A connection and its ring.
pub struct UringChannel<W> {
    socket: TcpStream,
    ring: IoUring,
    wait: PhantomData<W>,
}

/// A ring, where the kernel has them and lets this user have one.
pub fn new_ring() -> io::Result<IoUring> {
    IoUring::new(ENTRIES)
}

impl<W: Wait> UringChannel<W> {
    /// Use a connected socket that blocks and has no time-outs.
    pub fn new(socket: TcpStream) -> io::Result<Self> {
        Ok(UringChannel {
            socket,
            ring: new_ring()?,
            wait: PhantomData,
        })
    }

    fn descriptor(&self) -> types::Fd {
        types::Fd(self.socket.as_raw_fd())
    }

    /// Have one request done, and give what it came to.
    ///
    /// # Safety
    /// The memory of the request must stay where it is until this returns.
    unsafe fn perform(&mut self, request: &squeue::Entry) -> io::Result<usize> {
        // SAFETY: the caller keeps the memory; the ring is empty, since every request is waited for.
        let pushed = unsafe { self.ring.submission().push(request) };
        pushed.map_err(io::Error::other)?;
        let outcome = self.outcome()?;
        match outcome {
            0.. => Ok(outcome as usize),
            _ => Err(io::Error::from_raw_os_error(-outcome)),
        }
    }

    fn outcome(&mut self) -> io::Result<i32> {
        if W::SPINS {
            self.ring.submit()?;
        }
        loop {
            if let Some(entry) = self.ring.completion().next() {
                return Ok(entry.result());
            }
            if W::SPINS {
                std::hint::spin_loop();
            } else if let Err(error) = self.ring.submit_and_wait(1) {
                if error.kind() != io::ErrorKind::Interrupted {
                    return Err(error);
                }
            }
        }
    }
}

impl<W: Wait> Channel for UringChannel<W> {
    #[inline]
    fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        let mut sent = 0;
        while sent < bytes.len() {
            let rest = &bytes[sent..];
            let length = u32::try_from(rest.len()).unwrap_or(u32::MAX);
            let request = opcode::Send::new(self.descriptor(), rest.as_ptr(), length)
                .flags(libc::MSG_NOSIGNAL)
                .build();
            // SAFETY: `rest` is borrowed until the request is over.
            sent += unsafe { self.perform(&request) }?;
        }
        Ok(())
    }

    #[inline]
    fn recv(&mut self, bytes: &mut [u8]) -> io::Result<()> {
        let mut received = 0;
        while received < bytes.len() {
            let rest = &mut bytes[received..];
            let length = u32::try_from(rest.len()).unwrap_or(u32::MAX);
            let request = opcode::Recv::new(self.descriptor(), rest.as_mut_ptr(), length)
                .flags(libc::MSG_WAITALL)
                .build();
            // SAFETY: `rest` is borrowed until the request is over.
            match unsafe { self.perform(&request) }? {
                0 => return Err(closed()),
                count => received += count,
            }
        }
        Ok(())
    }
}
