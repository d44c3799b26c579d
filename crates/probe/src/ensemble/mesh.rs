//! The barrier's connections: each member sends to the members 1, 2, 4, ... places further and receives from those
//! that many places back.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};

use super::error::SessionError;
use super::event_loop::reactor::{Interest, Key, Reactor};

const MARK_BYTES: usize = 16;
const ENTERED: u32 = 0x7765_6201;
const LEAVING: u32 = 0x7765_6202;
const NO_NODE: u32 = u32::MAX;
/// A peer can be one barrier ahead of us, not more.
const MOST_AHEAD: usize = 2;

/// One round of one barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Barriers of the session before this one.
    pub sequence: u32,
    pub phase: u32,
    pub round: u32,
}

/// The member that the one at `position` of `members` sends to in each round, and the one that sends to it.
pub fn partners(members: &[u32], position: usize) -> Vec<(u32, u32)> {
    let count = members.len();
    let strides = std::iter::successors(Some(1), |stride| Some(stride * 2));
    strides
        .take_while(|stride| *stride < count)
        .map(|stride| {
            let to = (position + stride) % count;
            let from = (position + count - stride) % count;
            (members[to], members[from])
        })
        .collect()
}

/// A connection that carries marks in one direction and farewells in both.
struct Link {
    node: u32,
    socket: TcpStream,
    partial: [u8; MARK_BYTES],
    length: usize,
    heard: Vec<Mark>,
}

/// All links of a member; link 2r goes to the partner of round r, link 2r+1 comes from one.
pub struct Mesh {
    links: Vec<Link>,
}

impl Mesh {
    /// Watch connected sockets: of each round the one to a partner and the one from a partner.
    pub fn new(
        partners: &[(u32, u32)],
        sockets: Vec<(TcpStream, TcpStream)>,
        reactor: &Reactor,
    ) -> io::Result<Mesh> {
        let mut links = Vec::with_capacity(2 * partners.len());
        for ((to, from), (outgoing, incoming)) in partners.iter().zip(sockets) {
            links.push(Link::new(*to, outgoing)?);
            links.push(Link::new(*from, incoming)?);
        }
        for (slot, link) in (0..).zip(&links) {
            reactor.watch(&link.socket, Key::Link(slot), Interest::Read)?;
        }
        Ok(Mesh { links })
    }

    pub fn rounds(&self) -> u32 {
        self.links.len() as u32 / 2
    }

    /// The member that is heard from in a round.
    pub fn source(&self, round: u32) -> u32 {
        self.links[2 * round as usize + 1].node
    }

    /// Tell the partner of a round that we are there.
    pub fn announce(&mut self, mark: Mark, reactor: &Reactor) -> Result<(), SessionError> {
        let slot = 2 * mark.round;
        let link = &mut self.links[slot as usize];
        let words = [ENTERED, mark.sequence, mark.phase, mark.round];
        let Err(error) = link.send(words) else {
            return Ok(());
        };
        // It may have told us why it went.
        let node = link.node;
        self.read(slot, reactor)?;
        Err(SessionError::lost(node, &error.to_string()))
    }

    /// What the partner of a round has said first, if it has; an unexpected mark is an error.
    pub fn hear(&mut self, expected: Mark) -> Result<bool, SessionError> {
        let link = &mut self.links[2 * expected.round as usize + 1];
        if link.heard.is_empty() {
            return Ok(false);
        }
        let mark = link.heard.remove(0);
        if mark == expected {
            return Ok(true);
        }
        Err(SessionError::about(
            "out-of-step",
            link.node,
            format!(
                "node {} is out of step: it is in {mark:?} where {expected:?} should be",
                link.node
            ),
        ))
    }

    /// Read what a link has for us.
    pub fn read(&mut self, slot: u32, reactor: &Reactor) -> Result<(), SessionError> {
        let Some(link) = self.links.get_mut(slot as usize) else {
            return Ok(());
        };
        loop {
            match link.socket.read(&mut link.partial[link.length..]) {
                Ok(0) => return Err(SessionError::lost(link.node, "it closed its connections")),
                Ok(count) => link.length += count,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(SessionError::lost(link.node, &error.to_string())),
            }
            if link.length == MARK_BYTES && link.take()? {
                reactor.forget(&link.socket)?;
                return Ok(());
            }
        }
    }

    /// Tell all partners that this member leaves, and which node failed, so that they do not report this one.
    pub fn leave(&mut self, failed: Option<u32>) {
        for link in &mut self.links {
            let _ = link.send([LEAVING, failed.unwrap_or(NO_NODE), 0, 0]);
            let _ = link.socket.shutdown(Shutdown::Write);
        }
    }
}

impl Link {
    fn new(node: u32, socket: TcpStream) -> io::Result<Link> {
        socket.set_nodelay(true)?;
        Ok(Link {
            node,
            socket,
            partial: [0; MARK_BYTES],
            length: 0,
            heard: Vec::with_capacity(MOST_AHEAD),
        })
    }

    /// So few bytes are underway on a link that the kernel always has room for them.
    fn send(&mut self, words: [u32; 4]) -> io::Result<()> {
        let mut bytes = [0; MARK_BYTES];
        for (chunk, word) in bytes.chunks_exact_mut(4).zip(words) {
            chunk.copy_from_slice(&word.to_le_bytes());
        }
        self.socket.write_all(&bytes)
    }

    /// Interpret a whole message; true when the peer has left in peace.
    fn take(&mut self) -> Result<bool, SessionError> {
        self.length = 0;
        let word = |at: usize| {
            let bytes = &self.partial[4 * at..4 * at + 4];
            u32::from_le_bytes(bytes.try_into().expect("4 bytes"))
        };
        let mark = Mark {
            sequence: word(1),
            phase: word(2),
            round: word(3),
        };
        match (word(0), word(1)) {
            (ENTERED, _) if self.heard.len() < MOST_AHEAD => self.heard.push(mark),
            (LEAVING, NO_NODE) => return Ok(true),
            (LEAVING, failed) => {
                let how = format!("node {} says so", self.node);
                return Err(SessionError::lost(failed, &how));
            }
            _ => {
                let message = format!("node {} sends garbled barrier messages", self.node);
                return Err(SessionError::about("out-of-step", self.node, message));
            }
        }
        Ok(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// After round r each member has heard, directly or not, from 2^(r+1) - 1 predecessors.
    #[test]
    fn after_the_last_round_everybody_has_heard_of_everybody() {
        for count in 2..70_usize {
            let members: Vec<u32> = (0..count as u32).map(|node| node * 3).collect();
            let mut known: Vec<Vec<u32>> = members.iter().map(|node| vec![*node]).collect();
            for round in 0..partners(&members, 0).len() {
                let before = known.clone();
                for (position, mine) in known.iter_mut().enumerate() {
                    let from = partners(&members, position)[round].1;
                    mine.extend(&before[from as usize / 3]);
                    mine.sort_unstable();
                    mine.dedup();
                }
            }
            assert!(known.iter().all(|mine| mine.len() == count), "{count}");
        }
    }

    #[test]
    fn a_partner_is_heard_by_whom_it_hears() {
        let members = [4, 7, 9, 2, 5];
        for (position, node) in members.iter().enumerate() {
            for (round, (to, _)) in partners(&members, position).iter().enumerate() {
                let there = members.iter().position(|other| other == to).unwrap();
                assert_eq!(partners(&members, there)[round].1, *node);
            }
        }
    }
}
