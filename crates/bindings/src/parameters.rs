//! The parameters of simulations between nodes, in Python's words.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use weft_netsim::samples::{Outgoing, Parameters, Sharing};

/// Those where others are not given.
pub fn defaults(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let parameters = Parameters::default();
    let values = PyDict::new(py);
    values.set_item("overhead_s", parameters.overhead_s)?;
    values.set_item("window_bytes", parameters.window_bytes)?;
    values.set_item("segments_per_ack", parameters.segments_per_ack)?;
    values.set_item("sharing", parameters.sharing.name())?;
    values.set_item("outgoing", parameters.outgoing.name())?;
    values.set_item("barrier_s", parameters.barrier_s)?;
    values.set_item("tolerance", parameters.tolerance)?;
    values.set_item("threads", parameters.threads)?;
    Ok(values)
}

/// The defaults, but for what is given; refuses what is no parameter.
pub fn from_python(given: Option<&Bound<'_, PyDict>>) -> PyResult<Parameters> {
    let mut parameters = Parameters::default();
    for (key, value) in given.into_iter().flatten() {
        let key: String = key.extract()?;
        match key.as_str() {
            "overhead_s" => parameters.overhead_s = value.extract()?,
            "window_bytes" => parameters.window_bytes = value.extract()?,
            "segments_per_ack" => parameters.segments_per_ack = value.extract()?,
            "sharing" => {
                let name: String = value.extract()?;
                let sharing = Sharing::named(&name);
                let unknown = || PyValueError::new_err(format!("unknown sharing {name:?}"));
                parameters.sharing = sharing.ok_or_else(unknown)?;
            }
            "outgoing" => {
                let name: String = value.extract()?;
                let unknown = || PyValueError::new_err(format!("unknown outgoing {name:?}"));
                parameters.outgoing = Outgoing::named(&name).ok_or_else(unknown)?;
            }
            "barrier_s" => parameters.barrier_s = value.extract()?,
            "tolerance" => parameters.tolerance = value.extract()?,
            "threads" => parameters.threads = value.extract()?,
            _ => return Err(PyValueError::new_err(format!("unknown parameter {key:?}"))),
        }
    }
    Ok(parameters)
}
