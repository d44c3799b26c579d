//! What Rust gives back, as Python takes it.

use std::fmt::Display;

use pyo3::create_exception;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;

create_exception!(
    weft._core,
    RefusedError,
    PyException,
    "A wrong request, with the whole message: what, where, and what would be right."
);

/// A wrong request.
pub fn refused(error: impl Display) -> PyErr {
    RefusedError::new_err(error.to_string())
}

/// An answer as JSON.
pub fn to_json(value: &impl serde::Serialize) -> PyResult<String> {
    serde_json::to_string(value).map_err(refused)
}
