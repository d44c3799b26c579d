//! One thread, many sockets: what is watched, and what has happened to it.

pub mod line;
pub mod reactor;
pub mod slots;
pub mod timer;
