//! How the thread that reads requests reaches the thread that measures.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicU32, Ordering};

use rustix::event::{EventfdFlags, eventfd};

/// A bell in the event loop, and the number of aborts that have been asked for and not yet answered.
pub struct Wake {
    bell: OwnedFd,
    aborts: AtomicU32,
}

impl Wake {
    /// Must be made before any thread detaches its descriptors, so that both tables hold the bell.
    pub fn new() -> io::Result<Wake> {
        Ok(Wake {
            bell: eventfd(0, EventfdFlags::NONBLOCK | EventfdFlags::CLOEXEC)?,
            aborts: AtomicU32::new(0),
        })
    }

    /// Wake the event loop.
    pub fn ring(&self) {
        // It fails only when the counter is full, and then the bell rings already.
        let _ = rustix::io::write(&self.bell, &1_u64.to_ne_bytes());
    }

    /// Silence the bell.
    pub fn hush(&self) {
        let _ = rustix::io::read(&self.bell, &mut [0_u8; 8]);
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
        self.bell.as_fd()
    }
}
