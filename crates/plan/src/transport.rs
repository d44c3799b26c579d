//! What carries the messages of a step.

use serde::{Deserialize, Serialize};

/// What carries the messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Transport {
    Tcp,
    /// No network at all: what remains is the overhead of the timed loop itself.
    Null,
}
