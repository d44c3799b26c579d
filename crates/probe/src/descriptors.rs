//! The table of file descriptors of a measuring thread.

use std::io;

use nix::sched::{CloneFlags, unshare};

/// Give this thread a table of its own, a copy of the one it shares with the agent's other threads.
///
/// The kernel takes and drops a reference to the socket in every call of a thread that shares its table; a
/// thread that is alone with its table is spared that, as every single-threaded tool is.
pub fn detach() -> io::Result<()> {
    Ok(unshare(CloneFlags::CLONE_FILES)?)
}
