//! Machines and simulations of steps between two of a kind, in Python, with the face of a network.

use std::sync::atomic::AtomicBool;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use weft_node::{Access, NAMES, Outcome, Simulator, Stage, Task, parts, tracks};
use weft_plan::{Reach, Step};

use super::answers::{Json, refused};
use super::columns::{columns, columns_of};
use super::recording::columns_of_recording;
use super::watched::watched;

const NODES: u32 = 2;

/// Two nodes of a kind, ready to be simulated.
#[pyclass(frozen)]
pub struct Machine {
    simulator: Simulator,
}

#[pymethods]
impl Machine {
    /// The machine of a description's text with a placement, or its only one, and with overrides.
    #[staticmethod]
    #[pyo3(signature = (text, origin, placement, overrides))]
    fn load(
        text: &str,
        origin: &str,
        placement: Option<&str>,
        overrides: Vec<(String, String)>,
    ) -> PyResult<Self> {
        let machine = weft_node::Machine::load(text, origin, placement, &overrides);
        Ok(Self {
            simulator: Simulator {
                machine: machine.map_err(refused)?,
            },
        })
    }

    /// The tasks that a placement places.
    #[staticmethod]
    fn tasks() -> Vec<&'static str> {
        Task::ALL.map(Task::name).to_vec()
    }

    /// What cycles are accounted to, where the description says it.
    fn categories(&self) -> Vec<String> {
        self.simulator.machine.breakdown.categories.clone()
    }

    /// What a message passes, in this order.
    #[staticmethod]
    fn stages() -> Vec<&'static str> {
        Stage::ALL.map(Stage::name).to_vec()
    }

    /// What caches are asked for.
    #[staticmethod]
    fn accesses() -> Vec<&'static str> {
        Access::ALL.map(Access::name).to_vec()
    }

    /// The names of a processor's caches; none where memory is described by its mean access time.
    fn caches(&self) -> Vec<&str> {
        let caches = self.simulator.machine.memory.caches();
        let all = caches.iter().flat_map(|caches| &caches.all);
        all.map(|cache| cache.name.as_str()).collect()
    }

    #[getter]
    fn name(&self) -> &str {
        &self.simulator.machine.name
    }

    #[getter]
    fn title(&self) -> &str {
        &self.simulator.machine.title
    }

    /// Which processor does each task.
    fn placement(&self) -> Vec<(&'static str, &str)> {
        let machine = &self.simulator.machine;
        let row = Task::ALL.map(|task| {
            let processor = &machine.processors[machine.placement.of(task)];
            (task.name(), processor.name.as_str())
        });
        row.to_vec()
    }

    /// The names of the two nodes.
    fn hosts(&self) -> Vec<String> {
        (1..=NODES).map(|number| format!("n{number}")).collect()
    }

    /// How many networks a node is in.
    fn networks(&self) -> u32 {
        self.simulator.machine.interfaces.len() as u32
    }

    /// None: both take part.
    fn dead_hosts(&self) -> Vec<usize> {
        Vec::new()
    }

    /// The parts of a node: its processors and what they share.
    fn parts(&self) -> Vec<String> {
        parts(&self.simulator.machine)
    }

    /// The parts of both nodes, as constraints are numbered.
    fn constraints(&self) -> Vec<String> {
        let parts = self.parts();
        let of = |host: String| parts.iter().map(move |part| format!("{host} {part}"));
        self.hosts().into_iter().flat_map(of).collect()
    }

    /// Why a key changes nothing, if it does not: for one pair, or for several.
    fn idle(&self, key: &str, has_pairs: bool) -> Option<&'static str> {
        self.simulator.machine.idle(key, has_pairs)
    }

    /// How many phases a step has here.
    fn phase_count(&self, step: Json<Step>) -> PyResult<usize> {
        step.phase_count(NODES, Reach::SIMULATOR).map_err(refused)
    }

    /// Why a step cannot be simulated on this machine, if it cannot.
    fn refusal(&self, step: Json<Step>) -> PyResult<Option<String>> {
        Ok(self.simulator.refusal(&step))
    }

    /// What the MPI library of a step is set to; nothing for other transports.
    fn settings<'py>(&self, py: Python<'py>, step: Json<Step>) -> PyResult<Bound<'py, PyDict>> {
        let settings = PyDict::new(py);
        if let Some((name, library)) = self.simulator.library(&step) {
            settings.set_item("mpi", format!("{name}, simulated"))?;
            settings.set_item("eager_limit_bytes", library.eager_bytes)?;
        }
        Ok(settings)
    }

    /// Simulates the phases `first` to `last` (without it) of a step between two nodes.
    fn simulate<'py>(
        &self,
        py: Python<'py>,
        step: Json<Step>,
        first: usize,
        last: usize,
    ) -> PyResult<Bound<'py, PyDict>> {
        if !step.pattern.is_pair() {
            let message =
                "only pingpong, stream and webserver are between the two nodes of a machine";
            return Err(refused(message));
        }
        let phases = step.some_phases(NODES, Reach::SIMULATOR, first..last);
        let phases = phases.map_err(refused)?;
        let stop = AtomicBool::new(false);
        let work = || self.simulator.run(&step, &phases, &stop);
        let outcome = watched(py, &stop, work)?;
        tables(py, outcome)
    }

    /// The names of a node's tracks in a recording.
    fn tracks(&self) -> Vec<String> {
        tracks(&self.simulator.machine)
    }

    /// What slices of a recording do, by number.
    #[staticmethod]
    fn acts() -> Vec<&'static str> {
        NAMES.to_vec()
    }

    /// One phase of a step, and everything that happened in it.
    fn record<'py>(
        &self,
        py: Python<'py>,
        step: Json<Step>,
        phase: usize,
    ) -> PyResult<Bound<'py, PyDict>> {
        let phases = step.some_phases(NODES, Reach::SIMULATOR, phase..phase + 1);
        let phases = phases.map_err(refused)?;
        let [phase] = phases.as_slice() else {
            return Err(refused("the step has no such phase"));
        };
        let stop = AtomicBool::new(false);
        let recorded = watched(py, &stop, || self.simulator.record(&step, phase))?;
        let (period_ps, recording) = recorded.map_err(refused)?;
        let columns = columns_of_recording(py, &recording)?;
        columns.set_item("period_ps", period_ps)?;
        Ok(columns)
    }
}

/// What was simulated, as columns by table.
fn tables(py: Python<'_>, outcome: Outcome) -> PyResult<Bound<'_, PyDict>> {
    let all = columns_of(py, outcome.samples)?;
    all.set_item("occupation", columns(py, &outcome.occupation)?)?;
    all.set_item("budgets", columns(py, &outcome.budgets)?)?;
    all.set_item("categories", columns(py, &outcome.categories)?)?;
    all.set_item("responses", columns(py, &outcome.responses)?)?;
    all.set_item("applications", columns(py, &outcome.loads)?)?;
    all.set_item("cache_hits", columns(py, &outcome.cache_hits)?)?;
    if !outcome.deliveries.phase.is_empty() {
        all.set_item("deliveries", columns(py, &outcome.deliveries)?)?;
    }
    all.set_item("failures", outcome.failures)?;
    Ok(all)
}
