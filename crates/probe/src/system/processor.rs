//! Which processor a timed loop runs on.

use std::io;
use std::sync::OnceLock;

use rustix::io::Errno;
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use weft_plan::Options;

/// Where the agent might run before the first step.
static AT_FIRST: OnceLock<CpuSet> = OnceLock::new();

/// Run this thread on the processor that a plan gives the node; if it gives none, where it might at first.
pub fn pin_node(options: &Options, node: u32) -> io::Result<()> {
    let at_first = AT_FIRST.get_or_init(|| sched_getaffinity(None).unwrap_or_default());
    let cpus = options.cpus.as_ref();
    match cpus.and_then(|cpus| cpus.get(node as usize)) {
        Some(cpu) => pin(*cpu),
        None => Ok(sched_setaffinity(None, at_first)?),
    }
}

/// Run this thread on one of the processors that it may use, counted from the last: two nodes of one machine differ.
pub fn pin_from_last(node: u32) -> io::Result<()> {
    let all = allowed();
    let cpu = all.iter().rev().nth(node as usize % all.len().max(1));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_that_names_no_processor_may_run_where_it_might_at_first() {
        let before = allowed();
        let pinned = Options {
            cpus: Some(vec![before[0]]),
            ..Options::default()
        };
        pin_node(&pinned, 0).unwrap();
        assert_eq!(allowed(), before[..1]);
        pin_node(&Options::default(), 0).unwrap();
        assert_eq!(allowed(), before);
    }
}
