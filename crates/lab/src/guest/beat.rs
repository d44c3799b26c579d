//! Numbered datagrams at an interval, and what of them arrives: how long a path was interrupted.

use std::io::{self, ErrorKind};
use std::net::{SocketAddr, UdpSocket};
use std::thread;
use std::time::{Duration, Instant};

use serde::Serialize;

use crate::error::{Doing, Result};

/// Where to send datagrams, how often, and for how long.
#[derive(Debug)]
pub struct BeatRequest {
    pub to: SocketAddr,
    pub every: Duration,
    pub lasting: Duration,
}

/// Where to receive them, and for how long.
#[derive(Debug)]
pub struct HearRequest {
    pub at: SocketAddr,
    pub lasting: Duration,
}

/// What was sent; an interface that is down may refuse some.
#[derive(Debug, Serialize)]
struct Sent {
    sent: u64,
    refused: u64,
}

/// What arrived.
#[derive(Debug, Default, Serialize)]
struct Heard {
    received: u64,
    /// Those that came after a later one, or twice.
    late: u64,
    /// The longest time between two that arrived, of which the second is not the next of the first.
    gap_ns: u64,
    /// How many are missing there.
    lost: u64,
    #[serde(skip)]
    latest: Option<(u64, Instant)>,
}

impl Heard {
    fn take(&mut self, number: u64, now: Instant) {
        self.received += 1;
        if let Some((before, then)) = self.latest {
            if number <= before {
                self.late += 1;
                return;
            }
            let gap_ns = (now - then).as_nanos() as u64;
            if number > before + 1 && gap_ns > self.gap_ns {
                (self.gap_ns, self.lost) = (gap_ns, number - before - 1);
            }
        }
        self.latest = Some((number, now));
    }
}

/// Sends, and prints what was sent as a line of JSON.
pub fn beat(request: &BeatRequest) -> Result<()> {
    let socket = UdpSocket::bind("0.0.0.0:0").doing("open a socket")?;
    let since = Instant::now();
    let mut said = Sent {
        sent: 0,
        refused: 0,
    };
    for number in 0_u64.. {
        let due = request.every * u32::try_from(number).unwrap_or(u32::MAX);
        if due > request.lasting {
            break;
        }
        thread::sleep(due.saturating_sub(since.elapsed()));
        match socket.send_to(&number.to_le_bytes(), request.to) {
            Ok(_) => said.sent += 1,
            Err(_) => said.refused += 1,
        }
    }
    print(&said)
}

/// Receives, and prints what arrived as a line of JSON.
pub fn hear(request: &HearRequest) -> Result<()> {
    let doing = format!("receive at {}", request.at);
    let socket = UdpSocket::bind(request.at).doing(&doing)?;
    let until = Instant::now() + request.lasting;
    let mut heard = Heard::default();
    while let left = until.saturating_duration_since(Instant::now())
        && !left.is_zero()
    {
        let mut number = [0; 8];
        let received = socket
            .set_read_timeout(Some(left))
            .and_then(|()| socket.recv(&mut number));
        match received {
            Ok(8) => heard.take(u64::from_le_bytes(number), Instant::now()),
            Ok(_) => {}
            Err(error) if is_over(&error) => {}
            Err(error) => return Err(error).doing(&doing),
        }
    }
    print(&heard)
}

fn is_over(error: &io::Error) -> bool {
    let passing = [
        ErrorKind::WouldBlock,
        ErrorKind::TimedOut,
        ErrorKind::Interrupted,
    ];
    passing.contains(&error.kind())
}

fn print(said: &impl Serialize) -> Result<()> {
    let line = serde_json::to_string(said).map_err(io::Error::other);
    println!("{}", line.doing("write JSON")?);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_time_without_some_is_the_gap() {
        let (since, ms) = (Instant::now(), Duration::from_millis);
        let mut heard = Heard::default();
        for (number, at) in [(0, 0), (1, 40), (4, 60), (3, 61), (9, 90), (10, 200)] {
            heard.take(number, since + ms(at));
        }
        assert_eq!((heard.received, heard.late), (6, 1));
        assert_eq!((heard.gap_ns, heard.lost), (30_000_000, 4));
    }
}
