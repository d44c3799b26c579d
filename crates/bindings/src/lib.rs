//! The Python module `weft._core`: text in, JSON out, no logic.

mod answers;
mod columns;
mod machine;
mod network;
mod parameters;
mod program;
mod recording;
mod traffic;
mod watched;

use pyo3::prelude::*;
use weft_fabric::{ETHERNET_BYTES, Fabric, Framing, Medium, Wiring};
use weft_plan::reading;
use weft_plan::{Limits, Reach, Step};

use answers::{Json, refused, to_json};
use columns::{WiringColumns, wiring_columns};

/// What Python sees of the Rust crates.
#[pymodule]
mod _core {
    use super::*;

    #[pymodule_export]
    use super::answers::RefusedError;
    #[pymodule_export]
    use super::machine::Machine;
    #[pymodule_export]
    use super::network::Network;
    #[pymodule_export]
    use super::program::Program;
    #[pymodule_export]
    use super::traffic::check_traffic;
    #[pymodule_export]
    use super::traffic::simulate_traffic;
    #[pymodule_export]
    use super::traffic::traffic_counts;

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

    /// The steps of a plan with the keys of their patterns, as JSON.
    #[pyfunction]
    fn step_keys(text: &str, origin: &str, max_message_bytes: u64) -> PyResult<String> {
        let steps = weft_plan::step_keys(text, origin, &Limits { max_message_bytes });
        to_json(&steps.map_err(refused)?)
    }

    /// Expands a step of a resolved plan over so many nodes; gives its phases as JSON.
    #[pyfunction]
    fn expand_step(step: Json<Step>, nodes: u32) -> PyResult<String> {
        to_json(&step.phases(nodes).map_err(refused)?)
    }

    /// Refuses a step of a resolved plan that has no phases over so many nodes, however far they reach.
    #[pyfunction]
    fn check_step(step: Json<Step>, nodes: u32) -> PyResult<()> {
        step.phase_count(nodes, Reach::SIMULATOR).map_err(refused)?;
        Ok(())
    }

    /// Of the largest frame: payload bytes, bytes inside of a switch, bytes on a wire.
    #[pyfunction]
    fn frame_bytes(mtu_bytes: u32) -> (u64, u64, u64) {
        let frame = u64::from(mtu_bytes + ETHERNET_BYTES);
        let [inside, wire] = [Medium::INSIDE, Medium::WIRE].map(|one| one.occupied_bytes(frame));
        (Framing::Ethernet.segment_bytes(mtu_bytes), inside, wire)
    }

    /// The line of a key of a TOML text, from 1; None for a text that is no TOML.
    #[pyfunction]
    fn line_of(text: &str, key: &str) -> Option<usize> {
        reading::line_of(text, key)
    }

    /// What is said of an unknown key.
    #[pyfunction]
    fn unknown_key(key: &str, known: Vec<String>) -> String {
        let known: Vec<_> = known.iter().map(String::as_str).collect();
        reading::unknown_key(key, &known)
    }

    /// Reads a fabric with its rates multiplied by `scale`; gives the resolved fabric as JSON.
    #[pyfunction]
    fn load_fabric(text: &str, origin: &str, scale: f64) -> PyResult<String> {
        to_json(&weft_fabric::load(text, origin, scale).map_err(refused)?)
    }

    /// Reads a file of prices; gives it as JSON.
    #[pyfunction]
    fn load_prices(text: &str, origin: &str) -> PyResult<String> {
        to_json(&weft_fabric::load_prices(text, origin).map_err(refused)?)
    }

    /// What is connected how in a resolved fabric; see `Network.wiring`.
    #[pyfunction]
    fn fabric_wiring<'py>(py: Python<'py>, fabric: Json<Fabric>) -> PyResult<WiringColumns<'py>> {
        let wiring = Wiring::of(&fabric).map_err(refused)?;
        Ok(wiring_columns(py, &wiring))
    }

    /// The nodes of a network of a resolved fabric with the one above each, the root first.
    #[pyfunction]
    fn fabric_tree(fabric: Json<Fabric>, network: u32) -> PyResult<Vec<(String, Option<String>)>> {
        weft_fabric::nodes_of(&fabric, network).map_err(refused)
    }
}
