//! Traffic simulations in Python.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use pyo3::prelude::*;
use pyo3::types::PyDict;
use weft_netsim::program::Cast;
use weft_netsim::samples::{Activities, Played, Simulator, Unplayed};
use weft_netsim::table;
use weft_plan::Step;
use weft_plan::program::Repeated;
use weft_traffic::{Domain, Journey, Sampled, Scenario, sample};

use super::answers::{Json, pattern_of, refused};
use super::watched::watched;

/// Refuses a step whose cars have no routes.
#[pyfunction]
pub fn check_traffic(step: Json<Step>) -> PyResult<()> {
    Scenario::of(pattern_of!(step, Traffic, "traffic")?).map_err(refused)?;
    Ok(())
}

/// The numbers of nodes of a step's phases, where so many take part.
#[pyfunction]
pub fn traffic_counts(step: Json<Step>, members: usize) -> PyResult<Vec<u32>> {
    Ok(pattern_of!(step, Traffic, "traffic")?.numbers(members))
}

/// Simulates so many seconds from the start over so many domains in this process, and nothing else: where all cars are then,
/// and how long that took without what comes before.
#[pyfunction]
pub fn simulate_traffic<'py>(
    py: Python<'py>,
    step: Json<Step>,
    domains: u32,
    seconds: u32,
) -> PyResult<Bound<'py, PyDict>> {
    let traffic = pattern_of!(step, Traffic, "traffic")?;
    let scenario = Arc::new(Scenario::of(traffic).map_err(refused)?);
    let stop = AtomicBool::new(false);
    let work = || {
        let mut journey = Journey::new(&scenario, domains, 0);
        let mut passed = 0;
        let begun = std::time::Instant::now();
        for _ in 0..seconds {
            if stop.load(Ordering::Relaxed) {
                break;
            }
            journey.advance();
            passed += journey.passed();
        }
        (begun.elapsed().as_secs_f64(), passed, journey.census())
    };
    let (elapsed_s, passed, census) = watched(py, &stop, work)?;
    let all = PyDict::new(py);
    all.set_item("elapsed_s", elapsed_s)?;
    all.set_item("passed", passed)?;
    all.set_item("hash", format!("{:016x}", census.hash))?;
    all.set_item("home", census.home)?;
    all.set_item("waiting", census.waiting)?;
    all.set_item("driving", census.driving)?;
    all.set_item("arrived", census.arrived)?;
    Ok(all)
}

/// Phases of traffic, each by its number.
type Found = BTreeMap<u32, (u32, Sampled)>;

/// Plays the phases `first` to `last` (without it) of a step on a network.
pub fn play(
    py: Python<'_>,
    simulator: &Simulator<'_>,
    step: &Step,
    phases: std::ops::Range<u32>,
    most_rows: usize,
) -> PyResult<(Result<Played, Unplayed>, Found)> {
    let traffic = pattern_of!(step, Traffic, "traffic")?;
    let members = traffic.members(simulator.network.hosts() as u32);
    let counts = traffic.numbers(members.len());
    let scenario = Arc::new(Scenario::of(traffic).map_err(refused)?);
    let stop = AtomicBool::new(false);
    let found = Mutex::new(Found::new());
    let work = || {
        let whole = whole(&scenario, traffic.from_second, &stop)?;
        let cast = |phase: u32| {
            let count = counts[phase as usize];
            let sampled = sample(traffic, Journey::of(&whole, count), count, &stop);
            let sampled = sampled.ok_or_else(String::new)?;
            let program = Repeated::from(sampled.program.clone());
            let mut found = found.lock().map_err(|why| why.to_string())?;
            found.insert(phase, (count, sampled));
            Ok(Cast {
                program,
                rendezvous_bytes: traffic.rendezvous_bytes,
                hosts: members[..count as usize].to_vec(),
            })
        };
        let phases: Vec<u32> = phases.collect();
        simulator.play(&phases, cast, most_rows, &stop)
    };
    let played = watched(py, &stop, work)?;
    let found = found.into_inner().map_err(|why| refused(why.to_string()))?;
    Ok((played, found))
}

/// The whole map up to a second.
fn whole(scenario: &Arc<Scenario>, until_s: u32, stop: &AtomicBool) -> Result<Domain, Unplayed> {
    let mut whole = Domain::whole(scenario);
    while whole.now_s() < until_s {
        if stop.load(Ordering::Relaxed) {
            return Err(Unplayed::Interrupted);
        }
        whole.advance();
    }
    Ok(whole)
}

table! {
    /// A row for each phase.
    struct Rows {
        phase: i32,
        nodes: i32,
        seconds: i32,
        steps: i32,
        hash: i64,
        home: i64,
        waiting: i64,
        driving: i64,
        arrived: i64,
        passed: i64,
        messages: i64,
        bytes: i64,
        elapsed_ns: i64,
        compute_ns: i64,
        communicate_ns: i64,
        wait_ns: i64,
    }
}

/// What the phases were, and how long the nodes took for them.
pub fn columns<'py>(
    py: Python<'py>,
    found: &Found,
    activities: &Activities,
) -> PyResult<Bound<'py, PyDict>> {
    let mut rows = Rows::default();
    for (phase, (nodes, one)) in found {
        let mine = |of: &[i64]| -> Vec<i64> {
            let pairs = activities.phase.iter().zip(of);
            let pairs = pairs.filter(|(of, _)| **of == *phase as i32);
            pairs.map(|(_, ns)| *ns).collect()
        };
        rows.phase.push(*phase as i32);
        rows.nodes.push(*nodes as i32);
        rows.seconds.push(one.seconds as i32);
        rows.steps.push(one.steps as i32);
        rows.hash.push(one.census.hash as i64);
        rows.home.push(one.census.home as i64);
        rows.waiting.push(one.census.waiting as i64);
        rows.driving.push(one.census.driving as i64);
        rows.arrived.push(one.census.arrived as i64);
        rows.passed.push(one.passed as i64);
        rows.messages.push(one.messages as i64);
        rows.bytes.push(one.bytes as i64);
        let end_ns = mine(&activities.end_ns).into_iter().max();
        rows.elapsed_ns.push(end_ns.unwrap_or(0));
        rows.compute_ns
            .push(mine(&activities.compute_ns).iter().sum());
        rows.communicate_ns
            .push(mine(&activities.communicate_ns).iter().sum());
        rows.wait_ns.push(mine(&activities.wait_ns).iter().sum());
    }
    super::columns::columns(py, &rows)
}
