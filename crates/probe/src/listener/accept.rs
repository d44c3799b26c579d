//! The door of a data connection: it opens to the run's token, and closes on and counts everybody else.

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::net::{IpAddr, TcpStream};
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use socket2::Socket;
use weft_plan::Options;

use crate::listener::ports::{self, PortRange};
use crate::listener::token::{TOKEN_BYTES, Token};
use crate::system::tcp_socket::{self, new_socket};

/// How long a stranger may take to present the token.
pub const PRESENT_WITHIN: Duration = Duration::from_secs(2);
/// Strangers heard at the same time; one more and the oldest is closed.
const MAX_WAITING: usize = 64;
/// The one byte that tells a peer that it is in.
pub const WELCOME: u8 = 0x57;

/// A listening socket on the measured address only.
pub struct Door {
    socket: Socket,
    token: Token,
    /// Connections closed because they did not present the token.
    pub rejected: u64,
}

/// Somebody who has connected and not yet presented the whole token.
struct Waiting {
    socket: TcpStream,
    presented: Vec<u8>,
    deadline: Instant,
}

enum Verdict {
    Undecided,
    Friend,
    Stranger,
}

impl Door {
    /// Listen on a free port of `address`, one of `ports` if there are any.
    pub fn open(
        address: IpAddr,
        ports: Option<PortRange>,
        options: &Options,
        token: Token,
    ) -> io::Result<Door> {
        Ok(Door {
            socket: listen(address, ports, options, 128)?,
            token,
            rejected: 0,
        })
    }

    pub fn port(&self) -> io::Result<u16> {
        ports::port(&self.socket)
    }

    /// Wait for the peer that presents the token; everybody who came in vain is counted.
    pub fn admit(&mut self, patience: Duration) -> io::Result<TcpStream> {
        let deadline = Instant::now() + patience;
        let mut waiting = VecDeque::new();
        while Instant::now() < deadline {
            self.wait_for_news(&waiting)?;
            self.take_in(&mut waiting)?;
            if let Some(friend) = self.hear(&mut waiting) {
                self.rejected += waiting.len() as u64;
                return welcome(friend);
            }
        }
        Err(io::Error::new(
            io::ErrorKind::TimedOut,
            "the peer did not connect in time",
        ))
    }

    /// Close on everybody who is still queueing, and count them.
    pub fn turn_away_queue(&mut self) {
        while let Ok((_, _)) = self.socket.accept() {
            self.rejected += 1;
        }
    }

    fn wait_for_news(&self, waiting: &VecDeque<Waiting>) -> io::Result<()> {
        let mut fds = vec![PollFd::new(self.socket.as_fd(), PollFlags::POLLIN)];
        fds.extend(
            waiting
                .iter()
                .map(|one| PollFd::new(one.socket.as_fd(), PollFlags::POLLIN)),
        );
        match poll(&mut fds, PollTimeout::from(50_u8)) {
            Ok(_) | Err(nix::errno::Errno::EINTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    fn take_in(&mut self, waiting: &mut VecDeque<Waiting>) -> io::Result<()> {
        for _ in 0..MAX_WAITING {
            let Ok((socket, _)) = self.socket.accept() else {
                break;
            };
            socket.set_nonblocking(true)?;
            let deadline = Instant::now() + PRESENT_WITHIN;
            waiting.push_back(Waiting {
                socket: socket.into(),
                presented: Vec::new(),
                deadline,
            });
            if waiting.len() > MAX_WAITING {
                waiting.pop_front();
                self.rejected += 1;
            }
        }
        Ok(())
    }

    fn hear(&mut self, waiting: &mut VecDeque<Waiting>) -> Option<TcpStream> {
        for _ in 0..waiting.len() {
            let mut one = waiting.pop_front()?;
            match one.listen(&self.token) {
                Verdict::Friend => return Some(one.socket),
                Verdict::Stranger => self.rejected += 1,
                Verdict::Undecided => waiting.push_back(one),
            }
        }
        None
    }
}

impl Waiting {
    fn listen(&mut self, token: &Token) -> Verdict {
        let mut bytes = [0; TOKEN_BYTES];
        let missing = TOKEN_BYTES - self.presented.len();
        match self.socket.read(&mut bytes[..missing]) {
            Ok(0) => return Verdict::Stranger,
            Ok(count) => self.presented.extend_from_slice(&bytes[..count]),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(_) => return Verdict::Stranger,
        }
        match <[u8; TOKEN_BYTES]>::try_from(&self.presented[..]) {
            Ok(presented) if token.matches(&presented) => Verdict::Friend,
            Ok(_) => Verdict::Stranger,
            Err(_) if Instant::now() > self.deadline => Verdict::Stranger,
            Err(_) => Verdict::Undecided,
        }
    }
}

fn welcome(mut socket: TcpStream) -> io::Result<TcpStream> {
    socket.set_nonblocking(false)?;
    socket.write_all(&[WELCOME])?;
    Ok(socket)
}

/// A socket that listens on a free port of `address`, with a step's options, and does not block.
pub fn listen(
    address: IpAddr,
    ports: Option<PortRange>,
    options: &Options,
    backlog: i32,
) -> io::Result<Socket> {
    let socket = ports::listen(address, ports, backlog, || {
        let socket = new_socket(address)?;
        tcp_socket::apply(&socket, options)?;
        Ok(socket)
    })?;
    socket.set_nonblocking(true)?;
    Ok(socket)
}
