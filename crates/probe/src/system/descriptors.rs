//! The table of file descriptors of a measuring thread, and how many it may hold.

use std::io;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use rustix::thread::{UnshareFlags, unshare_unsafe};

/// Give this thread a table of its own, a copy of the one it shares with the agent's other threads.
///
/// The kernel takes and drops a reference to the socket in every call of a thread that shares its table; a
/// thread that is alone with its table is spared that, as every single-threaded tool is.
pub fn detach() -> io::Result<()> {
    // SAFETY: a copy of the table holds the same descriptors at the same numbers.
    Ok(unsafe { unshare_unsafe(UnshareFlags::FILES) }?)
}

/// Allow as many descriptors as the system lets us have: a node of a large ensemble has a connection to every other.
pub fn raise_limit() {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit {
        current: limit.maximum,
        maximum: limit.maximum,
    };
    // Where it cannot be raised, the connection that is one too many says so.
    let _ = setrlimit(Resource::Nofile, raised);
}
