//! Frames from port to port, each in its time.

pub mod changes;
pub mod conditions;
mod filter;
pub mod forwarder;
pub mod frame;
pub mod link;
pub mod links;
pub mod meter;
pub mod packet_socket;
pub mod stats;
pub mod waiter;
