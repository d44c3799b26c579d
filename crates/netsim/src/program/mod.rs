//! Programs on a network: what each node computes, sends and receives, in the order that needs and messages make.
//!
//! The costs of a message are those of LogGOPS (T. Hoefler, T. Schneider and A. Lumsdaine, "LogGOPSim", LSAP 2010), but
//! that messages which meet share what there is: each is a transfer whose rate is max-min fair among those under way.
//!
//! - A processor of a node does one thing at a time, in the order in which things became ready. A message costs it
//!   `overhead_s` at either end, and nothing in between.
//! - An interface lets messages out one behind the other; with `Outgoing::Connections` only those to the same node, and
//!   those to several nodes share it. A send has ended for what depends on it when its message
//!   begins to leave; a message longer than the program's `rendezvous_bytes` waits for its receive to begin, and its
//!   send ends when all of it has left.
//! - What has left arrives after the latency of its path.
//! - A node with a stop goes on until all others have ended.
//!
//! Without contention that gives LogGP's times, L being the path's latency and the first byte's time together.

mod activity;
mod connections;
mod events;
mod flows;
mod laps;
mod messages;
mod play;
mod processor;
mod rotation;
mod shares;
mod told;

pub use activity::Activity;
pub use laps::Timed;
pub use play::{Cast, Costs, Delivery, Failure, Outcome, Unplayed, play, play_each};
