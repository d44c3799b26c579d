//! Questions over datagrams to a node that echoes.

use std::io;
use std::net::{IpAddr, SocketAddr, UdpSocket};
use std::time::{Duration, Instant};

use serde::Deserialize;

use super::datagram::{ANSWER_BYTES, QUESTION_BYTES, Question};
use crate::listener::token::{Token, nonce};
use crate::system::clock::time_of_day_ns;

const ANSWER_WITHIN: Duration = Duration::from_millis(500);

/// A node that echoes, as seen from one that asks.
#[derive(Debug, Deserialize)]
pub struct Peer {
    pub node: u32,
    /// Which of the networks.
    pub network: u32,
    pub from: IpAddr,
    pub to: SocketAddr,
}

/// Questions over one socket, each with its number.
pub struct Asker<'a> {
    pub socket: UdpSocket,
    token: &'a Token,
    to: SocketAddr,
    question: Question,
}

/// An answer to one question.
pub struct Answer {
    pub round_trip: Duration,
    pub offset_ns: i64,
}

impl<'a> Asker<'a> {
    pub fn new(peer: &Peer, token: &'a Token) -> io::Result<Asker<'a>> {
        let socket = UdpSocket::bind(SocketAddr::new(peer.from, 0))?;
        socket.connect(peer.to)?;
        Ok(Asker {
            socket,
            token,
            to: peer.to,
            question: Question {
                nonce: nonce()?,
                number: 0,
            },
        })
    }

    /// A question of the least size; its answer's times, or none where it got lost.
    pub fn ask_small(&mut self) -> io::Result<Option<Answer>> {
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
        self.question.number += 1;
        let mut question = self.question.to_wire(self.to, self.token).to_vec();
        question.resize(bytes.max(QUESTION_BYTES), 0);
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
                Ok(ANSWER_BYTES) => {
                    if let Some(theirs) = self.question.time_in(&answer, self.token) {
                        return Ok(Some(theirs));
                    }
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
