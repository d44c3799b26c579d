//! The processes of this network namespace: their parents, their sockets, and which are ranks of a parallel job.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Serialize;

/// What the launchers tell the processes that they start for the user, and nothing else.
const RANK: [&str; 5] = [
    "OMPI_COMM_WORLD_RANK=",
    "PMIX_RANK=",
    "PMI_RANK=",
    "MPI_RANKID=",
    "SLURM_PROCID=",
];

#[derive(Clone, Debug, Serialize)]
pub struct Process {
    pid: u32,
    parent: u32,
    name: String,
    is_rank: bool,
    /// When it was seen first and last, on CLOCK_MONOTONIC.
    first_ns: u64,
    last_ns: u64,
    was_there: bool,
}

/// All that were seen; a pid that is used again is another process.
pub struct Processes {
    namespace: Option<PathBuf>,
    living: HashMap<u32, Process>,
    ended: Vec<Process>,
    has_begun: bool,
}

impl Processes {
    pub fn new() -> Processes {
        Processes {
            namespace: fs::read_link("/proc/self/ns/net").ok(),
            living: HashMap::new(),
            ended: Vec::new(),
            has_begun: false,
        }
    }

    /// See which there are now.
    pub fn look(&mut self, now_ns: u64) {
        for pid in pids() {
            if self.living.get(&pid).is_some_and(|one| one.was_there) {
                self.see(pid, now_ns);
            } else if self.is_here(pid) {
                self.read(pid, now_ns);
            }
        }
        let (living, ended) = std::mem::take(&mut self.living)
            .into_iter()
            .partition(|(_, one)| one.last_ns == now_ns);
        self.living = living;
        let ended: HashMap<u32, Process> = ended;
        self.ended.extend(ended.into_values());
        self.has_begun = true;
    }

    /// One that the tracepoint has named; it may be gone already.
    pub fn note(&mut self, pid: u32, name: &str, at_ns: u64) {
        if pid != 0 && !self.living.contains_key(&pid) {
            self.living.insert(
                pid,
                Process {
                    pid,
                    parent: stat(pid).map_or(0, |(_, parent)| parent),
                    name: name.to_owned(),
                    is_rank: is_rank(pid),
                    first_ns: at_ns,
                    last_ns: at_ns,
                    was_there: false,
                },
            );
        }
    }

    /// The process of a thread; the thread itself where it is gone.
    pub fn of_thread(&self, thread: u32) -> u32 {
        let status = fs::read_to_string(format!("/proc/{thread}/status")).unwrap_or_default();
        let process = status.lines().find_map(|line| line.strip_prefix("Tgid:"));
        process
            .and_then(|one| one.trim().parse().ok())
            .unwrap_or(thread)
    }

    pub fn is_here(&self, pid: u32) -> bool {
        let its = fs::read_link(format!("/proc/{pid}/ns/net")).ok();
        its.is_some() && its == self.namespace
    }

    /// Whether it is in another network namespace; not of one that is gone.
    pub fn is_elsewhere(&self, pid: u32) -> bool {
        let its = fs::read_link(format!("/proc/{pid}/ns/net")).ok();
        its.is_some() && its != self.namespace
    }

    /// Which process has which socket, by the socket's inode.
    pub fn owners(&self) -> HashMap<u32, u32> {
        let mut found = HashMap::new();
        for pid in self.living.keys() {
            let Ok(files) = fs::read_dir(format!("/proc/{pid}/fd")) else {
                continue;
            };
            for file in files.flatten() {
                if let Some(inode) = socket_inode(&file.path()) {
                    // A socket that was handed down is its newest owner's.
                    let owner: &mut u32 = found.entry(inode).or_default();
                    *owner = (*owner).max(*pid);
                }
            }
        }
        found
    }

    pub fn all(self) -> Vec<Process> {
        let mut all = self.ended;
        all.extend(self.living.into_values());
        all.sort_by_key(|one| (one.first_ns, one.pid));
        all
    }

    fn see(&mut self, pid: u32, now_ns: u64) {
        if let Some(one) = self.living.get_mut(&pid) {
            one.last_ns = now_ns;
        }
    }

    /// Also again: its name and environment change when it executes another program.
    fn read(&mut self, pid: u32, now_ns: u64) {
        let Some((name, parent)) = stat(pid) else {
            return;
        };
        let was_there = !self.has_begun;
        let one = self.living.entry(pid).or_insert_with(|| Process {
            pid,
            parent,
            name: String::new(),
            is_rank: false,
            first_ns: now_ns,
            last_ns: now_ns,
            was_there,
        });
        one.last_ns = now_ns;
        if !one.is_rank && is_rank(pid) {
            one.is_rank = true;
            one.first_ns = now_ns;
        }
        one.name = name;
    }
}

fn pids() -> impl Iterator<Item = u32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|one| one.file_name().to_str()?.parse().ok())
}

/// Its name and its parent; nothing of one that has ended and is not waited for yet.
fn stat(pid: u32) -> Option<(String, u32)> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (front, fields) = text.rsplit_once(") ")?;
    let mut fields = fields.split(' ');
    let state = fields.next()?;
    let parent = fields.next()?.parse().ok()?;
    let name = front.split_once('(')?.1.to_owned();
    (state != "Z").then_some((name, parent))
}

fn is_rank(pid: u32) -> bool {
    let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
    let mut settings = environment.split(|byte| *byte == 0);
    settings.any(|one| RANK.iter().any(|name| one.starts_with(name.as_bytes())))
}

fn socket_inode(file: &Path) -> Option<u32> {
    let target = fs::read_link(file).ok()?;
    let inode = target.to_str()?.strip_prefix("socket:[")?;
    inode.strip_suffix(']')?.parse().ok()
}
