//! Every kind of work gives the rows that it should.

use std::time::Duration;

use serde_json::json;

use crate::agent::{Agent, Row};
use crate::ensemble::{Ensemble, Phase, all_to_all, chain, count, ring, stream, time};

const COUNTS: [usize; 4] = [2, 3, 5, 8];

fn verified(count: usize) -> Ensemble {
    Ensemble::start_with(count, &json!({"verify": true}))
}

fn ends(rows: &[Row]) -> Vec<(i32, i32)> {
    let mut ends: Vec<_> = rows.iter().map(|row| (row.src, row.dst)).collect();
    ends.sort_unstable();
    ends
}

#[test]
fn counted_streams_give_a_row_a_trial_whatever_the_number_of_connections() {
    for members in COUNTS {
        let rows = verified(members).measure(&[
            stream(10_007, count(7, 3), ring(members, 3)),
            stream(1, count(1, 1), ring(members, 4)),
        ]);
        assert_eq!(rows.len(), members * 4);
        for row in rows.iter().filter(|row| row.phase == 0) {
            assert_eq!((row.messages, row.size_bytes), (7, 10_007));
            assert!(row.elapsed_ns > 0 && row.start_ns > 0);
        }
    }
}

#[test]
fn trials_of_a_stream_follow_each_other() {
    let mut rows = Ensemble::start(2).measure(&[stream(200_000, count(10, 4), vec![(0, 1, 2, 0)])]);
    rows.sort_by_key(|row| row.batch);
    for pair in rows.windows(2) {
        assert_eq!(pair[0].start_ns + pair[0].elapsed_ns, pair[1].start_ns);
    }
}

#[test]
fn timed_streams_count_what_was_sent_in_windows() {
    let mut ensemble = verified(3);
    let transfers = vec![(0, 1, 1, 0), (0, 2, 2, 0)];
    let reports = ensemble.run(&[stream(1000, time(100, 3), transfers)]);
    let moved: Vec<u64> = reports
        .iter()
        .map(|report| report.over[0]["moved_bytes"].as_u64().unwrap())
        .collect();
    assert_eq!(moved[0], moved[1] + moved[2]);
    for (report, moved_bytes) in reports.iter().zip(&moved).skip(1) {
        let counted: i64 = report
            .rows
            .iter()
            .map(|row| i64::from(row.messages) * 1000)
            .sum();
        assert_eq!(report.rows.len(), 3);
        // A window closes at the first look after its end, and is as long as it really was.
        assert!(report.rows.iter().all(|row| row.elapsed_ns >= 50_000_000));
        let length_ns: i64 = report.rows.iter().map(|row| row.elapsed_ns).sum();
        assert!(length_ns >= 250_000_000, "{length_ns}");
        // A quarter of a trial comes before the windows.
        let share = counted as f64 / *moved_bytes as f64;
        assert!((0.7..1.0).contains(&share), "{share}");
    }
}

#[test]
fn a_timed_phase_takes_its_time_and_no_longer() {
    let mut ensemble = Ensemble::start(2);
    let start = std::time::Instant::now();
    ensemble.measure(&[stream(1 << 20, time(40, 4), ring(2, 1))]);
    let took = start.elapsed();
    assert!(took >= Duration::from_millis(170), "{took:?}");
    assert!(took < Duration::from_millis(600), "{took:?}");
}

#[test]
fn a_size_that_has_taken_long_enough_needs_no_further_trial() {
    let stop = json!({"rule": "time", "trial_ns": 10_000_000, "trials": 9, "at_least": 1, "at_most_ns": 20_000_000});
    let rows = Ensemble::start(2).measure(&[stream(1000, stop, vec![(0, 1, 1, 0)])]);
    assert_eq!(rows.len(), 2);
}

#[test]
fn ping_pong_gives_a_row_a_round_trip_at_its_source() {
    for members in COUNTS {
        let transfers: Vec<_> = (0..members / 2)
            .map(|pair| (2 * pair + 1, 2 * pair, 1, 0))
            .collect();
        let phase = |size_bytes, stop| Phase {
            work: "pingpong",
            size_bytes,
            stop,
            transfers: transfers.clone(),
        };
        let rows = verified(members).measure(&[phase(300_000, count(5, 2)), phase(1, time(10, 2))]);
        let counted: Vec<_> = rows.iter().filter(|row| row.phase == 0).cloned().collect();
        assert_eq!(counted.len(), 10 * transfers.len());
        assert!(
            rows.iter()
                .all(|row| row.messages == 1 && row.src == row.dst + 1)
        );
        assert!(rows.len() > counted.len() + 10 * transfers.len());
    }
}

#[test]
fn a_cast_reaches_every_member_of_the_chain() {
    for members in COUNTS {
        let phase = |size_bytes, networks| Phase {
            work: "cast",
            size_bytes,
            stop: count(1, 1),
            transfers: chain(members, networks),
        };
        let rows =
            verified(members).measure(&[phase(3_000_001, 1), phase(1, 1), phase(2_000_001, 2)]);
        assert_eq!(rows.len(), 4 * (members - 1));
        let large: Vec<_> = rows.iter().filter(|row| row.phase == 0).cloned().collect();
        let links: Vec<_> = (1..members as i32).map(|dst| (dst - 1, dst)).collect();
        assert_eq!(ends(&large), links);
        assert!(
            large
                .iter()
                .all(|row| row.size_bytes == 3_000_001 && row.messages == 1)
        );
        let halves = rows.iter().filter(|row| row.phase == 2);
        let bytes: i64 = halves.map(|row| row.size_bytes).sum();
        assert_eq!(bytes, 2_000_001 * (members as i64 - 1));
    }
}

#[test]
fn sixteen_send_to_each_other_at_once() {
    let mut ensemble = Ensemble::start(16);
    let rows = ensemble.measure(&[
        stream(20_000, count(1, 1), all_to_all(16)),
        stream(20_000, time(60, 2), all_to_all(16)),
    ]);
    assert_eq!(rows.len(), 240 * 3);
}

#[test]
fn a_member_without_a_part_takes_part_in_barriers_and_gives_no_rows() {
    let phases: Vec<_> = (0..30)
        .map(|index| stream(1000, count(1, 1), vec![(index % 4, 4, 1, 0)]))
        .collect();
    let reports = Ensemble::start(5).run(&phases);
    for report in &reports {
        assert_eq!(report.over.len(), 30);
        let barriers = report
            .over
            .iter()
            .map(|over| over["barrier_us"].as_f64().unwrap());
        assert!(barriers.clone().all(|barrier_us| barrier_us > 0.0));
    }
    assert_eq!(reports[4].rows.len(), 30);
    assert!(reports[..4].iter().all(|report| report.rows.is_empty()));
}

#[test]
fn phases_may_be_sent_again_and_again_with_the_same_numbers() {
    let mut ensemble = Ensemble::start(3);
    for _ in 0..3 {
        assert_eq!(
            ensemble
                .measure(&[stream(1000, count(1, 1), ring(3, 1))])
                .len(),
            3
        );
    }
    assert_eq!(ensemble.end("leave"), [0, 0, 0]);
}

#[test]
fn a_receiver_that_sleeps_for_a_while_breaks_nothing() {
    let mut ensemble = Ensemble::start(3);
    ensemble.ask(&[stream(100_000, time(1000, 1), ring(3, 1))]);
    ensemble.await_state(0, "transfer");
    ensemble.agent(1).signal(libc::SIGSTOP);
    std::thread::sleep(Duration::from_millis(800));
    ensemble.agent(1).signal(libc::SIGCONT);
    for report in ensemble.follow() {
        assert!(report.error.is_none(), "{:?}", report.error);
        assert_eq!(report.over[0]["failed"], json!([]));
        assert_eq!(report.rows.len(), 1);
    }
}

#[test]
fn an_agent_that_nobody_reads_does_not_hold_the_others_up() {
    let mut ensemble = Ensemble::started(0);
    ensemble.agents = vec![
        Some(Agent::start()),
        Some(Agent::start()),
        Some(Agent::start_unheard()),
    ];
    ensemble.ports = vec![Vec::new(); 3];
    let deaf = ensemble.agents[2].take().unwrap();
    ensemble.open(&json!({}));
    // It opens and joins as the others do, but its answers stay unread: its ports are found where it listens.
    ensemble.agents[2] = Some(deaf);
    let request = json!({"type": "open", "node": 2, "addresses": ["127.0.0.1", "127.0.0.2"], "options": {},
        "token": ensemble.token});
    ensemble.agent(2).send(&request);
    ensemble.ports[2] = listening_ports(ensemble.agent(2).pid());
    ensemble.ask_to_join(&[0, 1, 2], 5000);
    let trips = Phase {
        work: "pingpong",
        size_bytes: 1,
        stop: count(30_000, 1),
        transfers: vec![(2, 0, 1, 0)],
    };
    ensemble.ask(&[trips, stream(1000, count(1, 1), ring(3, 1))]);
    for node in [0, 1] {
        ensemble.agent(node).expect("phases_done");
    }
    ensemble.agent(2).listen();
    ensemble.agent(2).expect("phases_done");
}

/// The ports that a process listens on, on two addresses in their order, as the kernel says.
fn listening_ports(pid: i32) -> Vec<u16> {
    let listening = "0A";
    let until = std::time::Instant::now() + crate::agent::PATIENCE;
    while std::time::Instant::now() < until {
        let inodes: Vec<String> = std::fs::read_dir(format!("/proc/{pid}/fd"))
            .unwrap()
            .filter_map(|entry| std::fs::read_link(entry.unwrap().path()).ok())
            .filter_map(|link| {
                Some(
                    link.to_str()?
                        .strip_prefix("socket:[")?
                        .strip_suffix(']')?
                        .to_owned(),
                )
            })
            .collect();
        let table = std::fs::read_to_string(format!("/proc/{pid}/net/tcp")).unwrap();
        let mut sockets: Vec<(String, u16)> = table
            .lines()
            .map(|line| line.split_whitespace().collect::<Vec<_>>())
            .filter(|words| {
                words.get(3) == Some(&listening) && inodes.iter().any(|inode| words[9] == inode)
            })
            .map(|words| words[1].split_once(':').unwrap())
            .map(|(address, port)| (address.to_owned(), u16::from_str_radix(port, 16).unwrap()))
            .collect();
        sockets.sort();
        if sockets.len() == 2 {
            return sockets.into_iter().map(|(_, port)| port).collect();
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    panic!("the agent does not listen");
}
