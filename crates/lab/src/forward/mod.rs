//! Frames from port to port, each in its time.

mod balancer;
pub mod changes;
pub mod conditions;
mod filter;
pub mod forwarder;
pub mod frame;
pub mod link;
pub mod links;
pub mod meter;
pub mod packet_socket;
mod ports;
pub mod stats;
pub mod waiter;
