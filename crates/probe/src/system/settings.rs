//! Limits and time-outs of sockets, and of what is in front of them.

use serde::Serialize;

use super::files::{last_number, line, number};

/// Sizes in bytes; what the system hides is left out.
#[derive(Debug, Serialize)]
pub struct Settings {
    pub rmem_max: Option<i64>,
    pub wmem_max: Option<i64>,
    pub tcp_rmem: Option<String>,
    pub tcp_wmem: Option<String>,
    pub tcp_rmem_max: Option<i64>,
    pub tcp_wmem_max: Option<i64>,
    pub netdev_max_backlog: Option<i64>,
    pub congestion: Option<String>,
    pub syn_retries: Option<i64>,
    pub retries2: Option<i64>,
    pub mtu_probing: Option<i64>,
}

pub fn gather() -> Settings {
    Settings {
        rmem_max: number("/proc/sys/net/core/rmem_max"),
        wmem_max: number("/proc/sys/net/core/wmem_max"),
        tcp_rmem: line("/proc/sys/net/ipv4/tcp_rmem"),
        tcp_wmem: line("/proc/sys/net/ipv4/tcp_wmem"),
        tcp_rmem_max: last_number("/proc/sys/net/ipv4/tcp_rmem"),
        tcp_wmem_max: last_number("/proc/sys/net/ipv4/tcp_wmem"),
        netdev_max_backlog: number("/proc/sys/net/core/netdev_max_backlog"),
        congestion: line("/proc/sys/net/ipv4/tcp_congestion_control"),
        syn_retries: number("/proc/sys/net/ipv4/tcp_syn_retries"),
        retries2: number("/proc/sys/net/ipv4/tcp_retries2"),
        mtu_probing: number("/proc/sys/net/ipv4/tcp_mtu_probing"),
    }
}
