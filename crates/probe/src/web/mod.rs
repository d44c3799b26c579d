//! Pages over HTTP/1.1: a real server that this agent starts on its node, or users that request pages from one.

pub mod keeper;
mod message;
mod path;
mod serve;
mod server;
mod users;

pub use message::{Next, Reply, Request};
pub use serve::Kept;
pub use users::{Crowd, Job};
