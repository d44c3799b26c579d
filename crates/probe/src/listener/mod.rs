//! Data connections: who may open one, and how.

pub mod accept;
pub mod connect;
pub mod handshake;
pub mod place;
pub mod ports;
pub mod reachability;
pub mod refused;
pub mod token;
