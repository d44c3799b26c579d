//! Phases in, samples out: what a plan's step would measure on a network.

mod all_pairs;
mod amount;
mod barrier;
mod cast;
mod chain;
mod columns;
mod digest;
mod multi_pair;
mod outcome;
mod pair;
mod parameters;
mod phase;
mod pingpong;
mod placed;
mod program;
mod reno;
mod setup;
mod step;
mod stream;
mod summary;

pub use columns::{Columns, Loads, Row};
pub use digest::{Digest, QUANTILES, Tally};
pub use multi_pair::add_rows;
pub use outcome::{Batches, Keep, PhaseOutcome};
pub use pair::Timed;
pub use parameters::{Outgoing, Parameters, Sharing, Simulator};
pub use program::{Activities, Played, Unplayed};
pub(crate) use setup::Setup;
pub use step::Halt;
pub use summary::{Outcome, PhaseSummary, joined};
