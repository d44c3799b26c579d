//! The Python module `weft._core`: text in, JSON out, no logic.

mod answers;
mod columns;
mod machine;
mod network;
mod parameters;
mod recording;
mod watched;

use pyo3::prelude::*;
use weft_plan::{Limits, Step};

use answers::{refused, to_json};

/// What Python sees of the Rust crates.
#[pymodule]
mod _core {
    use super::*;

    #[pymodule_export]
    use super::machine::Machine;
    #[pymodule_export]
    use super::network::Network;

    /// Reads a plan with its overrides; gives the resolved plan as JSON.
    #[pyfunction]
    fn load_plan(
        text: &str,
        origin: &str,
        overrides: Vec<(String, String)>,
        max_message_bytes: u64,
    ) -> PyResult<String> {
        let plan = weft_plan::load(text, origin, &overrides, &Limits { max_message_bytes });
        to_json(&plan.map_err(refused)?)
    }

    /// Expands a step of a resolved plan over so many nodes; gives its phases as JSON.
    #[pyfunction]
    fn expand_step(step_json: &str, nodes: u32) -> PyResult<String> {
        let step: Step = serde_json::from_str(step_json).map_err(refused)?;
        to_json(&step.phases(nodes).map_err(refused)?)
    }

    /// Reads a fabric with its rates multiplied by `scale`; gives the resolved fabric as JSON.
    #[pyfunction]
    fn load_fabric(text: &str, origin: &str, scale: f64) -> PyResult<String> {
        to_json(&weft_fabric::load(text, origin, scale).map_err(refused)?)
    }
}
