//! Several connections as one channel: each carries an equal part of every message.

use std::io;
use std::marker::PhantomData;
use std::net::TcpStream;
use std::ops::Range;
use std::os::fd::AsFd;

use rustix::event::PollFlags;
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags, recv, send};

use crate::system::poll::poll;
use crate::transport::channel::Channel;
use crate::transport::duplex::{self, BothWays};
use crate::transport::wait::Wait;

/// A connection, and what of the present message is still to go over it.
struct Stripe {
    socket: TcpStream,
    left: Range<usize>,
}

/// Connections that share every message.
pub struct StripedChannel<W> {
    stripes: Vec<Stripe>,
    wait: PhantomData<W>,
}

impl<W: Wait> StripedChannel<W> {
    /// Both ends must have the connections in the same order.
    pub fn new(sockets: Vec<TcpStream>) -> Self {
        let stripes = sockets
            .into_iter()
            .map(|socket| Stripe { socket, left: 0..0 });
        StripedChannel {
            stripes: stripes.collect(),
            wait: PhantomData,
        }
    }

    /// Move a message of so many bytes; `step` moves some of a stripe's part, and says how much.
    fn transfer(
        &mut self,
        bytes: usize,
        ready: PollFlags,
        mut step: impl FnMut(&TcpStream, Range<usize>) -> Result<usize, Errno>,
    ) -> io::Result<()> {
        self.share_out(bytes);
        while self.stripes.iter().any(|stripe| !stripe.left.is_empty()) {
            let mut moved = false;
            for stripe in self.stripes.iter_mut().filter(|one| !one.left.is_empty()) {
                match step(&stripe.socket, stripe.left.clone()) {
                    Ok(count) => {
                        stripe.left.start += count;
                        moved = true;
                    }
                    Err(Errno::AGAIN | Errno::INTR) => {}
                    Err(error) => return Err(error.into()),
                }
            }
            if !moved {
                self.wait_for(ready)?;
            }
        }
        Ok(())
    }

    fn share_out(&mut self, bytes: usize) {
        let count = self.stripes.len();
        for (index, stripe) in self.stripes.iter_mut().enumerate() {
            stripe.left = part(bytes, index, count);
        }
    }

    fn wait_for(&self, ready: PollFlags) -> io::Result<()> {
        if W::SPINS {
            std::hint::spin_loop();
            return Ok(());
        }
        let pending = self.stripes.iter().filter(|one| !one.left.is_empty());
        poll(pending.map(|stripe| (&stripe.socket, ready)), None).map(drop)
    }
}

impl<W: Wait> Channel for StripedChannel<W> {
    fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        let flags = SendFlags::NOSIGNAL | SendFlags::DONTWAIT;
        self.transfer(bytes.len(), PollFlags::OUT, |socket, left| {
            send(socket.as_fd(), &bytes[left], flags)
        })
    }

    fn recv(&mut self, bytes: &mut [u8]) -> io::Result<()> {
        self.transfer(bytes.len(), PollFlags::IN, |socket, left| {
            match recv(socket.as_fd(), &mut bytes[left], RecvFlags::DONTWAIT)? {
                (0, _) => Err(Errno::CONNRESET),
                (count, _) => Ok(count),
            }
        })
    }

    fn exchange(&mut self, message: &[u8], arriving: &mut [u8], messages: u32) -> io::Result<()> {
        let count = self.stripes.len();
        let mut rest = arriving;
        let shares = self.stripes.iter().enumerate().map(|(index, stripe)| {
            let part = part(message.len(), index, count);
            let (mine, others) = std::mem::take(&mut rest).split_at_mut(part.len());
            rest = others;
            BothWays::new(stripe.socket.as_fd(), &message[part], mine, messages)
        });
        let mut shares: Vec<BothWays> = shares.collect();
        duplex::run::<W>(&mut shares)
    }
}

/// Which bytes of a message are one stripe's; the first ones have the odd bytes.
fn part(bytes: usize, index: usize, count: usize) -> Range<usize> {
    let (each, odd) = (bytes / count, bytes % count);
    let start = index * each + index.min(odd);
    start..start + each + usize::from(index < odd)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_parts_make_the_message(bytes in 0_usize..10_000, count in 1_usize..64) {
            let parts: Vec<_> = (0..count).map(|index| part(bytes, index, count)).collect();
            prop_assert_eq!(parts[0].start, 0);
            prop_assert_eq!(parts[count - 1].end, bytes);
            prop_assert!(parts.windows(2).all(|two| two[0].end == two[1].start));
            prop_assert!(parts.iter().all(|part| part.len() <= bytes.div_ceil(count)));
        }
    }
}
