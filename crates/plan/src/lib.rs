//! What to measure: a plan is a list of steps, a step expands into phases, a phase is a set of transfers.
//!
//! Pure: text in, values out. The same expansion drives live probes and simulators.

mod error;
mod options;
mod pattern;
mod plan;
mod read;
mod setting;
mod sizes;
mod step;
mod stop;
mod units;

pub use error::{Fault, PlanError};
pub use options::{Options, Wait};
pub use pattern::{Pattern, Phase, Transfer};
pub use plan::{Limits, Plan, load};
pub use sizes::SizeSchedule;
pub use step::{Step, Transport};
pub use stop::StopRule;
