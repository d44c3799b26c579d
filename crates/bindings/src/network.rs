//! Networks and simulations of steps on them, in Python. Results are bytes of whole columns, to be wrapped as arrays.

use std::collections::{BTreeMap, HashSet};
use std::sync::atomic::AtomicBool;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use weft_netsim::network;
use weft_netsim::program::Cast;
use weft_netsim::samples::{Halt, Keep, Played, Simulator, Unplayed};
use weft_plan::program::Repeated;
use weft_plan::{Phase, Reach, Step, StopRule};

use super::answers::{Json, refused};
use super::columns::{WiringColumns, bytes_of, columns, columns_of, wiring_columns};
use super::parameters;
use super::program::{Program, made_of};
use super::traffic;
use super::watched::{interrupted, watched};

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
        let inner = network::of_fabric(&fabric);
        let inner = inner.map_err(|why| refused(format!("{origin}: {why}")))?;
        Ok(Self { inner })
    }

    /// The network of a generator with these values, and its first hosts called so; None where there is no such
    /// generator.
    #[staticmethod]
    #[pyo3(signature = (name, values, scale, host_names = Vec::new()))]
    fn generated(
        name: &str,
        values: BTreeMap<String, String>,
        scale: f64,
        host_names: Vec<String>,
    ) -> PyResult<Option<Self>> {
        let built = network::generate_naming(name, &values, scale, &host_names).transpose();
        let built = built.map_err(refused)?;
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
            inner: Box::new(inner.map_err(refused)?),
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
        parameters::defaults(py)
    }

    /// Hosts, cables of an interface, ports by switch, ends, network and rate by cable; None where only routes are known.
    fn wiring<'py>(&self, py: Python<'py>) -> Option<WiringColumns<'py>> {
        self.inner
            .wiring()
            .map(|wiring| wiring_columns(py, &wiring))
    }

    /// The names of the constraints whose capacity depends on how many hosts contend.
    fn contended(&self) -> Vec<String> {
        let contended = self.inner.contended().iter();
        contended
            .map(|one| self.inner.constraint_name(one.constraint as usize))
            .collect()
    }

    #[getter]
    fn name(&self) -> &str {
        self.inner.name()
    }

    /// What chooses the path of a pair, in a few words.
    #[getter]
    fn routing(&self) -> &'static str {
        self.inner.routing()
    }

    /// The names of the hosts.
    fn hosts(&self) -> Vec<String> {
        let hosts = 0..self.inner.hosts();
        hosts.map(|host| self.inner.host_name(host)).collect()
    }

    /// How many networks a host may be in.
    fn networks(&self) -> u32 {
        self.inner.networks()
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
        self.inner.framing() != weft_fabric::Framing::Bare
    }

    /// Wire bits for each bit of a long stream over a path.
    fn expansion(&self, src: usize, dst: usize) -> f64 {
        let path = self
            .inner
            .path(network::Flow::between(src, dst), &mut Vec::new());
        let mtu_bytes = path.map_or(1500, |path| path.mtu_bytes);
        self.inner.framing().expansion(mtu_bytes)
    }

    /// The constraints from one host to another, and the delay of the way in seconds; None where there is no path.
    fn way(&self, src: usize, dst: usize, network: u32) -> PyResult<Option<(Vec<u32>, f64)>> {
        if src.max(dst) >= self.inner.hosts() {
            return Err(PyValueError::new_err("no such host"));
        }
        let mut route = Vec::new();
        let flow = network::Flow {
            network,
            ..network::Flow::between(src, dst)
        };
        let path = self.inner.hops(flow, &mut route);
        Ok(path.map(|path| (route, path.delay_s)))
    }

    /// How many phases a step has here.
    fn phase_count(&self, step: Json<Step>) -> PyResult<usize> {
        let nodes = self.inner.hosts() as u32;
        step.phase_count(nodes, Reach::SIMULATOR).map_err(refused)
    }

    /// Why a step cannot be simulated with these parameters; None where it can.
    #[pyo3(signature = (step, **parameters))]
    fn refusal(
        &self,
        step: Json<Step>,
        parameters: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Option<String>> {
        Ok(self.simulator(parameters)?.refusal(&step))
    }

    /// Simulates the phases `first` to `last` (without it) of a step.
    #[pyo3(signature = (step, first, last, lost, with_loads, **parameters))]
    #[allow(clippy::too_many_arguments)]
    fn simulate<'py>(
        &self,
        py: Python<'py>,
        step: Json<Step>,
        first: usize,
        last: usize,
        lost: HashSet<u32>,
        with_loads: bool,
        parameters: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let nodes = self.inner.hosts() as u32;
        let phases = step.some_phases(nodes, Reach::SIMULATOR, first..last);
        let phases = phases.map_err(refused)?.into_iter();
        let phases: Vec<_> = phases.map(|phase| (phase, None)).collect();
        self.run(py, &step, &phases, &lost, with_loads, parameters)
    }

    /// Simulates the phases `first` to `last` (without it) of a step, and keeps a digest of each and about so many rows.
    #[pyo3(signature = (step, first, last, lost, most_rows, **parameters))]
    #[allow(clippy::too_many_arguments)]
    fn condense<'py>(
        &self,
        py: Python<'py>,
        step: Json<Step>,
        first: usize,
        last: usize,
        lost: HashSet<u32>,
        most_rows: usize,
        parameters: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let simulator = self.simulator(parameters)?;
        let stop = AtomicBool::new(false);
        let work = || simulator.condense(&step, first..last, &lost, most_rows, &stop);
        match watched(py, &stop, work)? {
            Ok(outcome) => columns_of(py, outcome),
            Err(Halt::Interrupted) => Err(interrupted()),
            Err(Halt::Refused(why)) => Err(refused(why)),
        }
    }

    /// Plays a program whose ranks are these hosts as the first phase of a step, and keeps about so many of its messages.
    #[pyo3(signature = (program, rendezvous_bytes, hosts, most_rows, **parameters))]
    fn play<'py>(
        &self,
        py: Python<'py>,
        program: &Program,
        rendezvous_bytes: u64,
        hosts: Vec<u32>,
        most_rows: usize,
        parameters: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let cast = |_| {
            Ok(Cast {
                program: Repeated::of(&program.inner),
                rendezvous_bytes,
                hosts: hosts.clone(),
            })
        };
        self.play_casts(py, &[0], cast, most_rows, parameters)
    }

    /// Plays the phases `first` to `last` (without it) of a step whose programs follow from it (a collective, Linpack), and
    /// keeps about so many messages of each.
    #[pyo3(signature = (step, first, last, most_rows, **parameters))]
    fn play_made<'py>(
        &self,
        py: Python<'py>,
        step: Json<Step>,
        first: u32,
        last: u32,
        most_rows: usize,
        parameters: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let hosts = self.inner.hosts() as u32;
        let cast = |phase| made_of(&step, phase, hosts);
        let phases: Vec<u32> = (first..last).collect();
        self.play_casts(py, &phases, cast, most_rows, parameters)
    }

    /// Plays the phases `first` to `last` (without it) of a step that is traffic, and keeps about so many messages of each.
    #[pyo3(signature = (step, first, last, most_rows, **parameters))]
    fn play_traffic<'py>(
        &self,
        py: Python<'py>,
        step: Json<Step>,
        first: u32,
        last: u32,
        most_rows: usize,
        parameters: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let simulator = self.simulator(parameters)?;
        let (found, sampled) = traffic::play(py, &simulator, &step, first..last, most_rows)?;
        let columns = match &found {
            Ok(found) => Some(traffic::columns(py, &sampled, &found.activities)?),
            Err(_) => None,
        };
        let all = played(py, found)?;
        all.set_item("traffic", columns)?;
        Ok(all)
    }

    /// Simulates phases that were chosen for a step, given as JSON with a stop rule each.
    #[pyo3(signature = (step, phases, lost, with_loads, **parameters))]
    fn simulate_chosen<'py>(
        &self,
        py: Python<'py>,
        step: Json<Step>,
        phases: Json<Vec<ChosenPhase>>,
        lost: HashSet<u32>,
        with_loads: bool,
        parameters: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let phases = phases.0.into_iter();
        let phases: Vec<_> = phases.map(|one| (one.phase, Some(one.stop))).collect();
        self.run(py, &step, &phases, &lost, with_loads, parameters)
    }
}

/// What became of programs, or why they were not played to their end.
fn played(py: Python<'_>, found: Result<Played, Unplayed>) -> PyResult<Bound<'_, PyDict>> {
    let found = found.map_err(|why| match why {
        Unplayed::Interrupted => interrupted(),
        Unplayed::Refused(why) => refused(why),
    })?;
    let all = columns_of(py, found.outcome)?;
    all.set_item("activities", columns(py, &found.activities)?)?;
    all.set_item("laps", columns(py, &found.laps)?)?;
    all.set_item("messages", found.messages)?;
    Ok(all)
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

    fn play_casts<'py, 'a>(
        &self,
        py: Python<'py>,
        phases: &[u32],
        cast: impl Fn(u32) -> Result<Cast<'a>, String> + Sync + Send,
        most_rows: usize,
        parameters: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let simulator = self.simulator(parameters)?;
        let stop = AtomicBool::new(false);
        let work = || simulator.play(phases, cast, most_rows, &stop);
        played(py, watched(py, &stop, work)?)
    }

    fn simulator(&self, parameters: Option<&Bound<'_, PyDict>>) -> PyResult<Simulator<'_>> {
        Ok(Simulator {
            network: self.inner.as_ref(),
            parameters: parameters::from_python(parameters)?,
        })
    }
}
