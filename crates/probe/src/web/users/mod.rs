//! Users that request pages, read, think, and request again: many connections, one event loop, and nothing that takes memory
//! while pages count.

mod connect;
mod crowd;
mod events;
mod page;
mod tally;
mod think;
mod user;

pub use crowd::{Crowd, Job};
