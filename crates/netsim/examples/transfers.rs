//! Solves a pattern on a generated network as a process of its own, for `bench/simulate/simgrid.py`.
//!
//!     transfers PATTERN HOSTS ENDS-FILE(or -) NAME KEY=VALUE...
//!
//! With `back=0.05` so much of each transfer is sent back, as SimGrid's cross-traffic is.
//! Prints transfers, events, seconds of solving and the most kilobytes it had; writes all ends as doubles.
//! bench/simgrid/peer.cpp does the same with SimGrid.

use std::collections::BTreeMap;
use std::io::Write;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use weft_netsim::network::{Flow, Network, generate};
use weft_netsim::simulate::{Demand, Route, Settings, Solver, Transfers, side_by_side};

static GO_ON: AtomicBool = AtomicBool::new(false);

/// Which host sends to which, and how much, in one phase.
type Phase = Vec<(usize, usize, f64)>;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [pattern, hosts, file, name, values @ ..] = &arguments[..] else {
        panic!("PATTERN HOSTS ENDS-FILE NAME KEY=VALUE...");
    };
    let values = values.iter().filter_map(|one| one.split_once('='));
    let mut values: BTreeMap<_, _> = values.map(|(k, v)| (k.to_owned(), v.to_owned())).collect();
    let part_back = values.remove("back").unwrap_or_default();
    let part_back: f64 = part_back.parse().unwrap_or(0.0);
    let built = generate(name, &values, 1.0).expect("there is such a generator");
    let network = built.unwrap_or_else(|why| panic!("{why}"));
    let hosts: usize = hosts.parse().expect("a number of hosts");
    let started = Instant::now();
    let keeps = file != "-";
    let (ends, transfers, events) = solve(network.as_ref(), pattern, hosts, part_back, keeps);
    let seconds = started.elapsed().as_secs_f64();
    println!("{transfers} {events} {seconds:.6} {}", most_kilobytes());
    if keeps {
        let bytes: Vec<u8> = ends
            .iter()
            .flatten()
            .flat_map(|end| end.to_le_bytes())
            .collect();
        let mut file = std::fs::File::create(file).expect("a file to write");
        file.write_all(&bytes).expect("room for the ends");
    }
}

/// What this process had at most; a parent only sees the larger of that and its own.
fn most_kilobytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("a Linux");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let number = line.and_then(|rest| rest.split_whitespace().next());
    number.map_or(0, |number| number.parse().unwrap_or(0))
}

/// Phases are independent: each thread takes the next. Gives the ends by phase.
fn solve(
    network: &dyn Network,
    pattern: &str,
    hosts: usize,
    part_back: f64,
    keeps: bool,
) -> (Vec<Vec<f64>>, usize, u64) {
    let count = phases(pattern, hosts);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let work = |worker: &mut Worker, number: usize| {
        worker.transfers.clear();
        let phase = phase(pattern, hosts, number);
        add_transfers(network, phase, part_back, &mut worker.transfers);
        let settings = Settings {
            tolerance: 0.0,
            stop: &GO_ON,
        };
        let capacities = network.capacities();
        let solved = worker.solver.ends(capacities, &worker.transfers, settings);
        let solved = solved.expect("nothing interrupts");
        worker.count += worker.transfers.len();
        worker.events += solved.events;
        if keeps {
            worker.ends.push((number, solved.end_s));
        }
    };
    let workers = side_by_side(count, threads.min(count), &GO_ON, Worker::default, work);
    let workers = workers.expect("nothing interrupts");
    let (transfers, events) = workers.iter().fold((0, 0), |(transfers, events), one| {
        (transfers + one.count, events + one.events)
    });
    let mut ends: Vec<_> = workers.into_iter().flat_map(|one| one.ends).collect();
    ends.sort_unstable_by_key(|(number, _)| *number);
    let ends = ends.into_iter().map(|(_, ends)| ends).collect();
    (ends, transfers, events)
}

/// A thread's solver, and what it has solved: ends by phase.
#[derive(Default)]
struct Worker {
    solver: Solver,
    transfers: Transfers,
    count: usize,
    events: u64,
    ends: Vec<(usize, Vec<f64>)>,
}

/// Adds the transfers of a phase, of each of which so much is sent back.
fn add_transfers(network: &dyn Network, phase: Phase, part_back: f64, transfers: &mut Transfers) {
    let (mut there, mut back) = (Vec::new(), Vec::new());
    for (src, dst, bytes) in phase {
        let demand = Demand {
            back: part_back,
            ..Demand::of_bits(bytes * 8.0)
        };
        if part_back == 0.0 {
            let find =
                |route: &mut _| Some((network.path(Flow::between(src, dst), route)?, demand));
            transfers.push_found(find).expect("a way");
            continue;
        }
        there.clear();
        back.clear();
        network
            .path(Flow::between(src, dst), &mut there)
            .expect("a way");
        network
            .path(Flow::between(dst, src), &mut back)
            .expect("a way back");
        let (there, back) = (&there[..], &back[..]);
        transfers.push_answered(Route { there, back }, demand);
    }
}

fn phases(pattern: &str, hosts: usize) -> usize {
    match pattern {
        "aapc" | "aapc-random" => hosts - 1,
        _ => 1,
    }
}

fn phase(pattern: &str, hosts: usize, number: usize) -> Phase {
    let shift = |distance: usize, bytes: &dyn Fn(usize) -> f64| -> Phase {
        // No remainder for each transfer, which is no part of what is measured.
        let around = (hosts - distance..hosts).map(|src| (src, src + distance - hosts));
        let pairs = (0..hosts - distance)
            .map(|src| (src, src + distance))
            .chain(around);
        pairs.map(|(src, dst)| (src, dst, bytes(src))).collect()
    };
    match pattern {
        "aapc" => shift(number + 1, &|_| 1e6),
        "aapc-random" => shift(number + 1, &|src| random_bytes(number * hosts + src)),
        "ring" => shift(1, &|_| 1e6),
        "alltoall" => {
            let pairs = (0..hosts).flat_map(|src| (1..hosts).map(move |far| (src, far)));
            let transfer = |(index, (src, far)): (usize, (usize, usize))| {
                (src, (src + far) % hosts, random_bytes(index))
            };
            pairs.enumerate().map(transfer).collect()
        }
        "permutation" => {
            let order = permutation(hosts);
            let pairs = (0..hosts).filter(|src| order[*src] != *src);
            pairs.map(|src| (src, order[src], 1e6)).collect()
        }
        "permutation-random" => {
            let order = permutation(hosts);
            let pairs = (0..hosts).filter(|src| order[*src] != *src);
            pairs
                .map(|src| (src, order[src], random_bytes(src)))
                .collect()
        }
        "halo" => (0..hosts).flat_map(|src| neighbours(hosts, src)).collect(),
        other => panic!("no pattern {other}"),
    }
}

/// On a cubic torus the neighbours in each dimension, both ways.
fn neighbours(hosts: usize, src: usize) -> Phase {
    let side = (hosts as f64).cbrt().round() as usize;
    let mut found = Vec::new();
    for stride in [1, side, side * side] {
        let digit = src / stride % side;
        for next in [(digit + 1) % side, (digit + side - 1) % side] {
            found.push((src, src - digit * stride + next * stride, 1e6));
        }
    }
    found
}

/// From 0.5 to 1.5 MB, another for each transfer.
fn random_bytes(index: usize) -> f64 {
    let part = (mixed(index as u64 + 1) >> 11) as f64 / (1u64 << 53) as f64;
    (0.5e6 + 1e6 * part).floor()
}

fn permutation(hosts: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..hosts).collect();
    for last in (1..hosts).rev() {
        order.swap(last, (mixed(last as u64) % (last as u64 + 1)) as usize);
    }
    order
}

/// SplitMix64.
fn mixed(number: u64) -> u64 {
    weft_plan::mixed(number.wrapping_mul(0x9e37_79b9_7f4a_7c15))
}
