//! Messages between the members of a session: so many bytes with a tag go to a member, and come from one by their tag.
//!
//! A channel is a TCP connection from the member that sends to the one that receives, made beforehand or with the first
//! message, and kept until the session ends. A message of at most `rendezvous_bytes` goes at once, and is kept aside where
//! its receive has not begun; a longer one is announced and goes when it has.

mod channel;
mod content;
mod done;
mod header;
mod inbox;
mod reader;
#[cfg(test)]
mod tests;
mod writer;

use std::collections::{HashMap, VecDeque};
use std::io;
use std::net::TcpStream;

use super::error::SessionError;
use super::event_loop::reactor::Reactor;
use crate::evidence::Moved;
use crate::system::clock::now_ns;
use crate::system::error;
use channel::{Channel, Send};
pub use content::{Content, Memory};
use content::{Receive, Sink};
pub use done::{Done, Taken};
use header::{Header, Kind};
use inbox::{Early, Inbox};
use reader::Found;

/// The most that a channel moves before it is another's turn.
const TURN_BYTES: u64 = 1 << 20;

/// The other end of a channel, and the network that leads there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct End {
    pub node: u32,
    pub network: u32,
}

/// All channels of a member, and what was asked of them.
pub struct Channels {
    pub memory: Memory,
    all: Vec<Channel>,
    /// Those that this member sends over.
    outgoing: HashMap<End, u32>,
    inbox: Inbox,
    done: VecDeque<Done>,
    /// Sends and receives that are not over.
    pending: u64,
    /// Longer messages wait for their receive.
    pub rendezvous_bytes: u64,
    /// What turns this node's clock into the run's.
    pub shift_ns: i64,
    trouble: Option<SessionError>,
}

impl Channels {
    pub fn new(verify: bool) -> io::Result<Channels> {
        Ok(Channels {
            memory: Memory::new(verify)?,
            all: Vec::new(),
            outgoing: HashMap::new(),
            inbox: Inbox::new(),
            done: VecDeque::new(),
            pending: 0,
            rendezvous_bytes: u64::MAX,
            shift_ns: 0,
            trouble: None,
        })
    }

    /// Make a channel whose connection will come; false where there is one.
    pub fn add(&mut self, to: End) -> bool {
        let slot = self.all.len() as u32;
        let is_new = *self.outgoing.entry(to).or_insert(slot) == slot;
        if is_new {
            self.all.push(Channel::new(to.node));
        }
        is_new
    }

    /// The connection of a channel has come about, or has not.
    pub fn connected(
        &mut self,
        to: End,
        outcome: io::Result<TcpStream>,
        reactor: &Reactor,
    ) -> io::Result<()> {
        let slot = self.outgoing[&to];
        match outcome {
            Ok(socket) => {
                self.all[slot as usize].attach(socket, slot, reactor)?;
                self.serve(slot, reactor);
            }
            Err(why) => self.lose(slot, why),
        }
        Ok(())
    }

    /// Whether all channels that were asked for have their connection.
    pub fn are_connected(&self) -> bool {
        let mut all = self.all.iter();
        all.all(|one| one.is_attached() || one.broken.is_some())
    }

    /// Another member has connected, to send.
    pub fn admit(&mut self, src: u32, socket: TcpStream, reactor: &Reactor) -> io::Result<()> {
        let slot = self.all.len() as u32;
        let mut channel = Channel::new(src);
        channel.attach(socket, slot, reactor)?;
        self.all.push(channel);
        Ok(())
    }

    /// Send a message over a channel that was added; over when its bytes have left.
    pub fn send(&mut self, to: End, tag: u64, content: Content, token: u32, reactor: &Reactor) {
        let slot = self.outgoing[&to];
        let channel = &mut self.all[slot as usize];
        let send = Send {
            token,
            tag,
            content,
            began_ns: now_ns() as i64 + self.shift_ns,
        };
        self.pending += 1;
        if content.bytes() > self.rendezvous_bytes {
            channel.announce(send);
        } else {
            channel.send(send);
        }
        self.write(slot, reactor);
    }

    /// Receive the next message with this tag; over when its last byte is there.
    pub fn receive(&mut self, src: u32, tag: u64, content: Content, token: u32, reactor: &Reactor) {
        self.pending += 1;
        let receive = Receive { token, content };
        match self.inbox.post(src, tag, receive) {
            None => self.check_source(src),
            Some(Early::Announced(header, slot)) => self.grant(slot, header, receive, reactor),
            Some(Early::Whole(header, bytes)) => self.take_early(src, header, receive, &bytes),
        }
    }

    /// The next that is over.
    pub fn next_done(&mut self) -> Option<Done> {
        let done = self.done.pop_front();
        self.pending -= u64::from(done.is_some());
        done
    }

    /// Whether something is over that was not asked after.
    pub fn has_done(&self) -> bool {
        !self.done.is_empty()
    }

    /// Whether all that was asked for is over, and was asked after.
    pub fn are_idle(&self) -> bool {
        self.pending == 0
    }

    /// Why no work with them can go on.
    pub fn take_trouble(&mut self) -> Option<SessionError> {
        self.trouble.take()
    }

    /// What was sent and received.
    pub fn moved(&self) -> Moved {
        let all = self.all.iter().map(Channel::moved);
        all.fold(Moved::default(), Moved::and)
    }

    /// The members that something waits for.
    pub fn nodes(&self) -> impl Iterator<Item = u32> {
        let busy = self.all.iter().filter(|one| one.is_busy());
        self.inbox.sources().chain(busy.map(|one| one.peer))
    }

    /// Move what a channel can, up to a limit that is fair to the others.
    pub fn serve(&mut self, slot: u32, reactor: &Reactor) {
        if let Err(why) = self.read(slot, reactor) {
            return self.lose(slot, why);
        }
        self.write(slot, reactor);
    }

    fn write(&mut self, slot: u32, reactor: &Reactor) {
        let Some(channel) = self.all.get_mut(slot as usize) else {
            return;
        };
        if channel.broken.is_some() {
            return self.complain(slot);
        }
        if let Err(why) = channel.write(&self.memory, &mut self.done, TURN_BYTES, reactor) {
            self.lose(slot, why);
        }
    }

    fn read(&mut self, slot: u32, reactor: &Reactor) -> io::Result<()> {
        let at = slot as usize;
        let Some(channel) = self.all.get(at) else {
            return Ok(());
        };
        let turn_end = channel.moved().bytes() + TURN_BYTES;
        while self.all[at].moved().bytes() < turn_end {
            match self.all[at].read(&mut self.memory)? {
                Found::Nothing => break,
                Found::Head(header) => self.begin(slot, header, reactor)?,
                Found::Whole(header, sink) => self.end(slot, header, sink),
                Found::End => return Err(closed()),
            }
        }
        self.all[at].rest()
    }

    /// A header has come.
    fn begin(&mut self, slot: u32, header: Header, reactor: &Reactor) -> io::Result<()> {
        let channel = &mut self.all[slot as usize];
        let receive = match header.kind {
            Kind::Granted => {
                channel.release(header.number)?;
                self.write(slot, reactor);
                return Ok(());
            }
            Kind::Announced => {
                self.hear_announced(slot, header, reactor);
                return Ok(());
            }
            Kind::Withheld => Some(channel.redeem(header.number)?),
            Kind::Eager => self.inbox.meet(channel.peer, header.tag),
        };
        let sink = match receive {
            Some(receive) => {
                check_length(header, receive)?;
                Sink::of(receive, header)
            }
            None => Sink::aside(header),
        };
        channel.reader().direct(header, sink);
        Ok(())
    }

    fn hear_announced(&mut self, slot: u32, header: Header, reactor: &Reactor) {
        let src = self.all[slot as usize].peer;
        match self.inbox.meet(src, header.tag) {
            Some(receive) => self.grant(slot, header, receive, reactor),
            None => {
                let early = Early::Announced(header, slot);
                self.inbox.keep(src, header.tag, early);
            }
        }
    }

    fn grant(&mut self, slot: u32, header: Header, receive: Receive, reactor: &Reactor) {
        self.all[slot as usize].grant(header, receive);
        self.write(slot, reactor);
    }

    /// The last byte of a message is there.
    fn end(&mut self, slot: u32, header: Header, sink: Sink) {
        let src = self.all[slot as usize].peer;
        if let Some(token) = sink.ends {
            return self.note_taken(src, header, token);
        }
        // Its receive may have begun meanwhile.
        match self.inbox.meet(src, header.tag) {
            Some(receive) => self.take_early(src, header, receive, &sink.kept()),
            None => {
                let early = Early::Whole(header, sink.kept());
                self.inbox.keep(src, header.tag, early);
            }
        }
    }

    /// A receive has begun whose message is there.
    fn take_early(&mut self, src: u32, header: Header, receive: Receive, bytes: &[u8]) {
        if let Err(why) = check_length(header, receive) {
            return self.note(src, &why);
        }
        if let (false, Content::Stored { at, .. }) = (header.is_generated, receive.content) {
            let there = self.memory.stored_mut(at..at + header.bytes);
            there.copy_from_slice(bytes);
        }
        self.note_taken(src, header, receive.token);
    }

    fn note_taken(&mut self, src: u32, header: Header, token: u32) {
        self.done.push_back(Done {
            token,
            at_ns: now_ns(),
            message: Some(Taken {
                src,
                bytes: header.bytes,
                is_announced: header.kind == Kind::Withheld,
                began_ns: header.began_ns,
            }),
        });
    }

    /// A connection is over, which matters only where something waits for its other end.
    fn lose(&mut self, slot: u32, why: io::Error) {
        let channel = &mut self.all[slot as usize];
        let is_wrong = why.kind() == io::ErrorKind::InvalidData;
        channel.break_off(why);
        let peer = channel.peer;
        if is_wrong || channel.is_busy() || self.inbox.sources().any(|src| src == peer) {
            self.complain(slot);
        }
    }

    fn check_source(&mut self, src: u32) {
        let broken = self
            .all
            .iter()
            .position(|one| one.peer == src && one.broken.is_some());
        if let Some(slot) = broken {
            self.complain(slot as u32);
        }
    }

    /// Something waits for the other end of a broken channel.
    fn complain(&mut self, slot: u32) {
        let channel = &self.all[slot as usize];
        if let Some(why) = &channel.broken {
            let trouble = trouble(channel.peer, why);
            self.trouble.get_or_insert(trouble);
        }
    }

    fn note(&mut self, peer: u32, why: &io::Error) {
        let trouble = trouble(peer, why);
        self.trouble.get_or_insert(trouble);
    }
}

fn trouble(peer: u32, why: &io::Error) -> SessionError {
    let message = format!("node {peer}: {}", error::describe(why));
    SessionError::about(error::code(why), peer, message)
}

fn closed() -> io::Error {
    io::Error::new(io::ErrorKind::UnexpectedEof, "it closed its connections")
}

fn check_length(header: Header, receive: Receive) -> io::Result<()> {
    let room = receive.content.bytes();
    if header.bytes <= room {
        return Ok(());
    }
    let what = format!(
        "a message of {} bytes is longer than its receive, {room} bytes",
        header.bytes
    );
    Err(io::Error::new(io::ErrorKind::InvalidData, what))
}
