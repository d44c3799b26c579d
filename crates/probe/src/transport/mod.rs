//! What carries the messages of a pair.

pub mod batches;
pub mod capabilities;
pub mod channel;
pub mod delivery;
pub mod duplex;
pub mod icmp;
pub mod mptcp;
pub mod order;
pub mod payload;
pub mod rings;
pub mod round_trips;
pub mod shm;
pub mod socket;
pub mod striped;
pub mod tcp;
pub mod udp;
pub mod uring;
pub mod wait;
pub mod zerocopy;
