//! Which processor a timed loop runs on.

use std::io;

use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
use nix::unistd::Pid;

/// Run this thread on one processor only; fails when there is no such processor.
pub fn pin(cpu: u32) -> io::Result<()> {
    let mut set = CpuSet::new();
    set.set(cpu as usize)
        .and_then(|()| sched_setaffinity(Pid::from_raw(0), &set))
        .map_err(|error| {
            io::Error::new(
                io::ErrorKind::InvalidInput,
                format!("cannot pin to processor {cpu}: {error}"),
            )
        })
}

/// The processors this thread may run on, as the kernel says.
pub fn allowed() -> Vec<u32> {
    let Ok(set) = sched_getaffinity(Pid::from_raw(0)) else {
        return Vec::new();
    };
    (0..CpuSet::count())
        .filter(|cpu| set.is_set(*cpu).unwrap_or(false))
        .map(|cpu| cpu as u32)
        .collect()
}
