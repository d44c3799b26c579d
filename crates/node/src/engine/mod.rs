//! Discrete events inside two nodes, in integer picoseconds.

mod budget;
mod buffers;
mod bus;
mod calendar;
mod connection;
mod costs;
mod flows;
mod job;
mod layout;
mod node;
mod pair;
mod payload;
mod poll;
mod process;
mod processor;
mod receive;
mod send;
mod tally;
mod touch;
mod users;
mod visits;
mod walk;
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
