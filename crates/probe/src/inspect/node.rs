//! What the kernel says of the whole node.

use std::collections::BTreeSet;
use std::fs;

use rustix::process::{Resource, getrlimit};
use serde::Serialize;

use super::load;
use crate::system::files::{last_number, line, number};

/// What holds for all interfaces; what the system hides is left out.
#[derive(Debug, Serialize)]
pub struct Node {
    pub governors: BTreeSet<String>,
    pub numa_nodes: Option<String>,
    /// The share of the last moments in which each processor was busy.
    pub busy: Vec<f64>,
    pub open_files: Option<u64>,
    pub settings: Settings,
}

/// Limits and time-outs of sockets; sizes in bytes.
#[derive(Debug, Serialize)]
pub struct Settings {
    pub rmem_max: Option<i64>,
    pub wmem_max: Option<i64>,
    pub tcp_rmem_max: Option<i64>,
    pub tcp_wmem_max: Option<i64>,
    pub congestion: Option<String>,
    pub syn_retries: Option<i64>,
    pub retries2: Option<i64>,
    pub mtu_probing: Option<i64>,
}

pub fn gather() -> Node {
    Node {
        governors: governors(),
        numa_nodes: line("/sys/devices/system/node/online"),
        busy: load::busy(),
        open_files: getrlimit(Resource::Nofile).maximum,
        settings: Settings {
            rmem_max: number("/proc/sys/net/core/rmem_max"),
            wmem_max: number("/proc/sys/net/core/wmem_max"),
            tcp_rmem_max: last_number("/proc/sys/net/ipv4/tcp_rmem"),
            tcp_wmem_max: last_number("/proc/sys/net/ipv4/tcp_wmem"),
            congestion: line("/proc/sys/net/ipv4/tcp_congestion_control"),
            syn_retries: number("/proc/sys/net/ipv4/tcp_syn_retries"),
            retries2: number("/proc/sys/net/ipv4/tcp_retries2"),
            mtu_probing: number("/proc/sys/net/ipv4/tcp_mtu_probing"),
        },
    }
}

/// The frequency governors in use.
fn governors() -> BTreeSet<String> {
    let Ok(entries) = fs::read_dir("/sys/devices/system/cpu") else {
        return BTreeSet::new();
    };
    entries
        .flatten()
        .filter_map(|entry| line(entry.path().join("cpufreq/scaling_governor").to_str()?))
        .collect()
}
