//! Several pairs of processes between two nodes: what a message of each takes while all are at it.

use weft_netsim::samples::Timed;
use weft_plan::{Grain, MultiPair, Phase, Policy, Step, Test, Transfer};

use crate::engine::{Carrier, Exchange, Failure, Pair, Route, Tally};
use crate::machine::{Machine, Task};
use crate::occupation::{busiest, shares};
use crate::steady::batch_messages;

/// Of a phase.
pub struct Together {
    pub pairs: Vec<Timed>,
    pub tallies: [Tally; 2],
    pub events: u64,
    pub fingerprint: u64,
}

/// Round trips of each connection.
const TRIPS: usize = 4;
/// A stream's batches, as long as a steady state's.
const BATCHES: usize = 4;

/// Carries out a phase: all pairs do the same number, and what is free once one is done is the others'. A pair has a connection each way where messages go both ways at once, and one over each
/// interface where they are striped; it is done when all of them are.
pub fn measure(
    machine: &Machine,
    step: &Step,
    pattern: &MultiPair,
    phase: &Phase,
) -> Result<Together, Failure> {
    let cpus = usable(machine, step.options.cpus.as_deref());
    let routes: Vec<Vec<Route>> = (0..)
        .zip(pattern.by_pair(phase))
        .map(|(pair, transfers)| routes(pattern.test, &transfers, cpus[pair % cpus.len()]))
        .collect();
    let is_bonded = phase
        .arrangement
        .is_some_and(|one| one.policy == Policy::Bonded);
    let exchange = Exchange {
        message_bytes: phase.size_bytes,
        answer_bytes: routes[0][0].answer_bytes,
        nodelay: step.options.nodelay,
        compute: Grain::default(),
        carrier: Carrier::Tcp,
    };
    let all = observe(machine, exchange, routes.concat(), is_bonded)?;
    let window_s = match pattern.test {
        Test::Latency => 0.0,
        _ => acknowledged_s(machine, exchange, &routes[0], is_bonded)?,
    };
    let bottleneck = busiest(all.tallies.iter().flat_map(shares));
    let mut periods_s = all.periods_s.iter();
    let timed = |routes: &Vec<Route>| {
        let own = periods_s.by_ref().take(routes.len());
        let each_s = own.fold(0.0_f64, |slowest, one| slowest.max(*one));
        Timed {
            each_s,
            window_s: (window_s - each_s).max(0.0),
            window: pattern.window,
            crossings: 1.0,
            bottleneck,
        }
    };
    Ok(Together {
        pairs: routes.iter().map(timed).collect(),
        tallies: all.tallies,
        events: all.events,
        fingerprint: all.fingerprint,
    })
}

/// The processors that processes take in turn: those that the plan names, else all of the host but the driver domain's.
fn usable(machine: &Machine, wanted: Option<&[u32]>) -> Vec<usize> {
    let hosts = machine.processors.iter().filter(|one| !one.on_nic).count();
    let driver = machine.placement.of(Task::Driver);
    let is_apart = |one: &usize| machine.driver_domain.is_some() && *one == driver;
    match wanted {
        Some(wanted) => wanted.iter().map(|cpu| *cpu as usize % hosts).collect(),
        None => (0..hosts).filter(|one| !is_apart(one)).collect(),
    }
}

fn routes(test: Test, transfers: &[Transfer], processor: usize) -> Vec<Route> {
    let answers = test == Test::Latency;
    let route = |transfer: &Transfer| Route {
        processor,
        interface: transfer.network as usize,
        begins: transfer.src as usize,
        message_bytes: transfer.bytes,
        answer_bytes: if answers { transfer.bytes } else { 0 },
    };
    let begun = transfers.iter().filter(|one| one.src == 0 || !answers);
    begun.map(route).collect()
}

/// What one message of a pair alone takes with the acknowledgement that ends a window.
fn acknowledged_s(
    machine: &Machine,
    exchange: Exchange,
    routes: &[Route],
    is_bonded: bool,
) -> Result<f64, Failure> {
    let answered = |route: &Route| Route {
        answer_bytes: 1,
        ..*route
    };
    let exchange = Exchange {
        answer_bytes: 1,
        ..exchange
    };
    let alone = observe(
        machine,
        exchange,
        routes.iter().map(answered).collect(),
        is_bonded,
    )?;
    Ok(alone
        .periods_s
        .iter()
        .fold(0.0_f64, |slowest, one| slowest.max(*one)))
}

struct Observed {
    /// By connection, from one message or round trip to the next.
    periods_s: Vec<f64>,
    tallies: [Tally; 2],
    events: u64,
    fingerprint: u64,
}

fn observe(
    machine: &Machine,
    exchange: Exchange,
    routes: Vec<Route>,
    is_bonded: bool,
) -> Result<Observed, Failure> {
    let count = match exchange.answer_bytes {
        0 => BATCHES * batch_messages(machine, exchange) as usize,
        _ => TRIPS,
    };
    let mut pair = Pair::of_routes(machine, exchange, routes, is_bonded, count);
    let ends_ps = pair.go_on_for(count)?;
    let period_s = |ends_ps: &Vec<u64>| ends_ps[count - 1] as f64 / count as f64 / 1e12;
    Ok(Observed {
        periods_s: ends_ps.iter().map(period_s).collect(),
        tallies: [0, 1].map(|at| pair.tally(at)),
        events: pair.events(),
        fingerprint: pair.fingerprint(),
    })
}
