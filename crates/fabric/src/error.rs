//! Why a fabric description was refused.

use std::fmt;

/// A refused fabric description: which file, where in it, what is wrong and what would be right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FabricError {
    /// The file (or other source) the description came from.
    pub origin: String,
    /// The line, counted from 1, where it is known.
    pub line: Option<usize>,
    /// The key, such as `links[0].rate`; empty where the file as a whole is meant.
    pub key: String,
    /// What is wrong, and what would be right.
    pub message: String,
}

impl fmt::Display for FabricError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.origin)?;
        if let Some(line) = self.line {
            write!(out, ":{line}")?;
        }
        if !self.key.is_empty() {
            write!(out, ": {}", self.key)?;
        }
        write!(out, ": {}", self.message)
    }
}

impl std::error::Error for FabricError {}
