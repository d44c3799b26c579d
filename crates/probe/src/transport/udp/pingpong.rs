//! Round trips over datagrams.

use std::io::{self, Write};
use std::net::UdpSocket;
use std::time::Duration;

use super::serve::DONE;
use super::{Receiver, UdpBatches, peer};
use crate::transport::batches::Outcome;
use crate::transport::order::Order;
use crate::transport::round_trips::Trip;

impl UdpBatches<'_> {
    pub(super) fn pingpong(&mut self, order: Order) -> io::Result<Outcome> {
        let mut path = Path {
            socket: &self.link.socket,
            receiver: self.receiver,
            memory: &mut self.memory,
            within: Duration::ZERO,
        };
        let outcome = self.trips.run(&mut path, order)?;
        self.link.control.write_all(&[DONE])?;
        Ok(outcome)
    }
}

/// There as a datagram, back as another.
struct Path<'a> {
    socket: &'a UdpSocket,
    receiver: Receiver,
    memory: &'a mut [u8],
    within: Duration,
}

impl Trip for Path<'_> {
    fn path(&self) -> String {
        peer(self.socket)
    }

    fn set_patience(&mut self, within: Duration) -> io::Result<()> {
        self.within = within;
        self.receiver.patient(self.socket, within)
    }

    #[inline]
    fn go(&mut self, size_bytes: usize, mark: u16, others: &mut u32) -> io::Result<bool> {
        let message = &mut self.memory[..size_bytes];
        // One byte of the mark is all that the smallest message has room for.
        let mark = mark as u8;
        message[0] = mark;
        self.socket.send(message)?;
        loop {
            match self.receiver.receive(self.socket, message, self.within)? {
                None => return Ok(false),
                Some(length) if length == size_bytes && message[0] == mark => return Ok(true),
                // The reply to a round trip that was given up, or one that came twice.
                Some(_) => *others += 1,
            }
        }
    }
}
