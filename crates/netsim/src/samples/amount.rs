//! How much a transfer sends.

use weft_plan::StopRule;

/// Bytes, or messages without end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Amount {
    Bytes(u64),
    Endless,
}

impl Amount {
    /// What a rule asks for in messages of a size.
    pub fn of(rule: StopRule, size_bytes: u64) -> Self {
        match rule {
            StopRule::Count {
                repeats, trials, ..
            } => Self::Bytes(
                size_bytes
                    .saturating_mul(u64::from(repeats))
                    .saturating_mul(u64::from(trials)),
            ),
            StopRule::Time { .. } => Self::Endless,
        }
    }

    /// The share of one of several streams.
    pub fn shared(self, streams: u32) -> Self {
        match self {
            Self::Bytes(bytes) => Self::Bytes(bytes.div_ceil(u64::from(streams))),
            Self::Endless => Self::Endless,
        }
    }

    /// What the solver counts down; of what has no end only the rate counts.
    pub fn bytes(self, size_bytes: u64) -> u64 {
        match self {
            Self::Bytes(bytes) => bytes,
            Self::Endless => size_bytes,
        }
    }
}
