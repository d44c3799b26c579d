//! Strangers at the doors of a session are closed and counted, and disturb nobody.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use crate::ensemble::{Ensemble, count, ring, stream};

const TOKEN: [u8; 32] = [0x5a; 32];

fn knock(ensemble: &Ensemble, node: usize, present: &[u8]) -> TcpStream {
    let mut stranger = TcpStream::connect(("127.0.0.1", ensemble.ports[node][0])).unwrap();
    stranger
        .set_read_timeout(Some(Duration::from_secs(5)))
        .unwrap();
    // The door may have closed before everything is said.
    let _ = stranger.write_all(present);
    stranger
}

fn is_closed(mut stranger: TcpStream) -> bool {
    matches!(stranger.read(&mut [0]), Ok(0) | Err(_))
}

#[test]
fn strangers_are_closed_and_counted_while_phases_run() {
    let mut ensemble = Ensemble::start(3);
    let wrong = knock(&ensemble, 1, &[7; 32]);
    let garbage = knock(
        &ensemble,
        1,
        b"GET / HTTP/1.1\r\nHost: weft\r\n\r\nAccept: everything\r\n",
    );
    let halting = knock(&ensemble, 1, &TOKEN[..31]);
    let senseless = knock(&ensemble, 1, &[&TOKEN[..], &[0xff; 16]].concat());
    let rows = ensemble.measure(&[stream(100_000, count(3, 2), ring(3, 1))]);
    assert_eq!(rows.len(), 6);
    assert!(is_closed(wrong) && is_closed(garbage) && is_closed(senseless));
    drop(halting);
    std::thread::sleep(Duration::from_millis(50));
    assert_eq!(ensemble.end("leave"), [0, 4, 0]);
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
