//! Machines and simulations of steps between two of a kind, in Python, with the face of a network.

use std::sync::atomic::AtomicBool;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use weft_node::{
    Access, Budgets, CacheHits, Categories, Loads, NAMES, Occupation, Responses, Simulator, Stage,
    Task, parts, tracks,
};
use weft_plan::{Reach, Step};

use super::answers::refused;
use super::columns::{bytes_of, columns_of};
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

    /// How many phases a step has here.
    fn phase_count(&self, step_json: &str) -> PyResult<usize> {
        let step: Step = serde_json::from_str(step_json).map_err(refused)?;
        step.phase_count(NODES, Reach::SIMULATOR).map_err(refused)
    }

    /// Simulates the phases `first` to `last` (without it) of a step between two nodes.
    fn simulate<'py>(
        &self,
        py: Python<'py>,
        step_json: &str,
        first: usize,
        last: usize,
    ) -> PyResult<Bound<'py, PyDict>> {
        let step: Step = serde_json::from_str(step_json).map_err(refused)?;
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
        let occupation = occupation_of(py, &outcome.occupation)?;
        let budgets = budgets_of(py, &outcome.budgets)?;
        let responses = responses_of(py, &outcome.responses)?;
        let cache_hits = cache_hits_of(py, &outcome.cache_hits)?;
        let all = columns_of(py, outcome.samples)?;
        all.set_item("occupation", occupation)?;
        all.set_item("budgets", budgets)?;
        all.set_item("categories", categories_of(py, &outcome.categories)?)?;
        all.set_item("responses", responses)?;
        all.set_item("applications", applications_of(py, &outcome.loads)?)?;
        all.set_item("cache_hits", cache_hits)?;
        all.set_item("failures", outcome.failures)?;
        Ok(all)
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
        step_json: &str,
        phase: usize,
    ) -> PyResult<Bound<'py, PyDict>> {
        let step: Step = serde_json::from_str(step_json).map_err(refused)?;
        let phases = step.some_phases(NODES, Reach::SIMULATOR, phase..phase + 1);
        let phases = phases.map_err(refused)?;
        let [phase] = phases.as_slice() else {
            return Err(refused("the step has no such phase"));
        };
        let stop = AtomicBool::new(false);
        let recorded = watched(py, &stop, || self.simulator.record(&step, phase))?;
        let (measured, recording) = recorded.map_err(refused)?;
        let columns = columns_of_recording(py, &recording)?;
        columns.set_item("period_ps", measured.period_ps)?;
        Ok(columns)
    }
}

fn occupation_of<'py>(py: Python<'py>, rows: &Occupation) -> PyResult<Bound<'py, PyDict>> {
    let columns = PyDict::new(py);
    columns.set_item("phase", bytes_of(py, &rows.phase))?;
    columns.set_item("node", bytes_of(py, &rows.node))?;
    columns.set_item("part", bytes_of(py, &rows.part))?;
    columns.set_item("task", bytes_of(py, &rows.task))?;
    columns.set_item("share", bytes_of(py, &rows.share))?;
    columns.set_item("interrupts_per_s", bytes_of(py, &rows.interrupts_per_s))?;
    Ok(columns)
}

fn categories_of<'py>(py: Python<'py>, rows: &Categories) -> PyResult<Bound<'py, PyDict>> {
    let columns = PyDict::new(py);
    columns.set_item("phase", bytes_of(py, &rows.phase))?;
    columns.set_item("node", bytes_of(py, &rows.node))?;
    columns.set_item("category", bytes_of(py, &rows.category))?;
    columns.set_item("cycles", bytes_of(py, &rows.cycles))?;
    Ok(columns)
}

fn cache_hits_of<'py>(py: Python<'py>, rows: &CacheHits) -> PyResult<Bound<'py, PyDict>> {
    let columns = PyDict::new(py);
    columns.set_item("phase", bytes_of(py, &rows.phase))?;
    columns.set_item("node", bytes_of(py, &rows.node))?;
    columns.set_item("part", bytes_of(py, &rows.part))?;
    columns.set_item("cache", bytes_of(py, &rows.cache))?;
    columns.set_item("access", bytes_of(py, &rows.access))?;
    columns.set_item("accesses", bytes_of(py, &rows.accesses))?;
    columns.set_item("hit_rate", bytes_of(py, &rows.hit_rate))?;
    Ok(columns)
}

fn responses_of<'py>(py: Python<'py>, rows: &Responses) -> PyResult<Bound<'py, PyDict>> {
    let columns = PyDict::new(py);
    columns.set_item("phase", bytes_of(py, &rows.phase))?;
    columns.set_item("batch", bytes_of(py, &rows.batch))?;
    columns.set_item("users", bytes_of(py, &rows.users))?;
    columns.set_item("waiting", bytes_of(py, &rows.waiting))?;
    columns.set_item("mean_ns", bytes_of(py, &rows.mean_ns))?;
    columns.set_item("median_ns", bytes_of(py, &rows.median_ns))?;
    columns.set_item("p95_ns", bytes_of(py, &rows.p95_ns))?;
    columns.set_item("p99_ns", bytes_of(py, &rows.p99_ns))?;
    Ok(columns)
}

fn applications_of<'py>(py: Python<'py>, rows: &Loads) -> PyResult<Bound<'py, PyDict>> {
    let columns = PyDict::new(py);
    columns.set_item("phase", bytes_of(py, &rows.phase))?;
    columns.set_item("gamma", bytes_of(py, &rows.gamma))?;
    columns.set_item("communication_ns", bytes_of(py, &rows.communication_ns))?;
    columns.set_item("host_ns", bytes_of(py, &rows.host_ns))?;
    columns.set_item("other_ns", bytes_of(py, &rows.other_ns))?;
    columns.set_item("link_ns", bytes_of(py, &rows.link_ns))?;
    columns.set_item("before_ns", bytes_of(py, &rows.before_ns))?;
    Ok(columns)
}

fn budgets_of<'py>(py: Python<'py>, rows: &Budgets) -> PyResult<Bound<'py, PyDict>> {
    let columns = PyDict::new(py);
    columns.set_item("phase", bytes_of(py, &rows.phase))?;
    columns.set_item("stage", bytes_of(py, &rows.stage))?;
    columns.set_item("elapsed_ns", bytes_of(py, &rows.elapsed_ns))?;
    Ok(columns)
}
