//! A server of this node: found, configured, started, stopped.

mod apache;
mod folder;
mod nginx;
mod processes;
mod program;
mod running;

pub use processes::used;
pub use running::{Order, Running};
