//! Microscopic traffic as queues: cars with routes on a map of roads, in steps of one second.
//!
//! The model is that of N. Cetin, A. Burri and K. Nagel, "A Large-Scale Agent-Based Traffic Microsimulation Based on
//! Queue Model" (STRC 2003). A link has a free-flow travel time, a flow capacity and room for so many cars. A car that has
//! driven for the free-flow time leaves the link's queue for a buffer at its end as the flow capacity allows; at the
//! junction it goes from there to the next link of its route if that has room. The map is cut into domains. Each node
//! simulates one, and tells its neighbours at the end of a step which cars cross the border, and where room was freed.
//!
//! Pure, and the same for any number of domains: chance is a hash of seed, step and junction, and nothing depends on an
//! order that a cut could change.

mod census;
mod chance;
mod demand;
mod domain;
mod generate;
mod journey;
mod map;
mod message;
mod partition;
mod program;
mod rings;
mod routes;
mod scenario;
mod trip;

pub use census::Census;
pub use domain::Domain;
pub use journey::{Journey, StepOf};
pub use map::{Map, Road};
pub use message::Border;
pub use partition::{Partition, bisect};
pub use program::{Sampled, sample};
pub use routes::Routes;
pub use scenario::Scenario;
pub use trip::Trip;
