//! Strangers at the listeners of a session are closed and counted; the session goes on as without them.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use crate::ensemble::{Ensemble, count, ring, stream};
use crate::handshake::response;

pub const TOKEN: [u8; 32] = [0x5a; 32];

/// A barrier connection, a reading of the clock, a stream, and a sort that does not exist.
const BARRIER: u32 = 1;
const DATA: u32 = 3;
const NONSENSE: u32 = 99;

fn knock(ensemble: &Ensemble, node: usize, present: &[u8]) -> TcpStream {
    let mut stranger = TcpStream::connect(("127.0.0.1", ensemble.ports[node][0])).unwrap();
    stranger
        .set_read_timeout(Some(Duration::from_secs(5)))
        .unwrap();
    // The listener may have closed before everything is said.
    let _ = stranger.write_all(present);
    stranger
}

/// Connect as what has a token does; also what was sent.
fn present(ensemble: &Ensemble, token: &[u8; 32], place: [u32; 5]) -> (TcpStream, Vec<u8>) {
    let mut stranger = knock(ensemble, 1, b"");
    let mut challenge = [0; 32];
    stranger.read_exact(&mut challenge).unwrap();
    let said = response(token, &challenge, place);
    stranger.write_all(&said).unwrap();
    (stranger, said)
}

fn is_welcome(mut stranger: &TcpStream) -> bool {
    stranger.read_exact(&mut [0; 32]).is_ok()
}

/// A nonce is all that a stranger ever receives.
fn is_closed(mut stranger: TcpStream) -> bool {
    let mut heard = Vec::new();
    let _ = stranger.read_to_end(&mut heard);
    heard.len() <= 32
}

#[test]
fn strangers_are_closed_and_counted_while_phases_run() {
    let mut ensemble = Ensemble::start(3);
    let (wrong, _) = present(&ensemble, &[7; 32], [DATA, 0, 0, 0, 9]);
    let garbage = knock(
        &ensemble,
        1,
        &b"GET / HTTP/1.1\r\nHost: weft\r\nAccept: everything\r\n\r\n".repeat(3),
    );
    let halting = knock(&ensemble, 1, &TOKEN[..31]);
    let (senseless, _) = present(&ensemble, &TOKEN, [NONSENSE, 0, 0, 0, 0]);
    let rows = ensemble.measure(&[stream(100_000, count(3, 2), ring(3, 1))]);
    assert_eq!(rows.len(), 6);
    assert!(is_closed(wrong) && is_closed(garbage) && is_closed(senseless));
    drop(halting);
    std::thread::sleep(Duration::from_millis(50));
    assert_eq!(ensemble.end("leave"), [0, 4, 0]);
}

#[test]
fn a_recorded_handshake_is_refused_and_counted() {
    let mut ensemble = Ensemble::start(2);
    let (first, recorded) = present(&ensemble, &TOKEN, [DATA, 0, 0, 7, 9]);
    assert!(is_welcome(&first));
    assert!(is_closed(knock(&ensemble, 1, &recorded)));
    assert_eq!(ensemble.end("leave"), [0, 1]);
}

#[test]
fn a_place_is_taken_once() {
    let mut ensemble = Ensemble::start(2);
    let stream = [DATA, 0, 0, 7, 9];
    let (first, _) = present(&ensemble, &TOKEN, stream);
    assert!(is_welcome(&first));
    // One that is used already, one that has come and waits, one on another network than it came over.
    for place in [[BARRIER, 0, 0, 0, 0], stream, [DATA, 1, 0, 7, 8]] {
        assert!(is_closed(present(&ensemble, &TOKEN, place).0), "{place:?}");
    }
    let rows = ensemble.measure(&[crate::ensemble::stream(1000, count(1, 1), ring(2, 1))]);
    assert_eq!(rows.len(), 2);
    // A stream of a phase that is over.
    assert!(is_closed(present(&ensemble, &TOKEN, [DATA, 0, 0, 0, 9]).0));
    assert_eq!(ensemble.end("leave"), [0, 4]);
}

#[test]
fn what_was_refused_is_counted_after_an_abort_too() {
    let mut ensemble = Ensemble::start(2);
    let (wrong, _) = present(&ensemble, &[7; 32], [DATA, 0, 0, 7, 9]);
    assert!(is_closed(wrong));
    // Not a stranger for certain: a peer's connection may be cut at this point.
    let undecided = knock(&ensemble, 1, b"");
    std::thread::sleep(Duration::from_millis(50));
    assert_eq!(ensemble.end("abort"), [0, 1]);
    drop(undecided);
}

#[test]
fn a_stranger_who_says_nothing_is_closed_after_two_seconds() {
    let mut ensemble = Ensemble::start(2);
    let start = Instant::now();
    assert!(is_closed(knock(&ensemble, 0, b"")));
    let took = start.elapsed();
    assert!(
        (Duration::from_millis(1900)..Duration::from_secs(3)).contains(&took),
        "{took:?}"
    );
    assert_eq!(ensemble.end("leave"), [1, 0]);
}

#[test]
fn a_crowd_does_not_keep_friends_out() {
    let mut ensemble = Ensemble::start(2);
    let crowd: Vec<_> = (0..900).map(|_| knock(&ensemble, 1, b"")).collect();
    assert_eq!(
        ensemble
            .measure(&[stream(1000, count(1, 1), ring(2, 8))])
            .len(),
        2
    );
    drop(crowd);
}
