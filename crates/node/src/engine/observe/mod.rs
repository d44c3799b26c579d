//! What is noted of events: which part was busy, where the time of the last byte went, what a recorder needs.

mod budget;
mod tally;
mod watch;

pub use budget::{Budget, Stage};
pub use tally::Tally;
pub use watch::{Act, Gauge, Part, Unwatched, Watch};
