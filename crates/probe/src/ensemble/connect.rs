//! Connections to peers' listeners that have not been let in yet.

use std::io;
use std::net::{IpAddr, SocketAddr, TcpStream};

use rustix::io::Errno;
use socket2::Socket;
use weft_plan::Options;

use super::event_loop::reactor::{Interest, Key, Reactor};
use super::event_loop::slots::Slots;
use crate::listener::connect::was_pushed_out;
use crate::listener::handshake::Caller;
use crate::listener::place::Place;
use crate::listener::token::Token;
use crate::system::clock::now_ns;
use crate::system::socket_option;
use crate::system::tcp_socket::{self, new_socket};

/// Whom to connect to, from where, and what to say there.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    pub node: u32,
    pub from: IpAddr,
    /// To connect from; any where it is 0.
    pub port: u16,
    pub to: SocketAddr,
    pub place: Place,
    /// Until when to try again after the listener closed this one for newer ones.
    pub retry_until_ns: u64,
}

/// What has become of an target.
pub enum Outcome {
    Entered(TcpStream),
    Failed(io::Error),
}

struct Attempt {
    target: Target,
    socket: TcpStream,
    /// Once it is connected.
    caller: Option<Caller>,
}

/// All connections that are being made.
pub struct Attempts {
    options: Options,
    token: Token,
    underway: Slots<Attempt>,
}

impl Attempts {
    pub fn new(options: Options, token: Token) -> Attempts {
        Attempts {
            options,
            token,
            underway: Slots::new(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.underway.is_empty()
    }

    /// The nodes whose listeners have not let us in yet.
    pub fn nodes(&self) -> impl Iterator<Item = u32> {
        self.underway.iter().map(|(_, attempt)| attempt.target.node)
    }

    /// What has not been answered, and whether the other node's kernel has accepted the connection.
    pub fn unanswered(&self) -> impl Iterator<Item = (&Target, bool)> {
        let attempts = self.underway.iter().map(|(_, attempt)| attempt);
        attempts.map(|attempt| (&attempt.target, attempt.is_connected().unwrap_or(false)))
    }

    /// Start to connect; fails when the kernel has no route.
    pub fn start(&mut self, target: Target, reactor: &Reactor) -> io::Result<()> {
        let socket = connect(&target, &self.options)?;
        reactor.watch(&socket, Key::Attempt(self.underway.next()), Interest::Write)?;
        self.underway.insert(Attempt {
            target,
            socket,
            caller: None,
        });
        Ok(())
    }

    /// Go on with one; the target comes back with its outcome when it has one.
    pub fn advance(
        &mut self,
        slot: u32,
        reactor: &Reactor,
    ) -> io::Result<Option<(Target, Outcome)>> {
        let Some(attempt) = self.underway.get_mut(slot) else {
            return Ok(None);
        };
        let outcome = match attempt.step(&self.token, Key::Attempt(slot), reactor) {
            Ok(false) => return Ok(None),
            Ok(true) => None,
            Err(error) => Some(error),
        };
        let Attempt { target, socket, .. } = self.underway.take(slot).expect("it was there");
        reactor.forget(&socket)?;
        match outcome {
            None => Ok(Some((target, Outcome::Entered(socket)))),
            Some(error) => Ok(self.retry(target, error, reactor)),
        }
    }

    fn retry(
        &mut self,
        target: Target,
        error: io::Error,
        reactor: &Reactor,
    ) -> Option<(Target, Outcome)> {
        if !was_pushed_out(&error) || now_ns() > target.retry_until_ns {
            return Some((target, Outcome::Failed(error)));
        }
        let again = self.start(target, reactor);
        again.err().map(|error| (target, Outcome::Failed(error)))
    }
}

impl Attempt {
    /// True when the listener has let us in.
    fn step(&mut self, token: &Token, key: Key, reactor: &Reactor) -> io::Result<bool> {
        if self.caller.is_none() {
            if !self.is_connected()? {
                return Ok(false);
            }
            self.caller = Some(Caller::new(self.target.place, token));
            reactor.rewatch(&self.socket, key, Interest::Read)?;
        }
        let caller = self.caller.as_mut().expect("it is connected");
        match caller.advance(&mut self.socket) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(false),
            other => other,
        }
    }

    fn is_connected(&self) -> io::Result<bool> {
        if let Some(error) = self.socket.take_error()? {
            return Err(error);
        }
        match self.socket.peer_addr() {
            Ok(_) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotConnected => Ok(false),
            Err(error) => Err(error),
        }
    }
}

fn connect(target: &Target, options: &Options) -> io::Result<TcpStream> {
    let socket = new_socket(target.from)?;
    tcp_socket::apply(&socket, options)?;
    socket.set_nonblocking(true)?;
    match target.port {
        0 => bind_late(&socket),
        // What was closed from there a moment ago may linger at the other end.
        _ => socket.set_reuse_address(true)?,
    }
    socket.bind(&SocketAddr::new(target.from, target.port).into())?;
    match socket.connect(&target.to.into()) {
        Ok(()) => {}
        Err(error) if error.raw_os_error() == Some(Errno::INPROGRESS.raw_os_error()) => {}
        Err(error) => return Err(error),
    }
    Ok(socket.into())
}

/// Let the kernel choose the port when the peer is given: thousands of connections that have just ended would
/// otherwise use up the ports of this address. An old kernel that refuses only has fewer ports.
fn bind_late(socket: &Socket) {
    let _ = socket_option::set(socket, libc::SOL_IP, libc::IP_BIND_ADDRESS_NO_PORT, 1);
}
