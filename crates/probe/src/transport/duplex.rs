//! A stream socket that sends and receives at the same time.

use std::io;
use std::os::fd::BorrowedFd;

use rustix::event::PollFlags;
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags, recv, send};

use crate::system::poll::poll;
use crate::transport::channel::closed;
use crate::transport::wait::Wait;

/// One socket's share of an exchange: the same message so many times in each direction.
pub struct BothWays<'a> {
    fd: BorrowedFd<'a>,
    message: &'a [u8],
    arriving: &'a mut [u8],
    sent: usize,
    received: usize,
    total: usize,
}

impl<'a> BothWays<'a> {
    /// Both messages must be of one length.
    pub fn new(
        fd: BorrowedFd<'a>,
        message: &'a [u8],
        arriving: &'a mut [u8],
        messages: u32,
    ) -> Self {
        BothWays {
            fd,
            total: message.len() * messages as usize,
            message,
            arriving,
            sent: 0,
            received: 0,
        }
    }

    fn is_over(&self) -> bool {
        self.sent == self.total && self.received == self.total
    }

    /// Move what goes without waiting; returns whether anything did.
    #[inline]
    fn advance(&mut self) -> io::Result<bool> {
        let mut moved = false;
        if self.received < self.total {
            let place = self.received % self.arriving.len();
            let place = &mut self.arriving[place..];
            match recv(self.fd, place, RecvFlags::DONTWAIT) {
                Ok((0, _)) => return Err(closed()),
                Ok((count, _)) => {
                    self.received += count;
                    moved = true;
                }
                Err(Errno::AGAIN | Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
        if self.sent < self.total {
            let rest = &self.message[self.sent % self.message.len()..];
            match send(self.fd, rest, SendFlags::NOSIGNAL | SendFlags::DONTWAIT) {
                Ok(count) => {
                    self.sent += count;
                    moved = true;
                }
                Err(Errno::AGAIN | Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(moved)
    }

    fn awaited(&self) -> (&BorrowedFd<'a>, PollFlags) {
        let mut flags = PollFlags::empty();
        flags.set(PollFlags::IN, self.received < self.total);
        flags.set(PollFlags::OUT, self.sent < self.total);
        (&self.fd, flags)
    }
}

/// Carry out all shares of an exchange; one that cannot go on does not hold up the others.
#[inline]
pub fn run<W: Wait>(shares: &mut [BothWays]) -> io::Result<()> {
    while !shares.iter().all(BothWays::is_over) {
        let mut moved = false;
        for share in shares.iter_mut() {
            moved |= share.advance()?;
        }
        if !moved {
            wait::<W>(shares)?;
        }
    }
    Ok(())
}

fn wait<W: Wait>(shares: &[BothWays]) -> io::Result<()> {
    if W::SPINS {
        std::hint::spin_loop();
        return Ok(());
    }
    let unfinished = shares.iter().filter(|share| !share.is_over());
    poll(unfinished.map(BothWays::awaited), None).map(drop)
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsFd;
    use std::os::unix::net::UnixStream;
    use std::thread;

    use super::*;
    use crate::transport::wait::{Block, Spin};

    const BYTES: usize = 300_000;

    fn exchange<W: Wait>(socket: &UnixStream, own: u8, messages: u32) -> Vec<u8> {
        let mut arriving = vec![0; BYTES];
        let message = vec![own; BYTES];
        let share = BothWays::new(socket.as_fd(), &message, &mut arriving, messages);
        run::<W>(&mut [share]).unwrap();
        arriving
    }

    #[test]
    fn more_than_the_buffers_hold_goes_both_ways_at_once() {
        let (near, far) = UnixStream::pair().unwrap();
        let other = thread::spawn(move || exchange::<Block>(&far, 2, 5));
        assert_eq!(exchange::<Spin>(&near, 1, 5), vec![2; BYTES]);
        assert_eq!(other.join().unwrap(), vec![1; BYTES]);
    }

    #[test]
    fn a_peer_that_ends_is_noticed() {
        let (near, far) = UnixStream::pair().unwrap();
        drop(far);
        let mut arriving = [0; 8];
        let share = BothWays::new(near.as_fd(), &[1; 8], &mut arriving, 3);
        assert!(run::<Block>(&mut [share]).is_err());
    }
}
