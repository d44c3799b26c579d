//! Why the lab could not be built, or a program not be started in it.

use std::io;

use serde::Serialize;

/// A failure with what would help. Exit code 2 means that the request, not the work, was wrong.
#[derive(Debug, Serialize)]
pub struct LabError {
    pub message: String,
    pub hint: String,
    pub exit_code: i32,
}

pub type Result<T> = std::result::Result<T, LabError>;

impl LabError {
    /// The request cannot be fulfilled as it stands.
    pub fn request(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            hint: hint.into(),
            exit_code: 2,
        }
    }

    /// The request was fine, but something failed.
    pub fn work(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            hint: String::new(),
            exit_code: 1,
        }
    }
}

impl From<lexopt::Error> for LabError {
    fn from(error: lexopt::Error) -> Self {
        Self::request(error.to_string(), "see weft-lab --help")
    }
}

/// Says what was being done when the system refused.
pub trait Doing<T> {
    fn doing(self, what: &str) -> Result<T>;
}

impl<T> Doing<T> for io::Result<T> {
    fn doing(self, what: &str) -> Result<T> {
        self.map_err(|error| LabError::work(format!("cannot {what}: {error}")))
    }
}
