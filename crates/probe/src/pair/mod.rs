//! Measurements between two nodes.

pub mod batch;
pub mod driver;
pub mod link;
pub mod pattern;
pub mod rendezvous;
pub mod settings;
pub mod stall;
pub mod synchronised;
pub mod watchdog;
