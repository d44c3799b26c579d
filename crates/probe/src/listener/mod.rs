//! Data connections: how they are opened, and only by agents of the run.

pub mod accept;
pub mod connect;
pub mod handshake;
pub mod place;
pub mod ports;
pub mod reachability;
pub mod refused;
pub mod token;
