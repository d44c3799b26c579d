//! Round trips over datagrams.

use std::io::{self, Write};
use std::net::UdpSocket;
use std::time::Duration;

use super::serve::DONE;
use super::{Ear, UdpBatches, peer};
use crate::transport::batches::Outcome;
use crate::transport::order::Order;
use crate::transport::round_trips::Trip;

impl UdpBatches<'_> {
    pub(super) fn pingpong(&mut self, order: Order) -> io::Result<Outcome> {
        let mut way = Way {
            socket: &self.link.socket,
            ear: self.ear,
            memory: &mut self.memory,
            within: Duration::ZERO,
        };
        let outcome = self.trips.run(&mut way, order)?;
        self.link.control.write_all(&[DONE])?;
        Ok(outcome)
    }
}

/// There as a datagram, back as another.
struct Way<'a> {
    socket: &'a UdpSocket,
    ear: Ear,
    memory: &'a mut [u8],
    within: Duration,
}

impl Trip for Way<'_> {
    fn way(&self) -> String {
        peer(self.socket)
    }

    fn set_patience(&mut self, within: Duration) -> io::Result<()> {
        self.within = within;
        self.ear.patient(self.socket, within)
    }

    #[inline]
    fn go(&mut self, size_bytes: usize, mark: u16, others: &mut u32) -> io::Result<bool> {
        let message = &mut self.memory[..size_bytes];
        // One byte of the mark is all that the smallest message has room for.
        let mark = mark as u8;
        message[0] = mark;
        self.socket.send(message)?;
        loop {
            match self.ear.hear(self.socket, message, self.within)? {
                None => return Ok(false),
                Some(length) if length == size_bytes && message[0] == mark => return Ok(true),
                // The reply to a round trip that was given up, or one that came twice.
                Some(_) => *others += 1,
            }
        }
    }
}
