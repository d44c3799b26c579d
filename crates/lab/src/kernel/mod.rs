//! What is asked of the kernel: namespaces, interfaces, queues, processes.

pub mod inhabitants;
pub mod interface;
pub mod mptcp;
pub mod namespace;
pub mod netlink;
pub mod process;
pub mod sys;
pub mod token_bucket;
