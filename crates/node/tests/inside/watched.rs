//! Looking on changes nothing, and sees everything.

use weft_node::{Census, Machine, Recorder, Unwatched, observe, tracks};

use super::server::server;
use super::{PLACEMENTS, machine, pingpong, stream};

fn recorded(machine: &Machine, bytes: u64) -> (u64, weft_node::Recording) {
    let (measured, recorder) =
        observe(machine, pingpong(bytes), Recorder::new(machine, true)).unwrap();
    (measured.fingerprint, recorder.finish())
}

#[test]
fn the_same_events_happen_whoever_looks_on() {
    for placement in PLACEMENTS {
        let machine = machine(placement, &[]);
        for exchange in [pingpong(20_000), stream(3000)] {
            let (isolated, Unwatched) = observe(&machine, exchange, Unwatched).unwrap();
            let recorder = Recorder::new(&machine, exchange.answer_bytes > 0);
            let (seen, _) = observe(&machine, exchange, recorder).unwrap();
            assert_eq!(isolated, seen, "{placement}");
        }
    }
    let machine = server("all", &[]);
    let (isolated, Unwatched) = observe(&machine, stream(100_000), Unwatched).unwrap();
    let (counted, _) = observe(&machine, stream(100_000), Census::new(&machine)).unwrap();
    assert_eq!(isolated, counted);
}

#[test]
fn nothing_does_two_things_at_once() {
    for placement in PLACEMENTS {
        let machine = machine(placement, &[]);
        let (_, seen) = recorded(&machine, 60_000);
        let mut until_ps = vec![0; 2 * tracks(&machine).len()];
        assert!(!seen.is_cut && seen.slices.len() > 100);
        for slice in &seen.slices {
            let until = &mut until_ps[slice.track as usize];
            assert!(
                slice.begin_ps >= *until && slice.end_ps >= slice.begin_ps,
                "{slice:?}"
            );
            *until = slice.end_ps;
        }
    }
}

#[test]
fn stages_of_a_way_follow_one_another_without_a_gap() {
    for placement in PLACEMENTS {
        let (_, seen) = recorded(&machine(placement, &[]), 60_000);
        for pair in seen.passages.windows(2) {
            assert_eq!(pair[0].end_ps, pair[1].begin_ps);
        }
        assert_eq!(seen.passages[0].begin_ps, 0);
    }
}
