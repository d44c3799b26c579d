//! What traffic does on a network: transfers through shared limits, or TCP frame by frame.

pub mod network;
pub mod packets;
pub mod program;
pub mod samples;
pub mod simulate;
pub mod table;
