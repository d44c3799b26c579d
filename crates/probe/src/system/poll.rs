//! Sleeping until a descriptor is ready.

use std::io;
use std::os::fd::AsFd;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::io::retry_on_intr;

/// Sleep until one of these is ready, or the time is over. True when one is ready.
pub fn poll<'a, F: AsFd + 'a>(
    watched: impl IntoIterator<Item = (&'a F, PollFlags)>,
    at_most: Option<Duration>,
) -> io::Result<bool> {
    let watched = watched.into_iter();
    let mut fds: Vec<PollFd> = watched.map(|(fd, flags)| PollFd::new(fd, flags)).collect();
    let timeout = at_most.map(|time| Timespec {
        tv_sec: time.as_secs() as i64,
        tv_nsec: time.subsec_nanos().into(),
    });
    Ok(retry_on_intr(|| rustix::event::poll(&mut fds, timeout.as_ref()))? > 0)
}
