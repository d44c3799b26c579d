//! Opening and joining: what is answered and what is refused.

use serde_json::{Value, json};

use crate::agent::{Agent, Said};
use crate::ensemble::{Ensemble, Phase, count, ring, stream};

fn error(agent: &mut Agent) -> Value {
    match agent.next() {
        Said::Message(message) if message["type"] == "error" => message,
        other => panic!("{other:?}"),
    }
}

#[test]
fn clocks_of_one_machine_agree_within_the_stated_error() {
    let mut ensemble = Ensemble::started(8);
    ensemble.open(&json!({}));
    for (node, joined) in ensemble.join().iter().enumerate() {
        let offset_ns = joined["offset_ns"].as_i64().unwrap();
        let error_ns = joined["error_ns"].as_i64().unwrap();
        assert!(offset_ns.abs() <= error_ns, "{joined}");
        assert_eq!(error_ns == 0, node == 0, "{joined}");
    }
}

#[test]
fn settings_are_read_back_from_the_kernel() {
    let mut ensemble = Ensemble::started(2);
    ensemble.open(&json!({"send_buffer_bytes": 65_536, "congestion": "reno", "nodelay": false, "cpus": [0, 0]}));
    for joined in ensemble.join() {
        let effective = &joined["effective"];
        assert_eq!(effective["send_buffer_bytes"], 131_072);
        assert_eq!(effective["congestion"], "reno");
        assert_eq!(effective["nodelay"], false);
        assert_eq!(effective["cpus"], json!([0]));
        assert_eq!(effective["wait"], "block");
    }
}

#[test]
fn a_session_of_one_is_refused() {
    let mut ensemble = Ensemble::started(1);
    ensemble.open(&json!({}));
    ensemble.ask_to_join(&[0], 100);
    let error = error(ensemble.agent(0));
    assert_eq!(error["code"], "bad-request");
    assert!(
        error["message"].as_str().unwrap().contains("two members"),
        "{error}"
    );
}

#[test]
fn members_who_do_not_come_are_named_when_the_time_is_over() {
    let mut ensemble = Ensemble::started(3);
    ensemble.open(&json!({}));
    // Gone before it could hear of it: asked and ended after that, it may still have joined.
    ensemble.agents[2] = None;
    ensemble.ask_to_join(&[0, 1, 2], 300);
    let members = ensemble.members();
    for node in members {
        let error = error(ensemble.agent(node));
        assert!(!error["peers"].as_array().unwrap().is_empty(), "{error}");
    }
}

#[test]
fn a_stopped_member_is_not_called_a_firewall() {
    let mut ensemble = Ensemble::started(2);
    ensemble.open(&json!({}));
    ensemble.agent(1).signal(libc::SIGSTOP);
    ensemble.ask_to_join(&[0, 1], 300);
    let error = error(ensemble.agent(0));
    ensemble.agent(1).signal(libc::SIGCONT);
    let message = error["message"].as_str().unwrap();
    assert!(message.contains("its agent is stopped"), "{message}");
    assert!(!message.contains("firewall"), "{message}");
}

#[test]
fn requests_that_make_no_sense_are_refused_and_the_agent_lives() {
    let mut agent = Agent::start();
    let phases = json!({"type": "phases", "step_index": 0, "launch": 0, "phases": []});
    agent.send(&phases);
    assert_eq!(error(&mut agent)["code"], "no-session");
    let opening = json!({"type": "open", "node": 0, "addresses": ["127.0.0.1"], "options": {}, "token": "00".repeat(32)});
    agent.send(&opening);
    agent.expect("listening_on");
    agent.send(&phases);
    assert_eq!(error(&mut agent)["code"], "bad-request");
    agent.send(&json!({"type": "open", "node": 0, "addresses": ["192.0.2.1"], "options": {}, "token": "00".repeat(32)}));
    assert!(
        error(&mut agent)["message"]
            .as_str()
            .unwrap()
            .contains("192.0.2.1")
    );
    agent.send(&json!({"type": "sing"}));
    assert!(
        error(&mut agent)["message"]
            .as_str()
            .unwrap()
            .contains("malformed")
    );
    agent.send(&opening);
    agent.expect("listening_on");
}

#[test]
fn parts_that_make_no_sense_are_refused() {
    let cast = |transfers| Phase {
        work: "cast",
        ..stream(1000, count(1, 1), transfers)
    };
    let cases = [
        (stream(0, count(1, 1), ring(3, 1)), "counted"),
        (stream(1000, count(1, 0), ring(3, 1)), "counted"),
        (stream(1000, count(1, 1), ring(3, 0)), "streams"),
        (stream(1000, count(1, 1), vec![(0, 1, 1, 7)]), "network 7"),
        (
            stream(1000, count(1, 1), vec![(0, 1, 1, 0), (0, 1, 1, 0)]),
            "twice",
        ),
        (cast(vec![(0, 1, 1, 0), (0, 2, 1, 0)]), "one chain"),
        (cast(ring(3, 2)), "streams"),
    ];
    for (phase, expected) in cases {
        let mut ensemble = Ensemble::start(3);
        ensemble.ask_node(0, &[phase]);
        let error = error(ensemble.agent(0));
        assert!(
            error["message"].as_str().unwrap().contains(expected),
            "{error}"
        );
    }
}
