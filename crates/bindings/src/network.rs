//! Networks and simulations of steps on them, in Python. Results are bytes of whole columns, to be wrapped as arrays.

use std::collections::{BTreeMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::time::Duration;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use weft_fabric::network;
use weft_fabric::samples::{Digest, Halt, Keep, Outcome, Parameters, QUANTILES, Simulator, Tally};
use weft_plan::{Phase, Reach, Step, StopRule};

use super::refused;

/// How often Python is asked whether somebody interrupts.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// A network that is ready to be simulated.
#[pyclass(frozen)]
pub struct Network {
    inner: Box<dyn network::Network>,
}

#[pymethods]
impl Network {
    /// The network of a fabric's text.
    #[staticmethod]
    fn declared(text: &str, origin: &str, scale: f64) -> PyResult<Self> {
        let fabric = weft_fabric::load(text, origin, scale).map_err(refused)?;
        let inner = network::of_fabric(fabric);
        let inner = inner.map_err(|why| PyValueError::new_err(format!("{origin}: {why}")))?;
        Ok(Self { inner })
    }

    /// The network of a generator with these values; None where there is no such generator.
    #[staticmethod]
    fn generated(
        name: &str,
        values: BTreeMap<String, String>,
        scale: f64,
    ) -> PyResult<Option<Self>> {
        let built = network::generate(name, &values, scale).transpose();
        let built = built.map_err(PyValueError::new_err)?;
        Ok(built.map(|inner| Self { inner }))
    }

    /// A network of hosts, constraints (name, bit/s, delay in seconds, whether connections share it) and the
    /// constraints of each route.
    #[staticmethod]
    fn explicit(
        name: String,
        hosts: Vec<String>,
        constraints: Vec<network::Constraint>,
        routes: Vec<network::Route>,
    ) -> PyResult<Self> {
        let inner = network::Explicit::new(name, hosts, constraints, routes);
        Ok(Self {
            inner: Box::new(inner.map_err(PyValueError::new_err)?),
        })
    }

    /// The names of the generators, each with an example.
    #[staticmethod]
    fn generators() -> Vec<(&'static str, &'static str)> {
        network::generators()
    }

    /// The parameters of simulations where others are not given.
    #[staticmethod]
    fn default_parameters(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
        let parameters = Parameters::default();
        let values = PyDict::new(py);
        values.set_item("overhead_s", parameters.overhead_s)?;
        values.set_item("window_bytes", parameters.window_bytes)?;
        values.set_item("segments_per_ack", parameters.segments_per_ack)?;
        values.set_item("barrier_s", parameters.barrier_s)?;
        values.set_item("tolerance", parameters.tolerance)?;
        values.set_item("threads", parameters.threads)?;
        Ok(values)
    }

    #[getter]
    fn name(&self) -> &str {
        self.inner.name()
    }

    /// The names of the hosts.
    fn hosts(&self) -> Vec<String> {
        let hosts = 0..self.inner.hosts();
        hosts.map(|host| self.inner.host_name(host)).collect()
    }

    /// The hosts, by index, that can neither send nor receive.
    fn dead_hosts(&self) -> Vec<usize> {
        let hosts = 0..self.inner.hosts();
        hosts.filter(|host| self.inner.is_dead(*host)).collect()
    }

    /// The names of the constraints.
    fn constraints(&self) -> Vec<String> {
        let constraints = 0..self.inner.capacities().len();
        constraints
            .map(|constraint| self.inner.constraint_name(constraint))
            .collect()
    }

    /// The constraints, by index, that connections do not share: each gets as much.
    fn unshared(&self) -> Vec<usize> {
        let constraints = 0..self.inner.capacities().len();
        constraints
            .filter(|constraint| !self.inner.is_shared(*constraint))
            .collect()
    }

    /// What each constraint carries in bit/s: doubles, infinite where there is no limit.
    fn capacities<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        bytes_of(py, self.inner.capacities())
    }

    /// The delay behind each constraint in seconds: doubles.
    fn delays<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        let constraints = 0..self.inner.capacities().len();
        let delays: Vec<_> = constraints
            .map(|constraint| self.inner.constraint_delay_s(constraint))
            .collect();
        bytes_of(py, &delays)
    }

    /// Whether messages become frames, and frames are acknowledged; else capacities are what messages get.
    fn has_frames(&self) -> bool {
        self.inner.framing() != network::Framing::Bare
    }

    /// Wire bits for each bit of a long stream over a way.
    fn expansion(&self, src: usize, dst: usize) -> f64 {
        let way = self.inner.way(src, dst, 0, &mut Vec::new());
        let mtu_bytes = way.map_or(1500, |way| way.mtu_bytes);
        self.inner.framing().expansion(mtu_bytes)
    }

    /// The constraints from one host to another, and the delay of the way in seconds; None where there is no way.
    fn way(&self, src: usize, dst: usize, network: u32) -> PyResult<Option<(Vec<u32>, f64)>> {
        if src.max(dst) >= self.inner.hosts() {
            return Err(PyValueError::new_err("no such host"));
        }
        let mut route = Vec::new();
        let way = self.inner.hops(src, dst, network, &mut route);
        Ok(way.map(|way| (route, way.delay_s)))
    }

    /// How many phases a step has here.
    fn phase_count(&self, step_json: &str) -> PyResult<usize> {
        let step: Step = serde_json::from_str(step_json).map_err(refused)?;
        let nodes = self.inner.hosts() as u32;
        step.phase_count(nodes, Reach::SIMULATOR).map_err(refused)
    }

    /// Simulates the phases `first` to `last` (without it) of a step.
    #[pyo3(signature = (step_json, first, last, lost, with_loads, **parameters))]
    #[allow(clippy::too_many_arguments)]
    fn simulate<'py>(
        &self,
        py: Python<'py>,
        step_json: &str,
        first: usize,
        last: usize,
        lost: HashSet<u32>,
        with_loads: bool,
        parameters: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let step: Step = serde_json::from_str(step_json).map_err(refused)?;
        let nodes = self.inner.hosts() as u32;
        let phases = step.some_phases(nodes, Reach::SIMULATOR, first..last);
        let phases = phases.map_err(refused)?.into_iter();
        let phases: Vec<_> = phases.map(|phase| (phase, None)).collect();
        self.run(py, &step, &phases, &lost, with_loads, parameters)
    }

    /// Simulates the phases `first` to `last` (without it) of a step, and keeps a digest of each and about so many rows.
    #[pyo3(signature = (step_json, first, last, lost, most_rows, **parameters))]
    #[allow(clippy::too_many_arguments)]
    fn condense<'py>(
        &self,
        py: Python<'py>,
        step_json: &str,
        first: usize,
        last: usize,
        lost: HashSet<u32>,
        most_rows: usize,
        parameters: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let step: Step = serde_json::from_str(step_json).map_err(refused)?;
        let simulator = self.simulator(parameters)?;
        let stop = AtomicBool::new(false);
        let work = || simulator.condense(&step, first..last, &lost, most_rows, &stop);
        match watched(py, &stop, work)? {
            Ok(outcome) => columns_of(py, outcome),
            Err(Halt::Interrupted) => Err(interrupted()),
            Err(Halt::Refused(why)) => Err(refused(why)),
        }
    }

    /// Simulates phases that were chosen for a step, given as JSON with a stop rule each.
    #[pyo3(signature = (step_json, phases_json, lost, with_loads, **parameters))]
    fn simulate_chosen<'py>(
        &self,
        py: Python<'py>,
        step_json: &str,
        phases_json: &str,
        lost: HashSet<u32>,
        with_loads: bool,
        parameters: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let step: Step = serde_json::from_str(step_json).map_err(refused)?;
        let chosen: Vec<ChosenPhase> = serde_json::from_str(phases_json).map_err(refused)?;
        let phases: Vec<_> = chosen
            .into_iter()
            .map(|chosen| (chosen.phase, Some(chosen.stop)))
            .collect();
        self.run(py, &step, &phases, &lost, with_loads, parameters)
    }
}

#[derive(serde::Deserialize)]
struct ChosenPhase {
    #[serde(flatten)]
    phase: Phase,
    stop: StopRule,
}

impl Network {
    fn run<'py>(
        &self,
        py: Python<'py>,
        step: &Step,
        phases: &[(Phase, Option<StopRule>)],
        lost: &HashSet<u32>,
        with_loads: bool,
        parameters: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let simulator = self.simulator(parameters)?;
        let keep = Keep {
            loads: with_loads,
            rows: None,
        };
        let stop = AtomicBool::new(false);
        let work = || simulator.run(step, phases, lost, keep, &stop);
        let outcome = watched(py, &stop, work)?;
        columns_of(py, outcome.map_err(|_| interrupted())?)
    }

    fn simulator(&self, parameters: Option<&Bound<'_, PyDict>>) -> PyResult<Simulator<'_>> {
        Ok(Simulator {
            network: self.inner.as_ref(),
            parameters: parameters_of(parameters)?,
        })
    }
}

/// Works beside Python and asks it now and then whether somebody interrupts.
pub fn watched<T: Send>(
    py: Python<'_>,
    stop: &AtomicBool,
    work: impl FnOnce() -> T + Send,
) -> PyResult<T> {
    py.detach(|| {
        std::thread::scope(|scope| {
            let (over, is_over) = mpsc::channel();
            let worker = scope.spawn(move || {
                let result = work();
                // Nobody listens any more after an interrupt.
                let _ = over.send(());
                result
            });
            let mut interrupted = Ok(());
            while interrupted.is_ok() {
                match is_over.recv_timeout(LOOK_EVERY) {
                    Err(mpsc::RecvTimeoutError::Timeout) => {
                        interrupted = Python::attach(|py| py.check_signals());
                    }
                    _ => break,
                }
            }
            stop.store(interrupted.is_err(), Ordering::Relaxed);
            let result = worker.join();
            interrupted?;
            result.map_err(|_| PyValueError::new_err("the simulator failed"))
        })
    })
}

fn interrupted() -> PyErr {
    PyValueError::new_err("interrupted")
}

fn parameters_of(given: Option<&Bound<'_, PyDict>>) -> PyResult<Parameters> {
    let mut parameters = Parameters::default();
    for (key, value) in given.into_iter().flatten() {
        let key: String = key.extract()?;
        match key.as_str() {
            "overhead_s" => parameters.overhead_s = value.extract()?,
            "window_bytes" => parameters.window_bytes = value.extract()?,
            "segments_per_ack" => parameters.segments_per_ack = value.extract()?,
            "barrier_s" => parameters.barrier_s = value.extract()?,
            "tolerance" => parameters.tolerance = value.extract()?,
            "threads" => parameters.threads = value.extract()?,
            _ => return Err(PyValueError::new_err(format!("unknown parameter {key:?}"))),
        }
    }
    Ok(parameters)
}

pub fn columns_of(py: Python<'_>, outcome: Outcome) -> PyResult<Bound<'_, PyDict>> {
    let rows = PyDict::new(py);
    rows.set_item("phase", bytes_of(py, &outcome.rows.phase))?;
    rows.set_item("batch", bytes_of(py, &outcome.rows.batch))?;
    rows.set_item("src", bytes_of(py, &outcome.rows.src))?;
    rows.set_item("dst", bytes_of(py, &outcome.rows.dst))?;
    rows.set_item("size_bytes", bytes_of(py, &outcome.rows.size_bytes))?;
    rows.set_item("messages", bytes_of(py, &outcome.rows.messages))?;
    rows.set_item("start_ns", bytes_of(py, &outcome.rows.start_ns))?;
    rows.set_item("elapsed_ns", bytes_of(py, &outcome.rows.elapsed_ns))?;
    rows.set_item("bottleneck", bytes_of(py, &outcome.rows.bottleneck))?;
    let loads = PyDict::new(py);
    loads.set_item("phase", bytes_of(py, &outcome.loads.phase))?;
    loads.set_item("constraint", bytes_of(py, &outcome.loads.constraint))?;
    loads.set_item("bits_per_s", bytes_of(py, &outcome.loads.bits_per_s))?;
    let all = PyDict::new(py);
    let digests = outcome.phases.iter();
    let digests: Vec<_> = digests
        .filter_map(|one| Some((one.index, one.digest?)))
        .collect();
    all.set_item("digests", digests_of(py, &digests)?)?;
    all.set_item("tally", tally_of(py, &outcome.tally)?)?;
    all.set_item("rows", rows)?;
    all.set_item("loads", loads)?;
    let phases = outcome.phases.into_iter();
    let phases: Vec<_> = phases
        .map(|one| {
            (
                one.index,
                one.start_ns,
                one.span_ns,
                one.barrier_ns,
                one.failed,
                one.fingerprint.value(),
            )
        })
        .collect();
    all.set_item("phases", phases)?;
    all.set_item("span_ns", outcome.span_ns)?;
    all.set_item("idle_s", outcome.idle_s)?;
    all.set_item("events", outcome.events)?;
    Ok(all)
}

/// A column each, of phases that were condensed.
fn digests_of<'py>(py: Python<'py>, digests: &[(u32, Digest)]) -> PyResult<Bound<'py, PyDict>> {
    let whole = |of: fn(&Digest) -> i64| {
        let column: Vec<i64> = digests.iter().map(|(_, one)| of(one)).collect();
        bytes_of(py, &column)
    };
    let rates = |of: &dyn Fn(&Digest) -> f64| {
        let column: Vec<f64> = digests.iter().map(|(_, one)| of(one)).collect();
        bytes_of(py, &column)
    };
    let phases: Vec<_> = digests.iter().map(|(index, _)| *index).collect();
    let columns = PyDict::new(py);
    columns.set_item("phase", bytes_of(py, &phases))?;
    columns.set_item("size_bytes", whole(|one| one.size_bytes))?;
    columns.set_item("transfers", whole(|one| one.transfers as i64))?;
    columns.set_item("slowest_src", whole(|one| one.slowest.0.into()))?;
    columns.set_item("slowest_dst", whole(|one| one.slowest.1.into()))?;
    columns.set_item("elapsed_ns", whole(|one| one.elapsed_ns))?;
    let quantiles = (0..QUANTILES.len()).map(|at| rates(&|one| one.mbps[at]));
    columns.set_item("quantiles_mbps", quantiles.collect::<Vec<_>>())?;
    columns.set_item("mean_mbps", rates(&|one| one.mean_mbps))?;
    columns.set_item("aggregate_mbps", rates(&|one| one.aggregate_mbps))?;
    Ok(columns)
}

fn tally_of<'py>(py: Python<'py>, tally: &Tally) -> PyResult<Bound<'py, PyDict>> {
    let columns = PyDict::new(py);
    let (least_mbps, transfers) = tally.rates();
    columns.set_item("least_mbps", bytes_of(py, &least_mbps))?;
    columns.set_item("rate_transfers", bytes_of(py, &transfers))?;
    let (bottleneck, transfers) = tally.bottlenecks();
    columns.set_item("bottleneck", bytes_of(py, &bottleneck))?;
    columns.set_item("bottleneck_transfers", bytes_of(py, &transfers))?;
    Ok(columns)
}

/// Numbers whose bytes may be copied as they are.
pub trait Plain: Copy {
    fn to_bytes(self, out: &mut Vec<u8>);
}

macro_rules! plain {
    ($($number:ty),*) => {
        $(impl Plain for $number {
            #[inline]
            fn to_bytes(self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.to_le_bytes());
            }
        })*
    };
}
plain!(i32, i64, u32, f64);

/// The compiler turns the loop into one copy where the machine's order of bytes is Arrow's.
pub fn bytes_of<'py, T: Plain>(py: Python<'py>, numbers: &[T]) -> Bound<'py, PyBytes> {
    let mut bytes = Vec::with_capacity(std::mem::size_of_val(numbers));
    for number in numbers {
        number.to_bytes(&mut bytes);
    }
    PyBytes::new(py, &bytes)
}
