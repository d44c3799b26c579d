//! How the thread that reads requests reaches the thread that measures.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicU32, Ordering};

use rustix::event::{EventfdFlags, eventfd};

/// An event for the event loop, and the number of aborts that have been asked for and not yet answered.
pub struct Wake {
    event: OwnedFd,
    aborts: AtomicU32,
}

impl Wake {
    /// Must be made before any thread detaches its descriptors, so that both tables hold the event.
    pub fn new() -> io::Result<Wake> {
        Ok(Wake {
            event: eventfd(0, EventfdFlags::NONBLOCK | EventfdFlags::CLOEXEC)?,
            aborts: AtomicU32::new(0),
        })
    }

    /// Wake the event loop.
    pub fn notify(&self) {
        // It fails only when the counter is full, and then the event rings already.
        let _ = rustix::io::write(&self.event, &1_u64.to_ne_bytes());
    }

    /// Reset the event.
    pub fn reset(&self) {
        let _ = rustix::io::read(&self.event, &mut [0_u8; 8]);
    }

    /// Everything that was asked before is to be dropped.
    pub fn abort(&self) {
        self.aborts.fetch_add(1, Ordering::Release);
    }

    /// One abort has been answered.
    pub fn aborted(&self) {
        self.aborts.fetch_sub(1, Ordering::Release);
    }

    pub fn is_aborting(&self) -> bool {
        self.aborts.load(Ordering::Acquire) > 0
    }
}

impl AsFd for Wake {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.event.as_fd()
    }
}
