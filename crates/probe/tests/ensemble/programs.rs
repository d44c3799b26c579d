//! Programs and collectives, carried out by real agents.

use std::time::Duration;

use serde_json::{Value, json};

use crate::ensemble::{Ensemble, Report};

/// Operations as they travel: compute, send and receive.
fn compute(ns: u64) -> Value {
    json!([0, 0, ns, 0, 0, 0])
}

fn send(to: u32, bytes: u64) -> Value {
    json!([1, to, bytes, 7, 0, 0])
}

fn receive(from: u32, bytes: u64) -> Value {
    json!([2, from, bytes, 7, 0, 0])
}

/// One after the other.
fn chained(operations: &[Value]) -> Value {
    let needs: Vec<_> = (1..operations.len())
        .map(|at| json!([at, at - 1, true]))
        .collect();
    json!({"operations": operations, "needs": needs})
}

fn step(pattern: &Value, sizes: &[u64], trials: u32) -> Value {
    json!({"name": "it", "pattern": pattern, "transport": "tcp", "options": {},
        "sizes": {"schedule": "list", "bytes": sizes}, "until_ns": null,
        "stop": {"rule": "count", "repeats": 1, "trials": trials}})
}

fn trace(rendezvous_bytes: u64) -> Value {
    json!({"kind": "program", "nodes": null, "trace": "x", "rendezvous_bytes": rendezvous_bytes})
}

impl Ensemble {
    /// Phases of a program, of each the part of every node.
    fn play(&mut self, step: &Value, compute: &str, phases: &[Vec<Value>]) -> Vec<Report> {
        let members = self.members();
        for node in &members {
            let parts = phases
                .iter()
                .enumerate()
                .map(|(phase, nodes)| json!({"phase": phase, "node": nodes.get(*node)}));
            let request = json!({"type": "programs", "step_index": 4, "launch": 2, "step": step, "ranks": members,
                "compute": compute, "rows": 1000, "phases": parts.collect::<Vec<_>>()});
            self.agent(*node).send(&request);
        }
        self.follow()
    }
}

fn activity(report: &Report, phase: usize, trial: usize, key: &str) -> i64 {
    report.spent[phase]["activities"][trial][key]
        .as_i64()
        .unwrap()
}

/// Node 0 computes, sends to 1, which sends to 2: short, by rendezvous, and longer than a turn of the event loop.
#[test]
fn what_comes_before_is_over_before_what_depends_on_it_begins() {
    for bytes in [100, 100_000, 3 << 20] {
        for how in ["sleep", "spin", "work"] {
            let nodes = vec![
                chained(&[compute(20_000_000), send(1, bytes)]),
                chained(&[receive(0, bytes), send(2, bytes)]),
                chained(&[receive(1, bytes)]),
            ];
            let mut ensemble = Ensemble::start_with(3, &json!({"verify": true}));
            let reports = ensemble.play(&step(&trace(65_535), &[1], 2), how, &[nodes]);
            let mut rows: Vec<_> = reports
                .iter()
                .flat_map(|report| report.rows.clone())
                .collect();
            rows.sort_by_key(|row| (row.batch, row.src));
            assert_eq!(rows.len(), 4, "{how} {:?}", reports[0].error);
            for pair in rows.chunks(2) {
                assert_eq!(
                    pair.iter()
                        .map(|row| (row.src, row.dst))
                        .collect::<Vec<_>>(),
                    [(0, 1), (1, 2)]
                );
                assert!(pair[0].start_ns + pair[0].elapsed_ns <= pair[1].start_ns);
            }
            for trial in 0..2 {
                let computed_ns = activity(&reports[0], 0, trial, "compute_ns");
                assert!(
                    computed_ns >= if how == "work" { 1_000_000 } else { 20_000_000 },
                    "{how}: {computed_ns}"
                );
                let begun_ns = activity(&reports[0], 0, trial, "start_ns");
                assert!(rows[2 * trial].start_ns >= begun_ns + computed_ns);
            }
        }
    }
}

#[test]
fn an_operation_may_begin_when_another_has_begun() {
    let two_at_once =
        json!({"operations": [compute(200_000_000), send(1, 8)], "needs": [[1, 0, false]]});
    let nodes = vec![two_at_once, chained(&[receive(0, 8)])];
    let mut ensemble = Ensemble::start(2);
    let reports = ensemble.play(&step(&trace(100), &[1], 1), "sleep", &[nodes]);
    let ended_ns = |node: usize| activity(&reports[node], 0, 0, "end_ns");
    assert!(ended_ns(0) - ended_ns(1) > 50_000_000);
}

fn collective(operation: &str, algorithms: &[&str]) -> Value {
    json!({"kind": "collective", "nodes": null, "rendezvous_bytes": 4096, "operation": operation,
        "algorithms": algorithms, "group": 3})
}

/// Every agent has the right bytes in the end, or says which is wrong.
#[test]
fn collectives_move_and_add_real_bytes() {
    let sizes = [5, 1003, 1_300_001];
    for members in [3, 4] {
        let mut ensemble = Ensemble::start_with(members, &json!({"verify": true}));
        for operation in [
            "allreduce",
            "allgather",
            "alltoall",
            "bcast",
            "reduce-scatter",
        ] {
            let step = step(&collective(operation, &[]), &sizes, 1);
            let ways = if matches!((members, operation), (3, "allgather" | "reduce-scatter")) {
                2
            } else {
                3
            };
            let ways = if operation == "allreduce" { 5 } else { ways };
            let phases = vec![Vec::new(); ways * sizes.len()];
            for report in ensemble.play(&step, "spin", &phases) {
                assert!(report.error.is_none(), "{operation}: {:?}", report.error);
                assert_eq!(
                    (report.over.len(), report.spent.len()),
                    (phases.len(), phases.len())
                );
            }
        }
    }
}

#[test]
fn a_node_that_dies_is_named_by_those_that_wait_for_it() {
    let nodes = [
        chained(&[receive(1, 8)]),
        chained(&[compute(60_000_000_000), send(0, 8)]),
    ];
    let mut ensemble = Ensemble::start(2);
    let request = |node: usize| {
        json!({"type": "programs", "step_index": 0, "launch": 0, "ranks": [0, 1],
        "step": step(&trace(100), &[1], 1), "compute": "sleep", "rows": 9, "phases": [{"phase": 0, "node": nodes[node]}]})
    };
    for node in 0..2 {
        ensemble.agent(node).send(&request(node));
    }
    let alive = ensemble.await_state(0, "transfer");
    assert_eq!(
        (&alive["waiting_for"], &alive["computing"]),
        (&json!([1]), &json!(false))
    );
    assert_eq!(
        ensemble.await_state(1, "transfer")["computing"],
        json!(true)
    );
    ensemble.kill(1);
    std::thread::sleep(Duration::from_millis(10));
    let reports = ensemble.follow();
    assert_eq!(reports[0].error.as_ref().unwrap()["peers"], json!([1]));
}

#[test]
fn a_part_that_cannot_be_carried_out_is_refused() {
    for (nodes, said) in [
        (
            vec![chained(&[send(0, 8)]), chained(&[])],
            "rank 0 has a message to or from rank 0",
        ),
        (
            vec![chained(&[send(9, 8)]), chained(&[])],
            "rank 0 has a message to or from rank 9",
        ),
        (Vec::new(), "says nothing of this member's part"),
    ] {
        let mut ensemble = Ensemble::start(2);
        let reports = ensemble.play(&step(&trace(100), &[1], 1), "sleep", &[nodes]);
        // The other one may be the first to fail, and tell this one.
        let errors = reports.iter().filter_map(|one| one.error.as_ref());
        let messages: Vec<_> = errors.map(|one| one["message"].to_string()).collect();
        assert!(
            messages.iter().any(|one| one.contains(said)),
            "{messages:?}"
        );
    }
}
