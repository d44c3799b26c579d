//! What the kernel says of the whole node.

use std::collections::BTreeSet;
use std::fs;

use rustix::process::{Resource, getrlimit};
use serde::Serialize;

use super::load;
use crate::system::files::line;
use crate::system::settings::{self, Settings};

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

pub fn gather() -> Node {
    Node {
        governors: governors(),
        numa_nodes: line("/sys/devices/system/node/online"),
        busy: load::busy(),
        open_files: getrlimit(Resource::Nofile).maximum,
        settings: settings::gather(),
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
