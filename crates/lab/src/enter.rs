//! Runs a program on a host of a lab: joins the daemon's namespaces, then becomes the program.

use std::ffi::OsString;
use std::fs::{self, OpenOptions};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::process::CommandExt;
use std::process::Command;

use crate::error::{Doing, LabError, Result};
use crate::kernel::interface::is_loopback_up;
use crate::kernel::namespace::{enter as enter_namespace, open_below};
use crate::kernel::process::{give_way, parse_started};

/// Which host of whose lab, and what to run there.
#[derive(Debug)]
pub struct EnterRequest {
    pub pid: u32,
    /// The daemon's start, so that a new process with its pid is not taken for it.
    pub started: Option<u64>,
    pub fd: i32,
    /// Whether the daemon is in a user namespace of its own.
    pub user: bool,
    /// Whether the forwarder needs the processor first.
    pub give_way: bool,
    pub command: Vec<OsString>,
}

/// Becomes the program; returns only if it cannot.
pub fn enter(request: &EnterRequest) -> Result<()> {
    let daemon = open_daemon(request)?;
    let user = request
        .user
        .then(|| open_below(&daemon, "ns/user"))
        .transpose();
    let user = user.doing("open the lab's user namespace")?;
    let host =
        open_below(&daemon, &format!("fd/{}", request.fd)).doing("open the host's namespace")?;
    if let Some(user) = user {
        enter_namespace(&user, libc::CLONE_NEWUSER).doing("enter the lab's user namespace")?;
    }
    enter_namespace(&host, libc::CLONE_NEWNET).doing("enter the host's namespace")?;
    if !is_loopback_up() {
        return Err(LabError::work(
            "the host is off: the lab's weather switched it off",
        ));
    }
    if request.give_way {
        give_way();
    }
    become_program(&request.command)
}

/// The directory stays that of the same process, even if another one gets its pid.
fn open_daemon(request: &EnterRequest) -> Result<OwnedFd> {
    let gone = || {
        LabError::work(format!(
            "the lab is gone: no daemon with pid {}",
            request.pid
        ))
    };
    let mut options = OpenOptions::new();
    options
        .read(true)
        .custom_flags(libc::O_PATH | libc::O_DIRECTORY);
    let directory = options
        .open(format!("/proc/{}", request.pid))
        .map_err(|_| gone())?;
    let directory = OwnedFd::from(directory);
    let stat = format!("/proc/self/fd/{}/stat", directory.as_raw_fd());
    let started = fs::read_to_string(stat).and_then(|stat| parse_started(&stat));
    match started {
        Ok(started) if request.started.is_none_or(|expected| expected == started) => Ok(directory),
        _ => Err(gone()),
    }
}

fn become_program(command: &[OsString]) -> Result<()> {
    let [program, arguments @ ..] = command else {
        return Err(LabError::request("no command to run", "write it after --"));
    };
    let error = Command::new(program).args(arguments).exec();
    let name = program.to_string_lossy();
    // The shells' codes for these.
    let exit_code = if error.kind() == io::ErrorKind::NotFound {
        127
    } else {
        126
    };
    let message = format!("cannot run {name}: {error}");
    Err(LabError {
        message,
        hint: String::new(),
        exit_code,
    })
}
