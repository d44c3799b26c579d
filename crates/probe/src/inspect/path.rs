//! The path to another node: whether connections and datagrams get there, how far its clock is, how large frames may be.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use serde::Serialize;
use socket2::{Domain, Socket, Type};

use super::path_mtu;
use super::question::{Answer, Asker, Peer};
use crate::listener::reachability;
use crate::listener::token::Token;

const CONNECT_WITHIN: Duration = Duration::from_secs(2);
const QUESTIONS: u64 = 10;

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

/// Try a path once; never fails, says what does.
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

/// The peer's echo listens, as its agent has said: what prevents a connection is on the path.
fn meaning(error: &io::Error, peer: &Peer) -> String {
    reachability::meaning(error, peer.from, peer.to).unwrap_or_else(|| error.to_string())
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
