//! The settings in force for a step, read back from the kernel.

use serde::Serialize;

use crate::transport::{mptcp, socket, tcp};

/// Settings in force for a step, read back from the kernel.
#[derive(Debug, Serialize)]
pub struct Settings {
    #[serde(flatten)]
    pub link: Option<Effective>,
    /// The processors the timed loop may run on.
    pub cpus: Vec<u32>,
    pub wait: weft_plan::Wait,
    pub verify: bool,
}

/// Settings of the link as the kernel holds them.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum Effective {
    Tcp(tcp::Effective),
    Mptcp(mptcp::Effective),
    Icmp {
        /// "ping" where this user may have such sockets, else "raw".
        socket: &'static str,
    },
    Buffers(socket::Buffers),
    Shm {},
}
