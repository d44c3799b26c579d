//! What travels between the coordinator and an agent.

pub mod frame;
pub mod outbox;
pub mod samples;
pub mod setup;
