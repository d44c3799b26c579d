//! A transfer that has no working connection is recorded, and its phase goes on with the others.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::ensemble::{Ensemble, Phase, Report, count, stream, time};
use crate::handshake::{RESPONSE_BYTES, welcome};
use crate::strangers::TOKEN;

/// The second listener of node 1, as its peers know it.
const LISTENER: (usize, usize) = (1, 1);

/// Three nodes that look for the second listener of node 1 at another port.
fn misled(port: u16) -> Ensemble {
    let mut ensemble = Ensemble::started(3);
    ensemble.open(&json!({}));
    ensemble.ports[LISTENER.0][LISTENER.1] = port;
    ensemble.join();
    ensemble
}

/// One transfer goes to that listener, another does not.
fn phase(stop: Value) -> Phase {
    stream(100_000, stop, vec![(0, 1, 2, 1), (2, 1, 1, 0)])
}

fn assert_one_failed(reports: &[Report], reason: &str) {
    for node in [0, 1] {
        let failed = reports[node].over[0]["failed"].as_array().unwrap();
        assert_eq!(failed.len(), 1, "{failed:?}");
        assert_eq!(
            (&failed[0]["src"], &failed[0]["dst"]),
            (&json!(0), &json!(1))
        );
    }
    let said = reports[0].over[0]["failed"][0]["reason"].as_str().unwrap();
    assert!(said.contains(reason), "{said}");
    assert_eq!(reports[2].over[0]["failed"], json!([]));
    assert!(
        reports
            .iter()
            .flat_map(|report| &report.rows)
            .all(|row| row.src == 2)
    );
    assert_eq!(reports[1].rows.len(), 2);
}

#[test]
fn a_listener_that_is_closed() {
    let closed = TcpListener::bind("127.0.0.2:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let mut ensemble = misled(closed);
    assert_one_failed(&ensemble.run(&[phase(time(50, 2))]), "refused");
    // Connections of a second phase are asked for while the first runs, and fail then.
    let healthy = stream(1000, count(1, 1), vec![(2, 0, 1, 0)]);
    let reports = ensemble.run(&[healthy, phase(count(1, 1))]);
    for (phase, failures) in [(0, 0), (1, 1)] {
        let failed = reports[0].over[phase]["failed"].as_array().unwrap();
        assert_eq!(failed.len(), failures, "{failed:?}");
    }
}

/// Let somebody in and close on what has not been read, which resets the connection.
fn break_off(mut guest: TcpStream) {
    let challenge = [0; 32];
    guest.write_all(&challenge).unwrap();
    let mut response = [0; RESPONSE_BYTES];
    guest.read_exact(&mut response).unwrap();
    let welcome = welcome(&TOKEN, &challenge, &response);
    guest.write_all(&welcome).unwrap();
    guest.read_exact(&mut [0; 1000]).unwrap();
}

#[test]
fn a_connection_that_breaks_in_the_middle() {
    let listener = TcpListener::bind("127.0.0.2:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for guest in listener.incoming() {
            thread::spawn(move || break_off(guest.unwrap()));
        }
    });
    let reports = misled(port).run(&[phase(count(40, 2))]);
    assert_one_failed(&reports, "");
}

#[test]
fn a_listener_that_never_answers_is_named_until_an_abort() {
    let listener = TcpListener::bind("127.0.0.2:0").unwrap();
    let mut ensemble = misled(listener.local_addr().unwrap().port());
    ensemble.ask(&[phase(count(1, 1))]);
    let alive = ensemble.await_state(0, "connect");
    assert_eq!(alive["waiting_for"], json!([1]));
    let start = Instant::now();
    ensemble.end("abort");
    assert!(start.elapsed() < Duration::from_secs(1));
}
