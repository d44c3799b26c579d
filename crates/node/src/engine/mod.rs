//! Discrete events inside two nodes, in integer picoseconds.

mod budget;
mod bus;
mod calendar;
mod connection;
mod costs;
mod flows;
mod job;
mod node;
mod pair;
mod poll;
mod process;
mod processor;
mod receive;
mod send;
mod tally;
mod users;
mod visits;
mod watch;
mod work;

pub use budget::Stage;
pub use costs::{is_remote, pages, pages_of};
pub use job::{Frame, Job};
pub use pair::{Failure, Pair};
pub use process::Exchange;
pub use tally::Tally;
pub use visits::{Load, Visits};
pub use watch::{Act, Gauge, Part, Unwatched, Watch};
