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
mod process;
mod processor;
mod receive;
mod send;
mod tally;
mod users;
mod visits;
mod work;

pub use budget::Stage;
pub use pair::{Failure, Pair};
pub use process::Exchange;
pub use tally::Tally;
pub use visits::{Load, Visits};
