//! Which processor a timed loop runs on.

use std::io;

use rustix::io::Errno;
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use weft_plan::Options;

/// Run this thread on the processor that a plan gives the node, if it gives one.
pub fn pin_node(options: &Options, node: u32) -> io::Result<()> {
    let cpus = options.cpus.as_ref();
    let cpu = cpus.and_then(|cpus| cpus.get(node as usize));
    cpu.map_or(Ok(()), |cpu| pin(*cpu))
}

/// Run this thread on one processor only; fails when there is no such processor.
fn pin(cpu: u32) -> io::Result<()> {
    let mut set = CpuSet::new();
    let outcome = match cpu as usize {
        0..CpuSet::MAX_CPU => {
            set.set(cpu as usize);
            sched_setaffinity(None, &set)
        }
        _ => Err(Errno::INVAL),
    };
    outcome.map_err(|error| {
        io::Error::new(
            io::ErrorKind::InvalidInput,
            format!("cannot pin to processor {cpu}: {}", io::Error::from(error)),
        )
    })
}

/// The processors this thread may run on, as the kernel says.
pub fn allowed() -> Vec<u32> {
    let set = sched_getaffinity(None).unwrap_or_default();
    (0..CpuSet::MAX_CPU)
        .filter(|cpu| set.is_set(*cpu))
        .map(|cpu| cpu as u32)
        .collect()
}
