//! Answering others before a run: a port that can be connected to, and datagrams that come back short.

use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, SocketAddr, TcpListener, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use super::datagram::Question;
use crate::listener::refused::Refused;
use crate::listener::token::{Nonce, Token};
use crate::system::clock::time_of_day_ns;

const LOOK_UP: Duration = Duration::from_millis(100);

/// Answers on some addresses until it is dropped.
pub struct Echo {
    pub ports: Vec<u16>,
    /// Datagrams that did not show the token, or were replayed from elsewhere.
    pub refused: Refused,
    over: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
    _listeners: Vec<TcpListener>,
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
            refused: Refused::default(),
            over,
            threads: Vec::new(),
            _listeners: Vec::new(),
        };
        for address in addresses {
            let (listener, socket) = open_pair(*address, range)?;
            echo.ports.push(listener.local_addr()?.port());
            echo._listeners.push(listener);
            let (over, token, refused) = (echo.over.clone(), token.clone(), echo.refused.clone());
            socket.set_read_timeout(Some(LOOK_UP))?;
            let answering = thread::Builder::new()
                .stack_size(256 << 10)
                .spawn(move || answer(&socket, &token, &refused, &over))?;
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
        outcome = TcpListener::bind(SocketAddr::new(address, port)).and_then(|listener| {
            let socket = UdpSocket::bind(listener.local_addr()?)?;
            Ok((listener, socket))
        });
        if outcome.is_ok() {
            break;
        }
    }
    outcome
}

/// Answers each question once.
fn answer(socket: &UdpSocket, token: &Token, refused: &Refused, over: &AtomicBool) {
    let Ok(here) = socket.local_addr() else {
        return;
    };
    let mut heard = vec![0; 1 << 16];
    let mut askers = HashMap::new();
    while !over.load(Ordering::Relaxed) {
        let Ok((length, from)) = socket.recv_from(&mut heard) else {
            continue;
        };
        let question = Question::from_wire(&heard[..length], here, token);
        match question.map(|question| (question, is_new(&mut askers, question, from))) {
            Some((question, Some(true))) => {
                // An answer that does not get through is missed by the asking end.
                let _ = socket.send_to(&question.answer(time_of_day_ns(), token), from);
            }
            // The network may bring a datagram twice.
            Some((_, Some(false))) => {}
            Some((_, None)) | None => refused.add(1),
        }
    }
}

/// Whether a question comes for the first time; `None` where it was another socket's.
fn is_new(
    askers: &mut HashMap<Nonce, (SocketAddr, u64)>,
    question: Question,
    from: SocketAddr,
) -> Option<bool> {
    let (source, latest) = askers.entry(question.nonce).or_insert((from, 0));
    let is_new = question.number > *latest;
    *latest = question.number.max(*latest);
    (*source == from).then_some(is_new)
}
