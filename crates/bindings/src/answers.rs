//! What Rust gives back, as Python takes it.

use std::fmt::Display;

use pyo3::prelude::*;
use pyo3::{create_exception, import_exception};

import_exception!(weft.base.errors, RequestError);
create_exception!(
    weft._core,
    RefusedError,
    RequestError,
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
