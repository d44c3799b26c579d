//! What the kernel of this node gives: clock, processors, descriptors, interfaces.

pub mod clock;
pub mod counters;
pub mod descriptors;
pub mod error;
pub mod facts;
pub mod files;
pub mod interfaces;
pub mod memory;
pub mod poll;
pub mod private;
pub mod processor;
pub mod settings;
pub mod socket_option;
pub mod tcp_socket;
pub mod usage;
pub mod wake;
