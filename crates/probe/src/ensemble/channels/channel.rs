//! One connection between two members, which carries messages one way and permissions the other.

use std::collections::VecDeque;
use std::io;
use std::net::TcpStream;

use super::super::event_loop::line::Line;
use super::super::event_loop::reactor::{Interest, Key, Reactor};
use super::content::Receive;
use super::content::{Content, Memory};
use super::done::Done;
use super::header::{Header, Kind};
use super::reader::{Found, Reader};
use super::writer::Writer;
use crate::evidence::Moved;

/// A connection is set up once, and kept until the session ends.
pub struct Channel {
    /// The other member.
    pub peer: u32,
    line: Option<Line>,
    reader: Reader,
    writer: Writer,
    /// What this member sends and its receive has not allowed yet, by number.
    withheld: VecDeque<(u32, Send)>,
    /// What this member receives and has allowed, by number.
    granted: VecDeque<(u32, Receive)>,
    announced: u32,
    sent_bytes: u64,
    /// Why it carries nothing more.
    pub broken: Option<io::Error>,
}

/// A message to be sent.
#[derive(Clone, Copy, Debug)]
pub struct Send {
    pub token: u32,
    pub tag: u64,
    pub content: Content,
    /// On the run's clock.
    pub began_ns: i64,
}

impl Send {
    fn header(&self, kind: Kind, number: u32) -> Header {
        Header {
            kind,
            is_generated: self.content.is_generated(),
            number,
            tag: self.tag,
            bytes: self.content.bytes(),
            began_ns: self.began_ns,
        }
    }
}

impl Channel {
    /// A channel whose connection is being made.
    pub fn new(peer: u32) -> Channel {
        Channel {
            peer,
            line: None,
            reader: Reader::new(),
            writer: Writer::default(),
            withheld: VecDeque::new(),
            granted: VecDeque::new(),
            announced: 0,
            sent_bytes: 0,
            broken: None,
        }
    }

    /// Its connection has come about; `slot` is its number in the event loop.
    pub fn attach(&mut self, socket: TcpStream, slot: u32, reactor: &Reactor) -> io::Result<()> {
        let line = Line::watch(socket, Key::Channel(slot), Interest::Read, reactor)?;
        self.line = Some(line);
        Ok(())
    }

    pub fn is_attached(&self) -> bool {
        self.line.is_some()
    }

    pub fn moved(&self) -> Moved {
        Moved {
            sent_bytes: self.sent_bytes,
            received_bytes: self.reader.moved_bytes,
        }
    }

    /// Whether something that was asked of it is not over.
    pub fn is_busy(&self) -> bool {
        let is_still = self.writer.is_empty() && !self.reader.is_amid();
        !(is_still && self.withheld.is_empty() && self.granted.is_empty())
    }

    /// Send a message at once.
    pub fn send(&mut self, send: Send) {
        let header = send.header(Kind::Eager, 0);
        self.writer.put_message(header, send.content, send.token);
    }

    /// Announce a message, which is sent when its receive has begun.
    pub fn announce(&mut self, send: Send) {
        let number = self.announced;
        self.announced = number.wrapping_add(1);
        self.withheld.push_back((number, send));
        self.writer.put_header(send.header(Kind::Announced, number));
    }

    /// Allow an announced message to be sent.
    pub fn grant(&mut self, announced: Header, receive: Receive) {
        let kind = Kind::Granted;
        self.granted.push_back((announced.number, receive));
        self.writer.put_header(Header { kind, ..announced });
    }

    /// The other member allows this message.
    pub fn release(&mut self, number: u32) -> io::Result<()> {
        let send = taken(&mut self.withheld, number)?;
        let header = send.header(Kind::Withheld, number);
        self.writer.put_message(header, send.content, send.token);
        Ok(())
    }

    /// The receive that was allowed.
    pub fn redeem(&mut self, number: u32) -> io::Result<Receive> {
        taken(&mut self.granted, number)
    }

    /// Write what can be written.
    pub fn write(
        &mut self,
        memory: &Memory,
        done: &mut VecDeque<Done>,
        most_bytes: u64,
        reactor: &Reactor,
    ) -> io::Result<()> {
        let Some(line) = &mut self.line else {
            return Ok(());
        };
        self.sent_bytes += self.writer.write(line, memory, done, most_bytes)?;
        let interest = match self.writer.is_empty() {
            true => Interest::Read,
            false => Interest::Both,
        };
        line.want(interest, reactor)
    }

    /// Look at what has come, until something is to be decided.
    pub fn read(&mut self, memory: &mut Memory) -> io::Result<Found> {
        let Some(line) = &self.line else {
            return Ok(Found::Nothing);
        };
        self.reader.advance(line, memory)
    }

    /// Be woken when there is something to do: after all that could be read now has been.
    pub fn rest(&mut self) -> io::Result<()> {
        match &self.line {
            Some(line) => self.reader.choose_wake(line),
            None => Ok(()),
        }
    }

    pub fn reader(&mut self) -> &mut Reader {
        &mut self.reader
    }

    /// Close it.
    pub fn break_off(&mut self, why: io::Error) {
        self.line = None;
        self.broken = Some(why);
    }
}

/// Mostly the first one.
fn taken<T>(from: &mut VecDeque<(u32, T)>, number: u32) -> io::Result<T> {
    let at = from.iter().position(|(other, _)| *other == number);
    let found = at.and_then(|at| from.remove(at));
    found.map(|(_, value)| value).ok_or_else(|| {
        let what = format!("message {number} was not announced");
        io::Error::new(io::ErrorKind::InvalidData, what)
    })
}
