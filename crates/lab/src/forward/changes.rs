//! How the forwarder learns of new conditions while it forwards.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, FromRawFd};
use std::sync::mpsc::{self, Receiver, Sender};

use crate::forward::conditions::Conditions;
use crate::kernel::sys::check;

/// New conditions of a link, by its number.
type Change = (usize, Conditions);

/// Where changes are put in.
pub struct ChangeSender {
    changes: Sender<Change>,
    bell: File,
}

/// Where they come out.
pub struct ChangeReceiver {
    changes: Receiver<Change>,
    bell: File,
}

/// Both ends.
pub fn channel() -> io::Result<(ChangeSender, ChangeReceiver)> {
    // SAFETY: takes no pointers; the descriptor is ours alone.
    let bell = unsafe {
        let flags = libc::EFD_CLOEXEC | libc::EFD_NONBLOCK;
        File::from_raw_fd(check(libc::eventfd(0, flags))?)
    };
    let (sender, receiver) = mpsc::channel();
    let ring = bell.try_clone()?;
    Ok((
        ChangeSender {
            changes: sender,
            bell: ring,
        },
        ChangeReceiver {
            changes: receiver,
            bell,
        },
    ))
}

impl ChangeSender {
    /// Hands over new conditions; the forwarder takes them at once.
    pub fn send(&self, link: usize, conditions: Conditions) {
        // The forwarder ends only with this process.
        let _ = self.changes.send((link, conditions));
        let _ = (&self.bell).write(&1_u64.to_ne_bytes());
    }
}

impl ChangeReceiver {
    /// Readable when there are changes.
    pub fn fd(&self) -> i32 {
        self.bell.as_raw_fd()
    }

    /// What has come.
    pub fn take(&self) -> impl Iterator<Item = Change> {
        let _ = (&self.bell).read(&mut [0; 8]);
        self.changes.try_iter()
    }
}
