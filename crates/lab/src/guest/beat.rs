//! Numbered datagrams at an interval, and what of them arrives: how long a path was interrupted.

use std::io::{self, ErrorKind};
use std::net::{SocketAddr, UdpSocket};
use std::thread;
use std::time::{Duration, Instant};

use serde::Serialize;

use crate::error::{Doing, Result};

/// How often the end of the standard input is looked for.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// Where to send datagrams, how often, and for how long.
#[derive(Debug)]
pub struct BeatRequest {
    pub to: SocketAddr,
    pub every: Duration,
    pub lasting: Duration,
}

/// Where to receive them.
#[derive(Debug)]
pub struct HearRequest {
    pub at: SocketAddr,
}

/// A datagram: its number, and when it was sent, since the first.
#[derive(Debug, Clone, Copy)]
struct Beat {
    number: u64,
    sent_ns: u64,
}

const BEAT_BYTES: usize = 16;

impl Beat {
    fn bytes(self) -> [u8; BEAT_BYTES] {
        let both = u128::from(self.number) | u128::from(self.sent_ns) << 64;
        both.to_le_bytes()
    }

    fn of(bytes: [u8; BEAT_BYTES]) -> Self {
        let both = u128::from_le_bytes(bytes);
        Self {
            number: both as u64,
            sent_ns: (both >> 64) as u64,
        }
    }
}

/// What arrived. Times are between sendings: a receiver that waits for a processor does not change them.
#[derive(Debug, Default, Serialize)]
struct Heard {
    received: u64,
    /// How many are missing between the first and the last that arrived.
    lost: u64,
    /// The longest time between two that arrived, where others are missing between them.
    gap_ns: u64,
    /// From the last before any is missing to the first after which none is.
    disturbed_ns: u64,
    #[serde(skip)]
    disturbed_since_ns: Option<u64>,
    #[serde(skip)]
    latest: Option<Beat>,
}

impl Heard {
    fn take(&mut self, beat: Beat) {
        self.received += 1;
        if let Some(before) = self.latest {
            if beat.number <= before.number {
                self.lost = self.lost.saturating_sub(1);
                return;
            }
            if beat.number > before.number + 1 {
                self.lost += beat.number - before.number - 1;
                self.gap_ns = self.gap_ns.max(beat.sent_ns - before.sent_ns);
                let since_ns = *self.disturbed_since_ns.get_or_insert(before.sent_ns);
                self.disturbed_ns = beat.sent_ns - since_ns;
            }
        }
        self.latest = Some(beat);
    }
}

/// Sends. An interface that is down refuses datagrams, which are lost as well.
pub fn beat(request: &BeatRequest) -> Result<()> {
    let socket = UdpSocket::bind("0.0.0.0:0").doing("open a socket")?;
    let since = Instant::now();
    for number in 0_u32.. {
        let due = request.every * number;
        if due > request.lasting {
            break;
        }
        thread::sleep(due.saturating_sub(since.elapsed()));
        let beat = Beat {
            number: u64::from(number),
            sent_ns: since.elapsed().as_nanos() as u64,
        };
        let _ = socket.send_to(&beat.bytes(), request.to);
    }
    Ok(())
}

/// Receives until the standard input ends. The first datagram is announced by a line; then prints what arrived as JSON.
pub fn hear(request: &HearRequest) -> Result<()> {
    let doing = format!("receive at {}", request.at);
    let socket = UdpSocket::bind(request.at).doing(&doing)?;
    let mut heard = Heard::default();
    heard.take(receive(&socket).doing(&doing)?);
    println!("hearing");
    let input = thread::spawn(|| io::copy(&mut io::stdin(), &mut io::sink()));
    socket.set_read_timeout(Some(LOOK_EVERY)).doing(&doing)?;
    while !input.is_finished() {
        match receive(&socket) {
            Ok(beat) => heard.take(beat),
            Err(error) if is_over(&error) => {}
            Err(error) => return Err(error).doing(&doing),
        }
    }
    let line = serde_json::to_string(&heard).map_err(io::Error::other);
    println!("{}", line.doing("write JSON")?);
    Ok(())
}

fn receive(socket: &UdpSocket) -> io::Result<Beat> {
    let mut bytes = [0; BEAT_BYTES];
    socket.recv(&mut bytes)?;
    Ok(Beat::of(bytes))
}

fn is_over(error: &io::Error) -> bool {
    let passing = [
        ErrorKind::WouldBlock,
        ErrorKind::TimedOut,
        ErrorKind::Interrupted,
    ];
    passing.contains(&error.kind())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_lost_and_the_longest_silence_the_gap() {
        let mut heard = Heard::default();
        for (number, sent_ns) in [(0, 0), (1, 40), (4, 60), (3, 55), (9, 90), (10, 200)] {
            heard.take(Beat::of(Beat { number, sent_ns }.bytes()));
        }
        assert_eq!((heard.received, heard.lost), (6, 5));
        assert_eq!((heard.gap_ns, heard.disturbed_ns), (30, 50));
    }
}
