//! Discrete events inside two nodes, in integer picoseconds.

mod acknowledge;
mod bus;
mod calendar;
mod connection;
mod costs;
mod datagrams;
mod flows;
mod job;
mod node;
mod observe;
mod pair;
mod pairs;
mod poll;
mod process;
mod processor;
mod receive;
mod send;
mod stream;
mod touch;
mod udp;
mod users;
mod visits;
mod work;

pub use costs::{JobParts, remote};
pub use datagrams::Place;
pub use datagrams::Sent;
pub use flows::Route;
pub use job::{Frame, Job};
pub use observe::{Act, Gauge, Part, Stage, Tally, Unwatched, Watch};
pub use pair::{Failure, Pair};
pub use process::{Carrier, Exchange};
pub use users::Load;
pub use visits::Visits;
