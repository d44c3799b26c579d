//! The emulators that a keeper has started.

use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use serde::{Deserialize, Serialize};

use crate::error::{Doing, LabError, Result};
use crate::kernel::sys::check;
use crate::lab::Lab;

/// The descriptor of a guest's first cable in its emulator; those of the others follow.
const FIRST_CABLE: i32 = 100;

/// Which guest to start, and how. What the emulator says goes to a file in the folder in which it runs.
#[derive(Debug, Deserialize)]
pub struct Boot {
    host: String,
    command: Vec<String>,
    folder: PathBuf,
    log: String,
}

/// A guest that was started.
#[derive(Debug, Serialize)]
pub struct Started {
    pid: u32,
}

/// The emulators of a lab, and the ends of the cables that they get.
pub struct Guests {
    /// By host.
    ends: Vec<Vec<OwnedFd>>,
    running: Vec<Option<Child>>,
}

impl Guests {
    /// None runs yet.
    pub fn new(ends: Vec<Vec<OwnedFd>>) -> Self {
        Self {
            running: ends.iter().map(|_| None).collect(),
            ends,
        }
    }

    /// Starts a guest, in place of the one that its host may have had.
    pub fn boot(&mut self, lab: &Lab, boot: &Boot) -> Result<Started> {
        let (host, namespace) = lab
            .namespace_of(&boot.host)
            .filter(|(host, _)| *host < self.ends.len())
            .ok_or_else(|| LabError::request(format!("no guest {:?}", boot.host), ""))?;
        end(self.running[host].take());
        let child = self.command(host, namespace, boot)?.spawn();
        let child = child.doing(&format!("start {}", boot.command.join(" ")))?;
        let pid = child.id();
        self.running[host] = Some(child);
        Ok(Started { pid })
    }

    fn command(&self, host: usize, namespace: i32, boot: &Boot) -> Result<Command> {
        let [program, arguments @ ..] = &boot.command[..] else {
            return Err(LabError::request("no command to run", ""));
        };
        let log = File::create(boot.folder.join(&boot.log)).doing("write the emulator's log")?;
        let mut command = Command::new(program);
        command
            .args(arguments)
            .current_dir(&boot.folder)
            .stdin(Stdio::null())
            .stdout(log.try_clone().doing("copy a descriptor")?)
            .stderr(log);
        let cables: Vec<_> = self.ends[host].iter().map(AsRawFd::as_raw_fd).collect();
        // SAFETY: between fork and exec only system calls are made, and nothing is allocated.
        unsafe { command.pre_exec(move || become_emulator(namespace, &cables)) };
        Ok(command)
    }

    /// Ends all.
    pub fn end(&mut self) {
        self.running.iter_mut().for_each(|child| end(child.take()));
    }
}

/// In the new process: it dies with the keeper, is in its host's namespace, and has its cables.
fn become_emulator(namespace: i32, cables: &[i32]) -> io::Result<()> {
    // SAFETY: takes no pointers but to an empty set of signals that is alive.
    unsafe {
        check(libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL))?;
        let mut none: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&raw mut none);
        libc::sigprocmask(libc::SIG_SETMASK, &raw const none, std::ptr::null_mut());
        check(libc::setns(namespace, libc::CLONE_NEWNET))?;
        for (position, cable) in (FIRST_CABLE..).zip(cables) {
            check(libc::dup2(*cable, position))?;
        }
    }
    Ok(())
}

fn end(child: Option<Child>) {
    if let Some(mut child) = child {
        let _ = child.kill();
        let _ = child.wait();
    }
}
