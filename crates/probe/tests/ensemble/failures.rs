//! A member that goes is named by all others, whatever it was doing, and the others can go on without it.

use std::time::Duration;

use serde_json::{Value, json};

use crate::agent::Said;
use crate::ensemble::{Ensemble, Phase, all_to_all, chain, count, ring, stream, time};

const VICTIM: usize = 3;

fn ensemble() -> Ensemble {
    Ensemble::start(7)
}

/// All others end with an error that names the victim, and only it.
fn assert_all_name_the_victim(ensemble: &mut Ensemble) {
    for report in ensemble.follow() {
        let error = report.error.expect("the session must end by an error");
        assert_eq!(error["code"], "peer-lost", "{error}");
        assert_eq!(error["peers"], json!([VICTIM]), "{error}");
    }
}

/// The others open and join again, and measure.
fn assert_the_others_go_on(ensemble: &mut Ensemble) {
    let members = ensemble.members();
    ensemble.end("abort");
    ensemble.open(&json!({}));
    ensemble.join();
    let pairs: Vec<_> = members
        .windows(2)
        .map(|pair| (pair[0], pair[1], 1, 0))
        .collect();
    let rows = ensemble.measure(&[stream(1000, count(2, 1), pairs)]);
    assert_eq!(rows.len(), members.len() - 1);
}

#[test]
fn a_member_killed_while_others_connect_to_it() {
    let mut ensemble = ensemble();
    ensemble.agent(VICTIM).signal(libc::SIGSTOP);
    ensemble.ask(&[stream(
        1000,
        count(1, 1),
        vec![(0, VICTIM, 1, 0), (1, 2, 1, 0)],
    )]);
    let alive = ensemble.await_state(0, "connect");
    assert_eq!(alive["waiting_for"], json!([VICTIM]));
    ensemble.kill(VICTIM);
    assert_all_name_the_victim(&mut ensemble);
    assert_the_others_go_on(&mut ensemble);
}

#[test]
fn a_member_killed_before_it_comes_to_the_barrier() {
    let mut ensemble = ensemble();
    let phases = [stream(1000, count(1, 1), vec![(0, 1, 1, 0)])];
    for node in [0, 1, 2, 4, 5, 6] {
        ensemble.ask_node(node, &phases);
    }
    let alive = ensemble.await_state(VICTIM + 1, "barrier");
    assert_eq!(alive["waiting_for"], json!([VICTIM]));
    assert_eq!(alive["round"], 0);
    ensemble.kill(VICTIM);
    assert_all_name_the_victim(&mut ensemble);
    assert_the_others_go_on(&mut ensemble);
}

#[test]
fn a_member_killed_in_the_middle_of_transfers() {
    let works: [fn() -> Phase; 4] = [
        || stream(1000, time(20_000, 1), all_to_all(7)),
        || stream(1 << 40, count(1, 1), ring(7, 2)),
        || Phase {
            work: "pingpong",
            ..stream(1000, time(20_000, 1), ring(7, 1))
        },
        || Phase {
            work: "cast",
            ..stream(1 << 40, count(1, 1), chain(7, 1))
        },
    ];
    for work in works {
        let mut ensemble = ensemble();
        // A node that is cut off early records that and waits at the next barrier.
        ensemble.ask(&[work(), stream(1000, count(1, 1), vec![])]);
        ensemble.await_state(0, "transfer");
        ensemble.kill(VICTIM);
        assert_all_name_the_victim(&mut ensemble);
        assert_the_others_go_on(&mut ensemble);
    }
}

#[test]
fn a_member_killed_while_all_rest() {
    let mut ensemble = ensemble();
    ensemble.kill(VICTIM);
    assert_all_name_the_victim(&mut ensemble);
    let late = ensemble.run(&[stream(1000, count(1, 1), vec![])]);
    assert!(
        late.iter()
            .all(|report| report.error.as_ref().unwrap()["code"] == "no-session")
    );
    assert_the_others_go_on(&mut ensemble);
}

#[test]
fn a_member_killed_before_it_joins_is_blamed_by_those_who_miss_it() {
    let mut ensemble = Ensemble::started(5);
    ensemble.open(&json!({}));
    ensemble.kill(VICTIM);
    ensemble.ask_to_join(&[0, 1, 2, 3, 4], 1000);
    let mut blamed = Vec::new();
    for node in ensemble.members() {
        let error = answer(&mut ensemble, node);
        // A node may also miss one that has given up.
        let peers: Vec<usize> = serde_json::from_value(error["peers"].clone()).unwrap();
        blamed.extend(peers);
    }
    assert!(blamed.contains(&VICTIM), "{blamed:?}");
    assert_the_others_go_on(&mut ensemble);
}

fn answer(ensemble: &mut Ensemble, node: usize) -> Value {
    loop {
        match ensemble.agent(node).next() {
            Said::Message(message) if message["type"] == "error" => return message,
            _ => {}
        }
    }
}

#[test]
fn a_member_that_hangs_is_pointed_at() {
    let mut ensemble = ensemble();
    ensemble.agent(VICTIM).signal(libc::SIGSTOP);
    ensemble.ask(&[stream(
        1 << 40,
        count(1, 1),
        vec![(VICTIM, 0, 1, 0), (1, 2, 1, 0)],
    )]);
    let alive = ensemble.await_state(VICTIM + 1, "barrier");
    assert_eq!(alive["waiting_for"], json!([VICTIM]));
    assert_eq!(alive["phase"], 0);
    ensemble.kill(VICTIM);
    assert_all_name_the_victim(&mut ensemble);
}

#[test]
fn an_abort_ends_everything_at_once() {
    let mut ensemble = ensemble();
    ensemble.ask(&[stream(1 << 40, count(1, 1), all_to_all(7))]);
    ensemble.await_state(0, "transfer");
    let start = std::time::Instant::now();
    ensemble.end("abort");
    assert!(
        start.elapsed() < Duration::from_secs(1),
        "{:?}",
        start.elapsed()
    );
    assert_the_others_go_on(&mut ensemble);
}

#[test]
fn an_abort_drops_what_was_asked_before_it_and_needs_no_session() {
    let mut ensemble = Ensemble::start(2);
    ensemble.ask(&[stream(1 << 40, count(1, 1), ring(2, 1))]);
    ensemble.ask(&[stream(1 << 40, count(1, 1), ring(2, 1))]);
    // A connection whose greeting the abort cut off counts as a stranger's.
    ensemble.end("abort");
    assert_eq!(ensemble.end("abort"), [0, 0]);
    ensemble.open(&json!({}));
    ensemble.join();
}

#[test]
fn members_who_leave_one_after_the_other_are_not_lost() {
    let mut ensemble = ensemble();
    for node in ensemble.members() {
        ensemble.agent(node).send(&json!({"type": "leave"}));
        std::thread::sleep(Duration::from_millis(10));
    }
    for node in ensemble.members() {
        ensemble.agent(node).expect("left");
    }
}

#[test]
fn members_with_different_phases_are_out_of_step() {
    let mut ensemble = Ensemble::start(2);
    let nothing = || stream(1000, count(1, 1), vec![]);
    ensemble.ask_node(0, &[nothing(), nothing()]);
    ensemble.ask_node(1, &[nothing()]);
    ensemble.agent(1).expect("phases_done");
    ensemble.ask_node(1, &[nothing()]);
    let reports = ensemble.follow();
    let codes: Vec<_> = reports
        .iter()
        .map(|report| report.error.as_ref().unwrap()["code"].clone())
        .collect();
    assert!(codes.contains(&json!("out-of-step")), "{codes:?}");
}
