//! The listening end of a pair's connections: the peer with the token gets in, everything else is closed and counted.

use std::collections::VecDeque;
use std::io;
use std::net::IpAddr;
use std::time::{Duration, Instant};

use rustix::event::PollFlags;
use socket2::Socket;
use weft_plan::Options;

use super::handshake::{Guest, Verdict};
use super::place::Place;
use super::ports::{self, PortRange};
use super::refused::Refused;
use super::token::Token;
use crate::system::poll::poll;
use crate::system::tcp_socket;

/// How long a connection may take to show that it has the token.
pub const ADMIT_WITHIN: Duration = Duration::from_secs(2);
/// Connections heard at the same time; one more and the oldest is closed.
const MOST_GUESTS: usize = 64;
const POLL_FOR: Duration = Duration::from_millis(50);
const BACKLOG: i32 = 128;

/// A listening socket.
pub struct Listener {
    socket: Socket,
    token: Token,
    /// Counts connections closed because they had not the token, or asked for another place.
    refused: Refused,
}

/// A connection that has not yet shown that it has the token.
struct Waiting {
    guest: Guest<Socket>,
    deadline: Instant,
}

impl Listener {
    /// Listen on a free port of `address`, one of `ports` if there are any.
    pub fn open(
        address: IpAddr,
        ports: Option<PortRange>,
        options: &Options,
        (token, refused): (&Token, &Refused),
    ) -> io::Result<Listener> {
        Listener::of(listen(address, ports, options, BACKLOG)?, token, refused)
    }

    /// Use a socket that listens already.
    pub fn of(socket: Socket, token: &Token, refused: &Refused) -> io::Result<Listener> {
        socket.set_nonblocking(true)?;
        Ok(Listener {
            socket,
            token: token.clone(),
            refused: refused.clone(),
        })
    }

    pub fn port(&self) -> io::Result<u16> {
        ports::port(&self.socket)
    }

    /// Wait for the peer's connection for a place; it blocks, and has no time-outs.
    pub fn accept(&mut self, place: Place, patience: Duration) -> io::Result<Socket> {
        let deadline = Instant::now() + patience;
        let mut waiting = VecDeque::new();
        while Instant::now() < deadline {
            self.wait_for_news(&waiting)?;
            self.take_in(&mut waiting)?;
            if let Some(guest) = self.hear(&mut waiting, place) {
                self.refused.add(waiting.len());
                let socket = guest.welcome(&self.token)?;
                socket.set_nonblocking(false)?;
                return Ok(socket);
            }
        }
        Err(io::Error::new(
            io::ErrorKind::TimedOut,
            "the peer did not connect in time",
        ))
    }

    /// Close, and count what is still in the queue.
    pub fn close(self) {
        while self.socket.accept().is_ok() {
            self.refused.add(1);
        }
    }

    fn wait_for_news(&self, waiting: &VecDeque<Waiting>) -> io::Result<()> {
        let guests = waiting.iter().map(|one| one.guest.socket());
        let sockets = guests.chain([&self.socket]);
        poll(
            sockets.map(|socket| (socket, PollFlags::IN)),
            Some(POLL_FOR),
        )
        .map(drop)
    }

    fn take_in(&mut self, waiting: &mut VecDeque<Waiting>) -> io::Result<()> {
        for _ in 0..MOST_GUESTS {
            let Ok((socket, _)) = self.socket.accept() else {
                break;
            };
            socket.set_nonblocking(true)?;
            let deadline = Instant::now() + ADMIT_WITHIN;
            match Guest::challenge(socket) {
                Ok(guest) => waiting.push_back(Waiting { guest, deadline }),
                Err(_) => self.refused.add(1),
            }
            if waiting.len() > MOST_GUESTS {
                waiting.pop_front();
                self.refused.add(1);
            }
        }
        Ok(())
    }

    fn hear(&mut self, waiting: &mut VecDeque<Waiting>, place: Place) -> Option<Guest<Socket>> {
        for _ in 0..waiting.len() {
            let mut one = waiting.pop_front()?;
            match one.guest.hear(&self.token) {
                Verdict::Admitted(asked) if asked == place => return Some(one.guest),
                Verdict::Undecided if Instant::now() < one.deadline => waiting.push_back(one),
                _ => self.refused.add(1),
            }
        }
        None
    }
}

/// A socket that listens on a free port of `address`, with a step's options, and does not block.
pub fn listen(
    address: IpAddr,
    ports: Option<PortRange>,
    options: &Options,
    backlog: i32,
) -> io::Result<Socket> {
    let socket = ports::listen(address, ports, backlog, || {
        let socket = tcp_socket::new_socket(address)?;
        tcp_socket::apply(&socket, options)?;
        Ok(socket)
    })?;
    socket.set_nonblocking(true)?;
    Ok(socket)
}
