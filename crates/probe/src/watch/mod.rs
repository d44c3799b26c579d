//! Watching links for weeks: a process of its own that probes peers, answers their probes, and keeps what it has measured
//! on the disk until the coordinator has fetched it. It needs no coordinator while it runs.

mod clocks;
mod config;
mod control;
mod datagram;
mod heard;
mod host;
mod lookup;
mod notes;
mod probes;
mod responder;
mod row;
mod run;
mod schedule;
mod spool;

pub use control::{Request, answer, is_request};
pub use run::run;
