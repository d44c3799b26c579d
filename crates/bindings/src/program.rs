//! Programs in Python: work with dependencies, read and written in the formats of GOAL.

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use weft_plan::Phase;
use weft_plan::program::{self, Schedule, goal_binary, goal_text};

use super::answers::refused;

/// What each rank computes, sends and receives.
#[pyclass(frozen)]
pub struct Program {
    pub inner: program::Program,
}

#[pymethods]
impl Program {
    /// Reads GOAL, as text or binary; `origin` is what messages call it.
    #[staticmethod]
    fn parse(content: &[u8], origin: &str) -> PyResult<Self> {
        let inner = match content.starts_with(&goal_binary::COOKIE.to_le_bytes()) {
            true => goal_binary::parse(content).map_err(|why| format!("{origin}: {why}")),
            false => read_text(content, origin),
        };
        Ok(Self {
            inner: inner.map_err(refused)?,
        })
    }

    /// What phases, given as JSON, make so many nodes do.
    #[staticmethod]
    fn of_phases(phases_json: &str, nodes: usize) -> PyResult<Self> {
        let phases: Vec<Phase> = serde_json::from_str(phases_json).map_err(refused)?;
        let inner = program::of_phases(&phases, nodes).map_err(refused)?;
        Ok(Self { inner })
    }

    /// How many ranks it has.
    #[getter]
    fn ranks(&self) -> usize {
        self.inner.nodes.len()
    }

    /// How many operations all ranks have.
    #[getter]
    fn operations(&self) -> usize {
        self.inner.operations()
    }

    /// How many messages there are.
    #[getter]
    fn messages(&self) -> usize {
        self.inner.sends().count()
    }

    /// Refuses one with a message that has one end only, and one that never ends.
    fn check(&self, rendezvous_bytes: u64) -> PyResult<()> {
        let schedule = Schedule::of(self.inner.clone(), rendezvous_bytes);
        schedule.map(drop).map_err(refused)
    }

    /// GOAL as text.
    fn to_text(&self) -> String {
        goal_text::write(&self.inner)
    }

    /// GOAL as the simulator LogGOPSim reads it.
    fn to_binary<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &goal_binary::write(&self.inner))
    }
}

fn read_text(content: &[u8], origin: &str) -> Result<program::Program, String> {
    let text = std::str::from_utf8(content).map_err(|why| {
        let byte = why.valid_up_to();
        format!("{origin}: neither GOAL as text (byte {byte} is no UTF-8) nor as LogGOPSim's txt2bin writes it")
    })?;
    goal_text::parse(text).map_err(|why| format!("{origin}:{why}"))
}
