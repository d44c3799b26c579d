//! What a node is: reported once, when the agent is ready.

use std::collections::BTreeMap;
use std::fs;

use rustix::system::uname;
use serde::Serialize;

use crate::inspect::Device;
use crate::system::files;
use crate::system::interfaces::{self, Interface};
use crate::system::processor;
use crate::system::settings::{self, Settings};

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
    pub caches: Vec<Cache>,
    pub interfaces: Vec<Interface>,
    /// What drives them, by name.
    pub devices: BTreeMap<String, Device>,
    pub settings: Settings,
}

/// A cache that data goes through.
#[derive(Debug, Serialize)]
pub struct Cache {
    pub level: i64,
    pub bytes: i64,
}

/// Gather the facts; what the system hides is left empty.
pub fn gather() -> Facts {
    let interfaces = interfaces::gather();
    let names = interfaces.iter().map(|one| one.name.clone());
    Facts {
        devices: names
            .map(|name| (name.clone(), Device::of(&name)))
            .collect(),
        hostname: uname().nodename().to_string_lossy().into_owned(),
        kernel: files::line("/proc/sys/kernel/osrelease").unwrap_or_default(),
        cpu_model: cpu_model().unwrap_or_default(),
        cpus: std::thread::available_parallelism().map_or(0, usize::from),
        processors: processor::allowed(),
        architecture: std::env::consts::ARCH,
        caches: caches(),
        interfaces,
        settings: settings::gather(),
    }
}

fn cpu_model() -> Option<String> {
    let text = fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

/// Those of the first processor, from the nearest; none where the system hides them.
fn caches() -> Vec<Cache> {
    let folder = |index: u32| format!("/sys/devices/system/cpu/cpu0/cache/index{index}");
    (0..)
        .map_while(|index| {
            Some((
                folder(index),
                files::line(&format!("{}/type", folder(index)))?,
            ))
        })
        .filter(|(_, kind)| kind != "Instruction")
        .filter_map(|(folder, _)| {
            let kibibytes = files::line(&format!("{folder}/size"))?;
            Some(Cache {
                level: files::number(&format!("{folder}/level"))?,
                bytes: kibibytes.strip_suffix('K')?.parse::<i64>().ok()? << 10,
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn caches_grow_with_their_level_where_the_system_says_them() {
        let found = caches();
        assert!(found.iter().all(|one| one.level > 0 && one.bytes >= 4096));
        assert!(found.is_sorted_by(|a, b| a.level < b.level && a.bytes < b.bytes));
    }
}
