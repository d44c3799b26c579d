//! A file or disk cast along a chain: each node writes what comes and sends it on at the same time.
//!
//! A link goes over one or two networks, whose threads share one list of what the successor lacks, so that each carries
//! what it can. The coordinator says who is next to whom, also after a node has failed.

mod board;
mod cache;
mod chunk;
mod disk;
mod error;
mod forward;
mod greeting;
mod hop;
mod layout;
mod message;
mod node;
mod place;
mod receive;
mod shared;
mod source;
mod target;
mod times;

pub use message::{Request, is_request};
pub use node::{Node, look};
