//! The processes on a host of a lab: those in its network namespace.

use std::collections::HashSet;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::thread::sleep;
use std::time::Duration;

/// A process that is being killed may have started another one.
const MOST_ROUNDS: usize = 50;

/// Kills the processes in a network namespace, which this process holds; returns how many there were.
pub fn kill(inode: u64) -> usize {
    let mut killed = HashSet::new();
    for _ in 0..MOST_ROUNDS {
        let found = inhabitants(inode);
        if found.is_empty() {
            break;
        }
        for process in &found {
            // SAFETY: takes no pointers.
            unsafe { libc::kill(*process, libc::SIGKILL) };
        }
        killed.extend(found);
        sleep(Duration::from_millis(1));
    }
    killed.len()
}

fn inhabitants(inode: u64) -> Vec<i32> {
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = processes.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let lives_there = |pid: &i32| {
        let namespace = fs::metadata(format!("/proc/{pid}/ns/net"));
        namespace.is_ok_and(|namespace| namespace.ino() == inode)
    };
    pids.filter(lives_there).collect()
}
