//! In a guest: waits until the host opens one of its ports, and carries out what is asked there.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use crate::error::{Doing, Result};
use crate::guest::frame::{self, GREETING, Kind};
use crate::guest::session;

/// How often a closed port is polled: rarely enough to cost a measurement nothing.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// Attends to all ports, for ever.
pub fn attend(ports: &[PathBuf]) -> Result<()> {
    let opened = ports.iter().map(|path| open(path));
    let opened = opened.collect::<Result<Vec<_>>>()?;
    thread::scope(|scope| {
        let mut busy: Vec<Option<thread::ScopedJoinHandle<'_, ()>>> =
            opened.iter().map(|_| None).collect();
        loop {
            for (port, busy) in opened.iter().zip(&mut busy) {
                if busy.as_ref().is_none_or(|one| one.is_finished()) {
                    *busy = is_open(port).then(|| scope.spawn(|| serve(port)));
                }
            }
            thread::sleep(LOOK_EVERY);
        }
    })
}

fn open(path: &Path) -> Result<File> {
    let opened = OpenOptions::new().read(true).write(true).open(path);
    opened.doing(&format!("open {}", path.display()))
}

/// Answers each hello, and runs what is asked for, one after another, until the host closes the port.
fn serve(port: &File) {
    let (mut reader, mut writer) = (port, port);
    let mut next = frame::read(&mut reader);
    while let Ok((Kind::Hello, _)) = next {
        if writer.write_all(&GREETING).is_err() {
            return;
        }
        next = match frame::read(&mut reader) {
            Ok((Kind::Run, order)) => session::run(port, &order),
            other => other,
        };
    }
}

fn is_open(port: &File) -> bool {
    let mut entry = libc::pollfd {
        fd: port.as_raw_fd(),
        events: 0,
        revents: 0,
    };
    // SAFETY: the pointer is to one entry.
    unsafe { libc::poll(&raw mut entry, 1, 0) };
    entry.revents & libc::POLLHUP == 0
}
