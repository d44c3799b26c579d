//! Programs on networks: LogGP's times without contention, shares where messages meet, needs, and what nodes wait for.

mod contention;
mod loggp;
mod rotation;
mod waiting;

use std::sync::atomic::AtomicBool;

use weft_netsim::network::Explicit;
use weft_netsim::program::{Cast, Costs, Delivery, Outcome, Unplayed, play};
use weft_netsim::samples::{Parameters, Simulator};
use weft_plan::program::{Program, Repeated, goal_text};

/// LogGOPS as LogGOPSim takes it, in ns: L has the time of the first byte.
#[derive(Clone, Copy)]
struct LogGops {
    latency: u64,
    overhead: u64,
    gap: u64,
    per_byte: u64,
    rendezvous_bytes: u64,
}

/// The defaults of LogGOPSim.
const DEFAULTS: LogGops = LogGops {
    latency: 2500,
    overhead: 1500,
    gap: 1000,
    per_byte: 6,
    rendezvous_bytes: 65_535,
};

/// Every host with a link out and a link in, as wide as a byte takes; the delay is behind the link out.
fn crossbar(hosts: u32, byte_ns: u64, delay_ns: u64) -> Explicit {
    let names = (0..hosts).map(|host| format!("n{host}")).collect();
    let rate = 8e9 / byte_ns as f64;
    let link =
        |host: u32, name, delay_ns| (format!("n{host} {name}"), rate, delay_ns as f64 / 1e9, true);
    let out = (0..hosts).map(|host| link(host, "out", delay_ns));
    let into = (0..hosts).map(|host| link(host, "in", 0));
    let routes = (0..hosts).flat_map(|src| (0..hosts).map(move |dst| (src, dst)));
    let routes = routes.map(|(src, dst)| (src, dst, vec![src, hosts + dst]));
    Explicit::new(
        "crossbar".to_owned(),
        names,
        out.chain(into).collect(),
        routes.collect(),
    )
    .unwrap()
}

/// What becomes of a program over so many ranks.
fn played(model: LogGops, ranks: u32, text: &str) -> (Outcome, Vec<Delivery>) {
    let network = crossbar(ranks, model.per_byte, model.latency - model.per_byte);
    let simulator = Simulator {
        network: &network,
        parameters: Parameters {
            overhead_s: model.overhead as f64 / 1e9,
            ..Parameters::default()
        },
    };
    let costs = Costs {
        gap_s: (model.gap - model.per_byte) as f64 / 1e9,
    };
    let program = goal_text::parse(&format!("num_ranks {ranks}\n{text}")).unwrap();
    run(&simulator, costs, program, model.rendezvous_bytes).unwrap()
}

fn run(
    simulator: &Simulator<'_>,
    costs: Costs,
    program: Program,
    rendezvous_bytes: u64,
) -> Result<(Outcome, Vec<Delivery>), Unplayed> {
    let cast = Cast {
        hosts: (0..program.nodes.len() as u32).collect(),
        program: Repeated::of(&program),
        rendezvous_bytes,
    };
    let mut messages = Vec::new();
    let stop = AtomicBool::new(false);
    let found = play(simulator, costs, &cast, &stop, &mut |one| {
        messages.push(one)
    })?;
    Ok((found, messages))
}

/// When each rank's last operation ended, in ns.
fn ends_ns(outcome: &Outcome) -> Vec<f64> {
    outcome
        .activities
        .iter()
        .map(|one| one.end_s * 1e9)
        .collect()
}

#[track_caller]
fn assert_alike(found: f64, expected: u64) {
    let expected = expected as f64;
    assert!(
        (found - expected).abs() <= 1e-6 * expected,
        "{found} instead of {expected}"
    );
}
