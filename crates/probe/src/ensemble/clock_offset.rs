//! How far this node's clock is from the reference's (the first member's): of some readings of its clock, the one with
//! the shortest round trip (Cristian 1989). The reading was made somewhere in that round trip, so the error is at most
//! half of it.

use std::io::{self, Read, Write};
use std::net::TcpStream;

use super::event_loop::reactor::{Interest, Key, Reactor};
use super::event_loop::slots::Slots;
use crate::system::clock::now_ns;

const READINGS: u32 = 8;
const ASK: u8 = 0x3f;

/// What must be added to this node's clock, and how wrong that may be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClockOffset {
    pub offset_ns: i64,
    pub error_ns: u64,
}

/// Asks the reference for its clock.
pub struct Estimate {
    socket: TcpStream,
    asked_ns: u64,
    answer: [u8; 8],
    length: usize,
    readings: u32,
    best: Option<(u64, ClockOffset)>,
}

impl Estimate {
    /// Ask for the first reading.
    pub fn start(socket: TcpStream, reactor: &Reactor) -> io::Result<Estimate> {
        socket.set_nodelay(true)?;
        reactor.watch(&socket, Key::Estimate, Interest::Read)?;
        let mut estimate = Estimate {
            socket,
            asked_ns: 0,
            answer: [0; 8],
            length: 0,
            readings: 0,
            best: None,
        };
        estimate.ask()?;
        Ok(estimate)
    }

    /// Take an answer; the offset when it was the last.
    pub fn advance(&mut self) -> io::Result<Option<ClockOffset>> {
        match self.socket.read(&mut self.answer[self.length..]) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(count) => self.length += count,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(None),
            Err(error) => return Err(error),
        }
        if self.length < self.answer.len() {
            return Ok(None);
        }
        self.weigh(now_ns());
        if self.readings == READINGS {
            return Ok(self.best.map(|(_, offset)| offset));
        }
        self.ask()?;
        Ok(None)
    }

    fn ask(&mut self) -> io::Result<()> {
        self.length = 0;
        self.asked_ns = now_ns();
        self.socket.write_all(&[ASK])
    }

    fn weigh(&mut self, heard_ns: u64) {
        self.readings += 1;
        let round_trip_ns = heard_ns - self.asked_ns;
        if self.best.is_none_or(|(best_ns, _)| round_trip_ns < best_ns) {
            let there_ns = u64::from_le_bytes(self.answer);
            self.best = Some((round_trip_ns, offset(self.asked_ns, heard_ns, there_ns)));
        }
    }
}

fn offset(asked_ns: u64, heard_ns: u64, there_ns: u64) -> ClockOffset {
    let middle_ns = asked_ns + (heard_ns - asked_ns) / 2;
    ClockOffset {
        offset_ns: there_ns as i64 - middle_ns as i64,
        error_ns: (heard_ns - asked_ns).div_ceil(2),
    }
}

/// Answers questions for this node's clock.
pub struct ClockServer {
    clients: Slots<TcpStream>,
}

impl ClockServer {
    pub fn new() -> ClockServer {
        ClockServer {
            clients: Slots::new(),
        }
    }

    pub fn admit(&mut self, socket: TcpStream, reactor: &Reactor) -> io::Result<()> {
        socket.set_nodelay(true)?;
        reactor.watch(&socket, Key::Client(self.clients.next()), Interest::Read)?;
        self.clients.insert(socket);
        Ok(())
    }

    /// Answer a caller, or let it go.
    pub fn answer(&mut self, slot: u32) {
        let Some(socket) = self.clients.get_mut(slot) else {
            return;
        };
        let mut asked = [0];
        let is_answered = match socket.read(&mut asked) {
            Ok(1) if asked == [ASK] => socket.write_all(&now_ns().to_le_bytes()).is_ok(),
            Err(error) => error.kind() == io::ErrorKind::WouldBlock,
            Ok(_) => false,
        };
        if !is_answered {
            self.clients.take(slot);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_is_ahead_has_a_positive_offset_within_half_a_round_trip() {
        let ahead = offset(1_000, 1_401, 6_200);
        assert_eq!((ahead.offset_ns, ahead.error_ns), (5_000, 201));
        assert_eq!(offset(6_000, 6_400, 1_200).offset_ns, -5_000);
    }
}
