//! Frames from port to port, each in its time.

pub mod forwarder;
pub mod frame;
pub mod meter;
pub mod packet_socket;
pub mod plant;
pub mod stats;
pub mod waiter;
pub mod wire;
