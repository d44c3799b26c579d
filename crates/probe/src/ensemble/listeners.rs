//! The doors of a session: one on each measured address, open to the run's token until the session ends.

use std::io::{self, Read, Write};
use std::net::{IpAddr, TcpStream};

use socket2::Socket;
use weft_plan::Options;

use super::event_loop::reactor::{Interest, Key, Reactor};
use super::event_loop::slots::Slots;
use super::purpose::{HELLO_BYTES, Hello};
use crate::listener::accept::{self, PRESENT_WITHIN, WELCOME};
use crate::listener::ports::{PortRange, port};
use crate::listener::token::{TOKEN_BYTES, Token};
use crate::system::clock::now_ns;

/// Heard at the same time; one more and the oldest is closed. All streams of a large phase may come at once.
const MOST_GUESTS: usize = 1024;
/// Taken in one go, so that a crowd at the door does not keep the transfers waiting.
const ACCEPTED_AT_ONCE: usize = 64;

/// Listening sockets and those who have come in and not yet said who they are.
pub struct Doors {
    sockets: Vec<Socket>,
    token: Token,
    guests: Slots<Guest>,
    /// Connections closed because they did not present the token and a proper hello.
    pub rejected: u64,
}

struct Guest {
    socket: TcpStream,
    network: u32,
    presented: [u8; HELLO_BYTES],
    length: usize,
    deadline_ns: u64,
}

enum Verdict {
    Undecided,
    Friend(Hello),
    Stranger,
}

impl Doors {
    /// Listen on a free port of each address, one of `ports` if there are any.
    pub fn open(
        addresses: &[IpAddr],
        ports: Option<PortRange>,
        options: &Options,
        token: Token,
        reactor: &Reactor,
    ) -> io::Result<Doors> {
        let sockets = addresses
            .iter()
            .map(|address| accept::listen(*address, ports, options, MOST_GUESTS as i32))
            .collect::<io::Result<Vec<_>>>()?;
        for (number, socket) in (0..).zip(&sockets) {
            reactor.watch(socket, Key::Door(number), Interest::Read)?;
        }
        Ok(Doors {
            sockets,
            token,
            guests: Slots::new(),
            rejected: 0,
        })
    }

    /// The port of each door, in the order of the addresses.
    pub fn ports(&self) -> io::Result<Vec<u16>> {
        self.sockets.iter().map(port).collect()
    }

    /// Take in who is waiting at a door.
    pub fn accept(&mut self, number: u32, reactor: &Reactor) -> io::Result<()> {
        for _ in 0..ACCEPTED_AT_ONCE {
            let Ok((socket, _)) = self.sockets[number as usize].accept() else {
                break;
            };
            socket.set_nonblocking(true)?;
            self.make_room();
            reactor.watch(&socket, Key::Guest(self.guests.next()), Interest::Read)?;
            self.guests.insert(Guest {
                socket: socket.into(),
                network: number,
                presented: [0; HELLO_BYTES],
                length: 0,
                deadline_ns: now_ns() + PRESENT_WITHIN.as_nanos() as u64,
            });
        }
        Ok(())
    }

    /// Hear a guest out; a friend is told that it is in, and is no longer watched.
    pub fn hear(
        &mut self,
        guest: u32,
        reactor: &Reactor,
    ) -> io::Result<Option<(Hello, TcpStream)>> {
        let Some(found) = self.guests.get_mut(guest) else {
            return Ok(None);
        };
        match found.listen(&self.token) {
            Verdict::Undecided => Ok(None),
            Verdict::Stranger => {
                self.reject(guest);
                Ok(None)
            }
            Verdict::Friend(hello) => {
                let mut socket = self.guests.take(guest).expect("it has spoken").socket;
                reactor.forget(&socket)?;
                let is_welcome = socket.write_all(&[WELCOME]).is_ok();
                Ok(is_welcome.then_some((hello, socket)))
            }
        }
    }

    /// Close on guests who took too long.
    pub fn expire(&mut self, now_ns: u64) {
        let late: Vec<u32> = self
            .guests
            .iter()
            .filter(|(_, guest)| guest.deadline_ns <= now_ns)
            .map(|(slot, _)| slot)
            .collect();
        for slot in late {
            self.reject(slot);
        }
    }

    /// When somebody will have taken too long.
    pub fn deadline_ns(&self) -> Option<u64> {
        self.guests.iter().map(|(_, guest)| guest.deadline_ns).min()
    }

    /// Close on everybody who has not come in yet, and count them.
    pub fn close(&mut self) -> u64 {
        self.rejected += self.guests.len() as u64;
        self.guests.clear();
        for socket in self.sockets.drain(..) {
            while socket.accept().is_ok() {
                self.rejected += 1;
            }
        }
        self.rejected
    }

    fn reject(&mut self, guest: u32) {
        self.rejected += u64::from(self.guests.take(guest).is_some());
    }

    fn make_room(&mut self) {
        if self.guests.len() < MOST_GUESTS {
            return;
        }
        let oldest = self
            .guests
            .iter()
            .min_by_key(|(_, guest)| guest.deadline_ns);
        if let Some(slot) = oldest.map(|(slot, _)| slot) {
            self.reject(slot);
        }
    }
}

impl Guest {
    fn listen(&mut self, token: &Token) -> Verdict {
        match self.socket.read(&mut self.presented[self.length..]) {
            Ok(0) => return Verdict::Stranger,
            Ok(count) => self.length += count,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Verdict::Undecided,
            Err(_) => return Verdict::Stranger,
        }
        if self.length < TOKEN_BYTES {
            return Verdict::Undecided;
        }
        let presented = self.presented.first_chunk().expect("longer than a token");
        if !token.matches(presented) {
            return Verdict::Stranger;
        }
        if self.length < HELLO_BYTES {
            return Verdict::Undecided;
        }
        match Hello::from_wire(&self.presented) {
            Some(hello) if hello.network == self.network => Verdict::Friend(hello),
            _ => Verdict::Stranger,
        }
    }
}
