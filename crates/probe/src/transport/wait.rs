//! How the end of a connection waits for data.

use std::os::fd::BorrowedFd;

use rustix::io::Errno;
use rustix::net::{RecvFlags, recv};

use crate::system::clock::now_ns;

/// How long a spinning receiver tries before it sleeps.
const SPIN_NS: u64 = 100_000;
/// Tries between two looks at the clock while spinning.
const TRIES_PER_LOOK: u32 = 64;

/// How the end of a connection waits for data.
pub trait Wait {
    /// Whether it looks again and again, and never sleeps for long.
    const SPINS: bool;

    fn recv(fd: BorrowedFd, bytes: &mut [u8]) -> Result<usize, Errno>;

    /// What is there, without waiting for more.
    #[inline]
    fn recv_some(fd: BorrowedFd, bytes: &mut [u8]) -> Result<usize, Errno> {
        Self::recv(fd, bytes)
    }

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

    #[inline]
    fn recv_some(fd: BorrowedFd, bytes: &mut [u8]) -> Result<usize, Errno> {
        receive(fd, bytes, RecvFlags::empty())
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

#[inline]
fn receive(fd: BorrowedFd, bytes: &mut [u8], flags: RecvFlags) -> Result<usize, Errno> {
    recv(fd, bytes, flags).map(|(received, _)| received)
}
