//! What Rust takes from Python and gives back.

use std::fmt::Display;
use std::ops::Deref;

use pyo3::prelude::*;
use pyo3::{create_exception, import_exception};
use serde::de::DeserializeOwned;

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

/// What Python gives as JSON.
pub struct Json<T>(pub T);

impl<T: DeserializeOwned> FromPyObject<'_, '_> for Json<T> {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let text: &str = given.extract()?;
        serde_json::from_str(text).map(Self).map_err(refused)
    }
}

impl<T> Deref for Json<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

/// The pattern of a step that must be of this kind.
macro_rules! pattern_of {
    ($step:expr, $Kind:ident, $noun:literal) => {
        match &$step.pattern {
            weft_plan::Pattern::$Kind(pattern) => Ok(pattern),
            _ => Err($crate::answers::refused(format!(
                "step {:?} is no {}",
                $step.name, $noun
            ))),
        }
    };
}
pub(crate) use pattern_of;
