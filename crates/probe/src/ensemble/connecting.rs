//! Connections on their way to a peer's door.

use std::io;
use std::net::{IpAddr, SocketAddr, TcpStream};
use std::os::fd::AsRawFd;

use socket2::{SockRef, Socket};
use weft_plan::Options;

use super::event_loop::reactor::{Interest, Key, Reactor};
use super::event_loop::slots::Slots;
use crate::listener::connect::was_pushed_out;
use crate::listener::handshake::Caller;
use crate::listener::place::Place;
use crate::listener::token::Token;
use crate::system::clock::now_ns;
use crate::system::tcp_socket::{self, new_socket};

/// Whom to connect to, from where, and what to say there.
#[derive(Clone, Copy, Debug)]
pub struct Errand {
    pub node: u32,
    pub from: IpAddr,
    pub to: SocketAddr,
    pub place: Place,
    /// Until when to try again when a crowd of strangers pushed us out.
    pub retry_until_ns: u64,
}

/// What has become of an errand.
pub enum Outcome {
    Entered(TcpStream),
    Failed(io::Error),
}

struct Dial {
    errand: Errand,
    socket: TcpStream,
    /// Once it is connected.
    caller: Option<Caller>,
}

/// All connections on their way.
pub struct Dials {
    options: Options,
    token: Token,
    underway: Slots<Dial>,
}

impl Dials {
    pub fn new(options: Options, token: Token) -> Dials {
        Dials {
            options,
            token,
            underway: Slots::new(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.underway.is_empty()
    }

    /// The nodes whose doors have not let us in yet.
    pub fn nodes(&self) -> impl Iterator<Item = u32> {
        self.errands().map(|errand| errand.node)
    }

    /// What is still on its way.
    pub fn errands(&self) -> impl Iterator<Item = &Errand> {
        self.underway.iter().map(|(_, dial)| &dial.errand)
    }

    /// Set out; fails when the kernel knows no way.
    pub fn start(&mut self, errand: Errand, reactor: &Reactor) -> io::Result<()> {
        let socket = connect(&errand, &self.options)?;
        reactor.watch(&socket, Key::Dial(self.underway.next()), Interest::Write)?;
        self.underway.insert(Dial {
            errand,
            socket,
            caller: None,
        });
        Ok(())
    }

    /// Go on with one; the errand comes back with its outcome when it has one.
    pub fn advance(
        &mut self,
        slot: u32,
        reactor: &Reactor,
    ) -> io::Result<Option<(Errand, Outcome)>> {
        let Some(dial) = self.underway.get_mut(slot) else {
            return Ok(None);
        };
        let outcome = match dial.step(&self.token, Key::Dial(slot), reactor) {
            Ok(false) => return Ok(None),
            Ok(true) => None,
            Err(error) => Some(error),
        };
        let Dial { errand, socket, .. } = self.underway.take(slot).expect("it was there");
        reactor.forget(&socket)?;
        match outcome {
            None => Ok(Some((errand, Outcome::Entered(socket)))),
            Some(error) => Ok(self.retry(errand, error, reactor)),
        }
    }

    fn retry(
        &mut self,
        errand: Errand,
        error: io::Error,
        reactor: &Reactor,
    ) -> Option<(Errand, Outcome)> {
        if !was_pushed_out(&error) || now_ns() > errand.retry_until_ns {
            return Some((errand, Outcome::Failed(error)));
        }
        let again = self.start(errand, reactor);
        again.err().map(|error| (errand, Outcome::Failed(error)))
    }
}

impl Dial {
    /// True when the listener has let us in.
    fn step(&mut self, token: &Token, key: Key, reactor: &Reactor) -> io::Result<bool> {
        if self.caller.is_none() {
            if !self.is_connected()? {
                return Ok(false);
            }
            self.caller = Some(Caller::new(self.errand.place, token));
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

fn connect(errand: &Errand, options: &Options) -> io::Result<TcpStream> {
    let socket = new_socket(errand.from)?;
    tcp_socket::apply(&socket, options)?;
    socket.set_nonblocking(true)?;
    bind_late(&socket);
    socket.bind(&SocketAddr::new(errand.from, 0).into())?;
    match socket.connect(&errand.to.into()) {
        Ok(()) => {}
        Err(error) if error.raw_os_error() == Some(libc::EINPROGRESS) => {}
        Err(error) => return Err(error),
    }
    Ok(socket.into())
}

/// Let the kernel choose the port when it knows the peer: thousands of connections that have just ended would
/// otherwise use up the ports of this address. An old kernel that refuses only has fewer ports.
fn bind_late(socket: &Socket) {
    let on: libc::c_int = 1;
    // SAFETY: the pointer and length describe `on`, which outlives the call.
    unsafe {
        libc::setsockopt(
            SockRef::from(socket).as_raw_fd(),
            libc::SOL_IP,
            libc::IP_BIND_ADDRESS_NO_PORT,
            (&raw const on).cast(),
            size_of_val(&on) as libc::socklen_t,
        );
    }
}
