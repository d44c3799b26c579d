//! Phases in, samples out: what a plan's step would measure on a network.

mod all_pairs;
mod cast;
mod chain;
mod columns;
mod digest;
mod pair;
mod parameters;
mod phase;
mod pingpong;
mod reno;
mod setup;
mod step;
mod stream;

pub use columns::{Columns, Loads, Row};
pub use digest::{Digest, QUANTILES, Tally};
pub use pair::Timed;
pub use parameters::{Parameters, Sharing};
pub use phase::{Keep, PhaseOutcome};
pub use step::{Halt, Outcome, PhaseSummary, Simulator, joined};
