//! The way to another node: whether connections and datagrams get there, how far its clock is, how large frames may be.

use std::io;
use std::net::{IpAddr, SocketAddr, UdpSocket};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use socket2::{Domain, Socket, Type};

use super::echo::{ANSWER_BYTES, QUESTION_BYTES, time_of_day_ns};
use super::path_mtu;
use crate::reach;
use crate::token::Token;

const CONNECT_WITHIN: Duration = Duration::from_secs(2);
const ANSWER_WITHIN: Duration = Duration::from_millis(500);
const QUESTIONS: u64 = 10;

/// A node that echoes, as seen from one that asks.
#[derive(Debug, Deserialize)]
pub struct Peer {
    pub node: u32,
    /// Which of the networks.
    pub network: u32,
    pub from: IpAddr,
    pub to: SocketAddr,
}

/// What was found; what failed is a sentence.
#[derive(Debug, Serialize)]
pub struct Path {
    pub node: u32,
    pub network: u32,
    pub connect_error: Option<String>,
    pub datagram_error: Option<String>,
    pub answered: u64,
    pub asked: u64,
    pub round_trip_us: Option<f64>,
    /// The peer's time of day minus ours, and by how much that may be wrong.
    pub clock_offset_us: Option<f64>,
    pub clock_error_us: Option<f64>,
    /// The largest packet, with its headers, that gets there unbroken.
    pub mtu_bytes: Option<u32>,
}

/// Questions over one socket, each with its number.
pub struct Asker<'a> {
    pub socket: UdpSocket,
    token: &'a Token,
    next: u64,
}

/// An answer to one question.
struct Answer {
    round_trip: Duration,
    offset_ns: i64,
}

/// Try a way once; never fails, says what does.
pub fn try_path(peer: &Peer, token: &Token) -> Path {
    let mut path = Path {
        node: peer.node,
        network: peer.network,
        connect_error: connect(peer).err().map(|error| meaning(&error, peer)),
        datagram_error: None,
        answered: 0,
        asked: QUESTIONS,
        round_trip_us: None,
        clock_offset_us: None,
        clock_error_us: None,
        mtu_bytes: None,
    };
    if let Err(error) = ask(peer, token, &mut path) {
        path.datagram_error = Some(error.to_string());
    }
    path
}

/// The peer's echo listens, as its agent has said: what keeps us from it is on the way.
fn meaning(error: &io::Error, peer: &Peer) -> String {
    reach::meaning(error, peer.from, peer.to).unwrap_or_else(|| error.to_string())
}

fn connect(peer: &Peer) -> io::Result<()> {
    let socket = Socket::new(Domain::for_address(peer.to), Type::STREAM, None)?;
    socket.bind(&SocketAddr::new(peer.from, 0).into())?;
    socket.connect_timeout(&peer.to.into(), CONNECT_WITHIN)
}

fn ask(peer: &Peer, token: &Token, path: &mut Path) -> io::Result<()> {
    let mut asker = Asker::new(peer, token)?;
    let mut quickest: Option<Answer> = None;
    for _ in 0..QUESTIONS {
        if let Some(answer) = asker.ask_small()? {
            path.answered += 1;
            if quickest
                .as_ref()
                .is_none_or(|one| answer.round_trip < one.round_trip)
            {
                quickest = Some(answer);
            }
        } else if path.answered == 0 {
            return Err(io::Error::new(
                io::ErrorKind::TimedOut,
                "no answer to datagrams",
            ));
        }
    }
    if let Some(quickest) = quickest {
        let round_trip_us = quickest.round_trip.as_nanos() as f64 / 1e3;
        path.round_trip_us = Some(round_trip_us);
        path.clock_offset_us = Some(quickest.offset_ns as f64 / 1e3);
        path.clock_error_us = Some(round_trip_us / 2.0);
        path.mtu_bytes = path_mtu::find(&mut asker, peer, quickest.round_trip);
    }
    Ok(())
}

impl<'a> Asker<'a> {
    fn new(peer: &Peer, token: &'a Token) -> io::Result<Asker<'a>> {
        let socket = UdpSocket::bind(SocketAddr::new(peer.from, 0))?;
        socket.connect(peer.to)?;
        Ok(Asker {
            socket,
            token,
            next: 0,
        })
    }

    /// A question of the least size; its answer's times, or none where it got lost.
    fn ask_small(&mut self) -> io::Result<Option<Answer>> {
        let (asked, asked_ns) = (Instant::now(), time_of_day_ns());
        let Some(theirs_ns) = self.ask(QUESTION_BYTES, ANSWER_WITHIN)? else {
            return Ok(None);
        };
        let round_trip = asked.elapsed();
        let middle_ns = asked_ns + (round_trip.as_nanos() / 2) as i64;
        Ok(Some(Answer {
            round_trip,
            offset_ns: theirs_ns - middle_ns,
        }))
    }

    /// Ask with so many bytes; gives the peer's time of day.
    pub fn ask(&mut self, bytes: usize, within: Duration) -> io::Result<Option<i64>> {
        self.next += 1;
        let mut question = vec![0; bytes.max(QUESTION_BYTES)];
        question[..QUESTION_BYTES - 8].copy_from_slice(self.token.bytes());
        question[QUESTION_BYTES - 8..QUESTION_BYTES].copy_from_slice(&self.next.to_le_bytes());
        self.socket.send(&question)?;
        self.hear(within)
    }

    /// The answer to the last question; those to earlier ones come too late.
    fn hear(&self, within: Duration) -> io::Result<Option<i64>> {
        let deadline = Instant::now() + within;
        let mut answer = [0; ANSWER_BYTES];
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(None);
            }
            self.socket
                .set_read_timeout(Some(left.max(Duration::from_millis(1))))?;
            match self.socket.recv(&mut answer) {
                Ok(ANSWER_BYTES) if answer[..8] == self.next.to_le_bytes() => {
                    let theirs = answer[8..].try_into().unwrap_or_default();
                    return Ok(Some(i64::from_le_bytes(theirs)));
                }
                Ok(_) => {}
                Err(error) if is_patience(&error) => {}
                Err(error) => return Err(error),
            }
        }
    }
}

fn is_patience(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut | io::ErrorKind::Interrupted
    )
}
