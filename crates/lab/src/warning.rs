//! Warnings are data: every output of weft shows them.

use serde::Serialize;

/// A warning to the user about the lab that does not stop it.
#[derive(Debug, Clone, Serialize)]
pub struct Warning {
    pub code: &'static str,
    pub message: String,
    pub hint: String,
}
