//! What Rust gives back, as Python takes it.

use std::fmt::Display;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// A wrong request.
pub fn refused(error: impl Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// An answer as JSON.
pub fn to_json(value: &impl serde::Serialize) -> PyResult<String> {
    serde_json::to_string(value).map_err(refused)
}
