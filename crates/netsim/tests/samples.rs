//! What steps would measure, against what is known of chains and barriers.

use std::collections::HashSet;
use std::sync::atomic::AtomicBool;

use weft_netsim::network::of_fabric;
use weft_netsim::samples::{Keep, Outcome, Parameters, Simulator};
use weft_plan::Limits;

const WIRE_BITS: f64 = 1538.0 * 8.0;
const SEGMENT_BYTES: f64 = 1448.0;

/// Hosts at 1 Gb/s.
fn one_switch(hosts: u32) -> String {
    format!(
        "name = \"one switch\"\n[[hosts]]\nids = \"n[1-{hosts}]\"\nattach = \"s\"\n\
         link = {{ rate = \"1 Gb/s\" }}\n[[switches]]\nids = \"s\"\n"
    )
}

/// A step of a plan on a fabric.
fn run(fabric: &str, step: &str) -> Outcome {
    let fabric = weft_fabric::load(fabric, "test", 1.0).unwrap();
    let nodes = fabric.hosts.len() as u32;
    let network = of_fabric(&fabric).unwrap();
    let limits = Limits {
        max_message_bytes: 1 << 40,
    };
    let plan = weft_plan::load(
        &format!("name = \"test\"\n[[steps]]\n{step}"),
        "test",
        &[],
        &limits,
    );
    let plan = plan.unwrap();
    let phases = plan.steps[0]
        .phases(nodes)
        .unwrap()
        .into_iter()
        .map(|phase| (phase, None));
    let simulator = Simulator {
        network: &*network,
        parameters: Parameters {
            segments_per_ack: 0,
            ..Parameters::default()
        },
    };
    let phases: Vec<_> = phases.collect();
    let (lost, stop) = (HashSet::new(), AtomicBool::new(false));
    simulator
        .run(&plan.steps[0], &phases, &lost, Keep::default(), &stop)
        .unwrap()
}

/// When a chunk has crossed a link: after the one before it, and after it has crossed the link before.
fn last_chunk_s(chunks: usize, chunk_s: &[f64]) -> f64 {
    let mut crossed_s = vec![0.0_f64; chunk_s.len()];
    for _ in 0..chunks {
        let mut here_s = 0.0_f64;
        for (link, took_s) in chunk_s.iter().enumerate() {
            here_s = here_s.max(crossed_s[link]) + took_s;
            crossed_s[link] = here_s;
        }
    }
    crossed_s[chunk_s.len() - 1]
}

#[test]
fn a_slow_link_does_not_slow_down_how_chunks_fill_the_others() {
    let fabric = one_switch(64) + "[[overrides]]\nids = \"n20\"\nlink = { rate = \"10 Mb/s\" }\n";
    let step = "pattern = \"cast\"\nsizes = [\"1 MiB\"]\nchunk = \"64 KiB\"\n\
                stop = { rule = \"count\", repeats = 1, trials = 1 }";
    let outcome = run(&fabric, step);
    let wire_s = |bits_per_s: f64| 65536.0 / SEGMENT_BYTES * WIRE_BITS / bits_per_s;
    // n20 receives and sends at its own rate.
    let mut chunk_s = vec![wire_s(1e9); 63];
    (chunk_s[18], chunk_s[19]) = (wire_s(1e7), wire_s(1e7));
    let expected_s = last_chunk_s(16, &chunk_s);
    let found_s = outcome
        .rows
        .elapsed_ns
        .iter()
        .max()
        .map(|ns| *ns as f64 / 1e9)
        .unwrap();
    assert!(
        (found_s / expected_s - 1.0).abs() < 0.01,
        "{found_s} for {expected_s}"
    );
}

#[test]
fn a_barrier_crosses_what_its_rounds_cross() {
    let fabric = r#"
name = "two racks"
[[hosts]]
ids = "n[1-4]"
attach = "rack[1-2]"
per_switch = 2
link = { rate = "1 Gb/s" }
[[links]]
between = ["rack1", "rack2"]
delay = "10 ms"
rate = "1 Gb/s"
"#;
    let step = "pattern = \"streams\"\nsizes = [\"1 kB\"]\nsenders = \"1,3\"\nreceivers = \"2,4\"\n\
                stop = { rule = \"count\", repeats = 1, trials = 1 }";
    let barrier_ms = run(fabric, step).phases[0].barrier_ns as f64 / 1e6;
    assert!(
        (20.0..21.0).contains(&barrier_ms),
        "both rounds cross the trunk: {barrier_ms} ms"
    );
}

/// Four hosts of a switch that carries 40 Mb/s for two ports and 60 for four, routed as given.
fn contended(routing: &str) -> String {
    format!(
        r#"
name = "contended"
{routing}
[[hosts]]
ids = "n[1-4]"
attach = "s"
link = {{ rate = "100 Mb/s" }}
[[switches]]
ids = "s"
capacity = {{ 2 = "40 Mb/s", 4 = "60 Mb/s" }}
"#
    )
}

#[test]
fn a_capacity_is_that_of_the_ports_that_contend_in_a_phase() {
    for routing in ["", "routing = \"shortest\""] {
        let sum_mbps = |pairs: &str| {
            let step = format!(
                "name = \"s\"\npattern = \"pairs\"\n{pairs}\nsizes = [\"10 MB\"]\n\
                 stop = {{ rule = \"count\", repeats = 1, trials = 1 }}"
            );
            let rows = run(&contended(routing), &step).rows;
            let each = rows.elapsed_ns.iter().map(|ns| 10e6 * 8e3 / *ns as f64);
            each.sum::<f64>() / (SEGMENT_BYTES / (WIRE_BITS / 8.0 - 20.0))
        };
        let found = [
            sum_mbps("from = \"1\"\nto = \"2\""),
            sum_mbps("from = \"1-2\"\nto = \"3-4\"\nduplex = \"half\""),
            sum_mbps("from = \"1-2\"\nto = \"3-4\"\nduplex = \"full\""),
        ];
        for (found, expected) in found.iter().zip([40.0, 40.0, 60.0]) {
            assert!(
                (found / expected - 1.0).abs() < 0.01,
                "{routing} {found} {expected}"
            );
        }
    }
}

/// What a stream of messages takes between two hosts at 1 Gb/s, in microseconds. Each message costs its ends 10 us.
fn stream_us(size: &str, stop: &str) -> f64 {
    let step = format!(
        "pattern = \"streams\"\nsizes = [\"{size}\"]\nsenders = \"1\"\nreceivers = \"2\"\nstop = {{ {stop} }}"
    );
    let rows = run(&one_switch(2), &step).rows;
    rows.elapsed_ns[0] as f64 / 1e3
}

/// On the wire at 1 Gb/s.
fn wire_us(bytes: f64) -> f64 {
    bytes * 8.0 / 1e3
}

fn assert_near(found: f64, expected: f64) {
    assert!(
        (found - expected).abs() < 0.002,
        "{found} us for {expected}"
    );
}

/// 1 B is a frame of 91 bytes on the wire, 512 B one of 602; the switch stores it, and each end has 10 us of work.
#[test]
fn a_single_message_waits_for_no_other_however_small_it_is() {
    let once = "rule = \"count\", repeats = 1, trials = 1";
    assert_near(stream_us("1 B", once), 20.0 + 2.0 * wire_us(91.0));
    assert_near(stream_us("512 B", once), 20.0 + 2.0 * wire_us(602.0));
}

#[test]
fn messages_begin_at_least_what_they_cost_an_end_behind_each_other() {
    let ten = "rule = \"count\", repeats = 10, trials = 1";
    assert_near(
        stream_us("1 B", ten),
        9.0 * 10.0 + 20.0 + 2.0 * wire_us(91.0),
    );
    // 1 MB fills 691 segments; a full frame is stored.
    let on_wire = 1e6 + 691.0 * 90.0;
    let large = stream_us("100 kB", ten);
    assert_near(large, 20.0 + wire_us(on_wire) + wire_us(1538.0));
}

#[test]
fn an_endless_stream_has_as_many_messages_as_its_ends_can_handle() {
    let second = "rule = \"time\", trial = \"1 s\", trials = 1";
    assert_near(stream_us("1 B", second), 1e6);
}
