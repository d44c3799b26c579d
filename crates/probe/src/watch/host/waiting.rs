//! How long the threads of this process stood in run queues (/proc/self/task/*/schedstat).

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;

use super::source::Source;

pub struct Waiting {
    last_ns: BTreeMap<OsString, u64>,
}

impl Waiting {
    /// None where the kernel does not count it.
    pub fn open() -> Option<Waiting> {
        waited_ns().map(|last_ns| Waiting { last_ns })
    }
}

impl Source for Waiting {
    /// The share of the thread that waited longest.
    fn read(&mut self, seconds: f64) -> Option<f64> {
        let now_ns = waited_ns()?;
        let longest = now_ns.iter().filter_map(|(thread, ns)| {
            let before = self.last_ns.get(thread)?;
            Some(ns.saturating_sub(*before))
        });
        let longest_ns = longest.max().unwrap_or(0);
        self.last_ns = now_ns;
        Some(longest_ns as f64 / 1e9 / seconds)
    }
}

fn waited_ns() -> Option<BTreeMap<OsString, u64>> {
    let threads = fs::read_dir("/proc/self/task").ok()?;
    let found: BTreeMap<OsString, u64> = threads
        .filter_map(|thread| {
            let thread = thread.ok()?;
            // One that is gone by now has none.
            let text = fs::read_to_string(thread.path().join("schedstat")).ok()?;
            Some((thread.file_name(), crate::evidence::waited_ns(&text)?))
        })
        .collect();
    (!found.is_empty()).then_some(found)
}
