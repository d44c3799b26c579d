//! Answering others before a run: a port that can be connected to, and datagrams that come back short.

use std::io;
use std::net::{IpAddr, SocketAddr, TcpListener, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use nix::time::{ClockId, clock_gettime};

use crate::listener::token::{TOKEN_BYTES, Token};

const LOOK_UP: Duration = Duration::from_millis(100);
/// A question: the token, then a number. The answer is shorter, so that nobody is flooded by way of us.
pub const QUESTION_BYTES: usize = TOKEN_BYTES + 8;
/// An answer: the number, then the time of day.
pub const ANSWER_BYTES: usize = 16;

/// Answers on some addresses until it is dropped.
pub struct Echo {
    pub ports: Vec<u16>,
    over: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
    _doors: Vec<TcpListener>,
}

impl Echo {
    /// Open a port on each address for TCP and the same for UDP, out of a range where there is one.
    pub fn open(
        addresses: &[IpAddr],
        token: &Token,
        range: Option<(u16, u16)>,
    ) -> io::Result<Echo> {
        let over = Arc::new(AtomicBool::new(false));
        let mut echo = Echo {
            ports: Vec::new(),
            over,
            threads: Vec::new(),
            _doors: Vec::new(),
        };
        for address in addresses {
            let (door, socket) = open_pair(*address, range)?;
            echo.ports.push(door.local_addr()?.port());
            echo._doors.push(door);
            let (over, token) = (echo.over.clone(), token.clone());
            socket.set_read_timeout(Some(LOOK_UP))?;
            let answering = thread::Builder::new()
                .stack_size(256 << 10)
                .spawn(move || answer(&socket, &token, &over))?;
            echo.threads.push(answering);
        }
        Ok(echo)
    }
}

impl Drop for Echo {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

/// A listener, and a socket for datagrams on the same port.
fn open_pair(address: IpAddr, range: Option<(u16, u16)>) -> io::Result<(TcpListener, UdpSocket)> {
    let (first, last) = range.unwrap_or((0, 0));
    let mut outcome = Err(io::Error::from(io::ErrorKind::AddrInUse));
    for port in first..=last {
        outcome = TcpListener::bind(SocketAddr::new(address, port)).and_then(|door| {
            let socket = UdpSocket::bind(door.local_addr()?)?;
            Ok((door, socket))
        });
        if outcome.is_ok() {
            break;
        }
    }
    outcome
}

fn answer(socket: &UdpSocket, token: &Token, over: &AtomicBool) {
    let mut question = vec![0; 1 << 16];
    while !over.load(Ordering::Relaxed) {
        let Ok((length, from)) = socket.recv_from(&mut question) else {
            continue;
        };
        if let Some(number) = number_of(&question[..length], token) {
            let mut reply = [0; ANSWER_BYTES];
            reply[..8].copy_from_slice(number);
            reply[8..].copy_from_slice(&time_of_day_ns().to_le_bytes());
            // An answer that does not get through is missed by who asked.
            let _ = socket.send_to(&reply, from);
        }
    }
}

/// The number of a question that has the token.
fn number_of<'a>(question: &'a [u8], token: &Token) -> Option<&'a [u8]> {
    let (presented, rest) = question.split_first_chunk::<TOKEN_BYTES>()?;
    token.matches(presented).then_some(rest.get(..8)?)
}

/// Nanoseconds since 1970, as this node believes.
pub fn time_of_day_ns() -> i64 {
    let time = clock_gettime(ClockId::CLOCK_REALTIME).expect("CLOCK_REALTIME always exists");
    time.tv_sec() * 1_000_000_000 + time.tv_nsec()
}
