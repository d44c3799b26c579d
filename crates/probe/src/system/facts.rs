//! What a node is: reported once, when the agent is ready.

use std::fs;

use rustix::system::uname;
use serde::Serialize;

use crate::system::files;
use crate::system::interfaces::{self, Interface};
use crate::system::processor;

/// Facts about a node that help to interpret its results.
#[derive(Debug, Serialize)]
pub struct Facts {
    pub hostname: String,
    pub kernel: String,
    pub cpu_model: String,
    pub cpus: usize,
    /// The processors that it may run on, by number.
    pub processors: Vec<u32>,
    pub architecture: &'static str,
    pub interfaces: Vec<Interface>,
}

/// Gather the facts; what the system hides is left empty.
pub fn gather() -> Facts {
    Facts {
        hostname: uname().nodename().to_string_lossy().into_owned(),
        kernel: files::line("/proc/sys/kernel/osrelease").unwrap_or_default(),
        cpu_model: cpu_model().unwrap_or_default(),
        cpus: std::thread::available_parallelism().map_or(0, usize::from),
        processors: processor::allowed(),
        architecture: std::env::consts::ARCH,
        interfaces: interfaces::gather(),
    }
}

fn cpu_model() -> Option<String> {
    let text = fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}
