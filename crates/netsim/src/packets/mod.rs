//! What TCP makes of a network, frame by frame: connections over Reno through limits with queues.
//!
//! Max-min fairness says what connections share in the end where nothing is lost in vain. Reno (RFC 5681) learns of a
//! limit by what is lost in front of it: a connection through several full limits loses at each, and limits lie idle when many
//! lose at once. How much follows from queues, delays and how few frames each has on its way; no formula that knows
//! only rates has it, so frames are carried out.

mod connection;
mod exchange;
mod queue;
mod receiver;
mod recovery;
mod round_trip;
mod segments;
mod sender;

pub use connection::{Carried, Completed, Connection, ENDLESS, Span};
pub use exchange::{carry, complete};
pub use queue::Limit;
