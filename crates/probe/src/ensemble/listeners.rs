//! The listeners of a session: one on each measured address, open until the session ends to what has the run's token.

use std::io;
use std::net::{IpAddr, TcpStream};

use socket2::Socket;
use weft_plan::Options;

use super::event_loop::reactor::{Interest, Key, Reactor};
use super::event_loop::slots::Slots;
use crate::listener::accept::{self, ADMIT_WITHIN};
use crate::listener::handshake::{self, Verdict};
use crate::listener::place::Place;
use crate::listener::ports::{self, PortRange};
use crate::listener::token::Token;
use crate::system::clock::now_ns;

/// Heard at the same time; one more and the oldest is closed, and must come again. All streams of a large phase may come at
/// once: 2 x 1024 take 0.2 s, and 0.4 to 1.3 s if only 1024 are heard. While 2000 wait, a round trip takes 2.6 us more than
/// with none, 1.3 us more with 1000 (loopback, two cores).
const MOST_GUESTS: usize = 2048;
/// Taken in one go, so that many connections at once do not keep transfers waiting.
const ACCEPTED_AT_ONCE: usize = 64;

/// Listening sockets, and connections that have not yet shown that they have the token.
pub struct Listeners {
    sockets: Vec<Socket>,
    token: Token,
    guests: Slots<Guest>,
    /// Connections closed because they had not the token, or asked for a place that was taken.
    pub rejected: u64,
}

struct Guest {
    handshake: handshake::Guest<TcpStream>,
    network: u32,
    deadline_ns: u64,
}

impl Listeners {
    /// Listen on a free port of each address, one of `ports` if there are any.
    pub fn open(
        addresses: &[IpAddr],
        ports: Option<PortRange>,
        options: &Options,
        token: Token,
        reactor: &Reactor,
    ) -> io::Result<Listeners> {
        let sockets = addresses
            .iter()
            .map(|address| accept::listen(*address, ports, options, MOST_GUESTS as i32))
            .collect::<io::Result<Vec<_>>>()?;
        for (number, socket) in (0..).zip(&sockets) {
            reactor.watch(socket, Key::Listener(number), Interest::Read)?;
        }
        Ok(Listeners {
            sockets,
            token,
            guests: Slots::new(),
            rejected: 0,
        })
    }

    /// The port of each listener, in the order of the addresses.
    pub fn ports(&self) -> io::Result<Vec<u16>> {
        self.sockets.iter().map(ports::port).collect()
    }

    /// Take in what is waiting at a listener.
    pub fn accept(&mut self, number: u32, reactor: &Reactor) -> io::Result<()> {
        for _ in 0..ACCEPTED_AT_ONCE {
            let Ok((socket, _)) = self.sockets[number as usize].accept() else {
                break;
            };
            socket.set_nonblocking(true)?;
            let Ok(handshake) = handshake::Guest::challenge(TcpStream::from(socket)) else {
                self.rejected += 1;
                continue;
            };
            self.make_room();
            let key = Key::Guest(self.guests.next());
            reactor.watch(handshake.socket(), key, Interest::Read)?;
            self.guests.insert(Guest {
                handshake,
                network: number,
                deadline_ns: now_ns() + ADMIT_WITHIN.as_nanos() as u64,
            });
        }
        Ok(())
    }

    /// Hear a guest; one that has the token is told so and is no longer watched, if `is_free` says so of its place.
    pub fn hear(
        &mut self,
        guest: u32,
        is_free: impl Fn(Place) -> bool,
        reactor: &Reactor,
    ) -> io::Result<Option<(Place, TcpStream)>> {
        let Some(found) = self.guests.get_mut(guest) else {
            return Ok(None);
        };
        let place = match found.handshake.hear(&self.token) {
            Verdict::Undecided => return Ok(None),
            Verdict::Admitted(place) if place.network == found.network && is_free(place) => place,
            _ => {
                self.reject(guest);
                return Ok(None);
            }
        };
        let guest = self.guests.take(guest).expect("it has been heard");
        reactor.forget(guest.handshake.socket())?;
        let welcomed = guest.handshake.welcome(&self.token);
        Ok(welcomed.ok().map(|socket| (place, socket)))
    }

    /// Close guests that took too long.
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

    /// When a guest will have taken too long.
    pub fn deadline_ns(&self) -> Option<u64> {
        self.guests.iter().map(|(_, guest)| guest.deadline_ns).min()
    }

    /// Close everything, and tell how many connections were refused. In peace (`is_done`) what has not come in is
    /// refused too; else it may be a peer's.
    pub fn close(&mut self, is_done: bool) -> u64 {
        let mut waiting = self.guests.len() as u64;
        for socket in self.sockets.drain(..) {
            waiting += std::iter::from_fn(|| socket.accept().ok()).count() as u64;
        }
        self.guests.clear();
        if is_done {
            self.rejected += waiting;
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
