//! Connections over Reno, against what is known of Reno.

use std::sync::atomic::AtomicBool;

use weft_fabric::queue::Admission;
use weft_netsim::packets::{Carried, Connection, ENDLESS, Limit, Span, carry, complete};

const FRAME_BYTES: u64 = 1538;
static NEVER: AtomicBool = AtomicBool::new(false);

/// 10 Mb/s, and so many frames before it.
fn limit(queue_frames: u32) -> Limit {
    Limit {
        bits_per_s: 10e6,
        delay_s: 1e-3,
        queue_frames,
        admission: Admission::DynamicThreshold,
    }
}

/// A host's own line: never the limit.
fn own() -> Limit {
    Limit {
        bits_per_s: 100e6,
        delay_s: 0.0,
        queue_frames: 1000,
        admission: Admission::DropTail,
    }
}

/// From a host over its own line through limits to another host; the way back is free but for a delay.
fn connection(src: usize, there: &[u32], back: u32) -> Connection {
    Connection {
        src,
        dst: 1000 + src,
        there: there.to_vec(),
        back: vec![back],
        frame_bytes: FRAME_BYTES,
        ack_bytes: 90,
        segments_per_ack: 2,
        most_segments: u32::MAX,
        segments: ENDLESS,
    }
}

fn span(from_s: u64, until_s: u64) -> Span {
    Span {
        from_ns: from_s * 1_000_000_000,
        until_ns: until_s * 1_000_000_000,
    }
}

fn carried(limits: &[Limit], connections: &[Connection], span: Span, seed: u64) -> Carried {
    carry(limits, connections, span, seed, &NEVER).unwrap()
}

/// Bit/s on the wire of each connection, the mean over eight beginnings.
fn rates(limits: &[Limit], connections: &[Connection], span: Span) -> Vec<f64> {
    let mut sums = vec![0.0; connections.len()];
    for seed in 0..8 {
        let found = carried(limits, connections, span, seed).segments;
        for (sum, segments) in sums.iter_mut().zip(found) {
            *sum += segments as f64 * FRAME_BYTES as f64 * 8.0 / 8.0;
        }
    }
    let seconds = (span.until_ns - span.from_ns) as f64 / 1e9;
    sums.iter().map(|sum| sum / seconds).collect()
}

#[test]
fn one_fills_a_limit_with_a_long_queue() {
    let limits = [own(), limit(100), own()];
    let found = rates(&limits, &[connection(0, &[0, 1], 2)], span(20, 60));
    assert!((found[0] / 10e6 - 1.0).abs() < 1e-3, "{found:?}");
}

#[test]
fn equals_share_equally_and_never_more_than_there_is() {
    let limits = [own(), own(), own(), own(), limit(100), own()];
    let all: Vec<_> = (0..4)
        .map(|src| connection(src, &[src as u32, 4], 5))
        .collect();
    let found = rates(&limits, &all, span(10, 70));
    let sum: f64 = found.iter().sum();
    // What arrived before the span behind a gap counts when the gap is filled.
    assert!(sum <= 10.01e6 && sum > 9.5e6, "{sum}");
    for rate in found {
        assert!((rate / (sum / 4.0) - 1.0).abs() < 0.05, "{rate} of {sum}");
    }
}

/// The least that one of two senders gets of a limit as fast as their own lines, over beginnings, in segments.
fn least_of_two(admission: Admission) -> u64 {
    let port = Limit {
        admission,
        ..limit(100)
    };
    let line = Limit {
        admission: Admission::DropTail,
        ..limit(100)
    };
    let all = [connection(0, &[0, 2], 3), connection(1, &[1, 2], 3)];
    let limits = [line, line, port, own()];
    let segments = (0..32).flat_map(|seed| carried(&limits, &all, span(5, 10), seed).segments);
    segments.min().unwrap()
}

#[test]
fn a_frame_of_each_sender_suffices_that_nobody_is_shut_out() {
    assert_eq!(least_of_two(Admission::DropTail), 0);
    let all = 5.0 * 10e6 / (FRAME_BYTES as f64 * 8.0);
    let least = least_of_two(Admission::OneEach);
    assert!(least as f64 > 0.1 * all, "{least} of {all}");
}

/// Max-min fairness gives each half.
#[test]
fn who_passes_two_full_limits_gets_less() {
    let limits = [own(), own(), own(), limit(50), limit(50), own()];
    let both = connection(0, &[0, 3, 4], 5);
    let found = rates(
        &limits,
        &[both, connection(1, &[1, 3], 5), connection(2, &[2, 4], 5)],
        span(10, 70),
    );
    assert!(found[0] < 0.45 * 10e6, "{found:?}");
    assert!(
        found[1] > 0.52 * 10e6 && found[2] > 0.52 * 10e6,
        "{found:?}"
    );
}

#[test]
fn a_window_is_a_rate_in_a_round_trip() {
    let far = Limit {
        delay_s: 0.05,
        ..limit(100)
    };
    let slow = Connection {
        most_segments: 10,
        ..connection(0, &[0, 1], 2)
    };
    let found = rates(&[own(), far, own()], &[slow], span(2, 22));
    let frame_s = FRAME_BYTES as f64 * 8.0 * (1.0 / 10e6 + 1.0 / 100e6);
    // Every second segment is acknowledged: the first of a pair waits for the second.
    let window = 10.0 * FRAME_BYTES as f64 * 8.0 / (0.05 + frame_s);
    assert!(
        found[0] <= window && found[0] > 0.9 * window,
        "{found:?} of {window}"
    );
}

#[test]
fn what_is_lost_is_said_where() {
    let limits = [own(), limit(20), own()];
    let found = carried(&limits, &[connection(0, &[0, 1], 2)], span(5, 25), 0);
    assert_eq!(found.lost[0][0], 0);
    assert!(found.lost[0][1] > 0);
}

#[test]
fn a_dead_limit_carries_nothing_and_ends() {
    let dead = Limit {
        bits_per_s: 0.0,
        ..limit(10)
    };
    let found = carried(
        &[own(), dead, own()],
        &[connection(0, &[0, 1], 2)],
        span(1, 300),
        0,
    );
    assert_eq!(found.segments, [0]);
    assert!(found.frames < 200, "{} frames", found.frames);
}

#[test]
fn the_same_beginning_gives_the_same_end() {
    let limits = [own(), own(), limit(30), own()];
    let all = [connection(0, &[0, 2], 3), connection(1, &[1, 2], 3)];
    let found: Vec<_> = [1, 1, 2]
        .map(|seed| carried(&limits, &all, span(1, 11), seed))
        .to_vec();
    assert_eq!(found[0], found[1]);
    assert_ne!(found[0], found[2]);
}

#[test]
fn it_stops_when_told_to() {
    let stop = AtomicBool::new(true);
    let all = [connection(0, &[0, 1], 2)];
    assert!(carry(&[own(), limit(100), own()], &all, span(0, 100), 0, &stop).is_err());
}

#[test]
fn a_number_of_segments_takes_its_time_at_the_rate() {
    let limits = [own(), limit(100), own()];
    let one = Connection {
        segments: 2000,
        ..connection(0, &[0, 1], 2)
    };
    let found = complete(&limits, &[one], 1, 0, &NEVER).unwrap();
    let frame_s = FRAME_BYTES as f64 * 8.0 / 10e6;
    let ratio = found.took_ns[0] as f64 / 1e9 / (2000.0 * frame_s);
    assert!((1.0..1.05).contains(&ratio), "{ratio}");
}

#[test]
fn the_last_segments_arrive_even_where_the_queue_is_short() {
    let limits = [own(), own(), own(), own(), limit(2), own()];
    let all: Vec<_> = (0..4)
        .map(|src| Connection {
            segments: 1 + 30 * src as u64,
            ..connection(src, &[src as u32, 4], 5)
        })
        .collect();
    let found = complete(&limits, &all, 1000, 1, &NEVER).unwrap();
    let least_ns = 184 * FRAME_BYTES * 8 * 100;
    assert!(*found.took_ns.iter().max().unwrap() > least_ns, "{found:?}");
    assert!(found.lost.concat().iter().sum::<u64>() > 0);
    assert_eq!(found, complete(&limits, &all, 1000, 1, &NEVER).unwrap());
}
