//! A process between this agent and a server: it outlives the agent, so that the server is stopped and its folder removed
//! also where the agent was killed, and where this is told to end.

use std::io::{self, Read};
use std::os::fd::{AsFd, FromRawFd, OwnedFd};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::retry_on_intr;
use rustix::process::{Pid, PidfdFlags, pidfd_open, setsid};
use serde::{Deserialize, Serialize};

use super::server::Running;
use crate::wire::frame::{self, Kind};

/// What the agent hears.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Said {
    Serving {
        port: u16,
        program: String,
        version: String,
        pid: u32,
    },
    /// It did not start, or it ended by itself: why.
    Failed(String),
}

/// Read an order from standard input, serve, and end when standard input does.
pub fn run() -> io::Result<()> {
    let mut input = io::stdin().lock();
    let Some((_, order)) = frame::read(&mut input)? else {
        return Ok(());
    };
    // What is sent to the agent's group is not for this.
    setsid()?;
    let told = block_end()?;
    let mut server = match Running::start(&serde_json::from_slice(&order)?) {
        Ok(server) => server,
        Err(error) => return say(&Said::Failed(error.to_string())),
    };
    // Whether the agent still listens is seen at the end of input.
    let _ = say(&Said::Serving {
        port: server.port,
        program: server.program.name().to_owned(),
        version: server.program.version.clone(),
        pid: server.pid(),
    });
    if let Some(reason) = await_end(&mut server, &mut input, &told)? {
        let _ = say(&Said::Failed(reason));
    }
    Ok(())
}

/// A descriptor that reports the signal to end, which a server that is started from now on does not inherit blocked.
fn block_end() -> io::Result<OwnedFd> {
    // SAFETY: the set is initialised by sigemptyset; the descriptor is ours alone.
    unsafe {
        let mut set: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&raw mut set);
        libc::sigaddset(&raw mut set, libc::SIGTERM);
        libc::sigprocmask(libc::SIG_BLOCK, &raw const set, std::ptr::null_mut());
        match libc::signalfd(-1, &raw const set, libc::SFD_CLOEXEC) {
            -1 => Err(io::Error::last_os_error()),
            fd => Ok(OwnedFd::from_raw_fd(fd)),
        }
    }
}

/// Sleep until the agent is gone, this is told to end, or the server has ended: then say why.
fn await_end(
    server: &mut Running,
    input: &mut (impl Read + AsFd),
    told: &OwnedFd,
) -> io::Result<Option<String>> {
    let pid = Pid::from_raw(server.pid() as i32).expect("a process has a number");
    let process = pidfd_open(pid, PidfdFlags::empty())?;
    loop {
        let mut ends = [
            PollFd::from_borrowed_fd(input.as_fd(), PollFlags::IN),
            PollFd::from_borrowed_fd(process.as_fd(), PollFlags::IN),
            PollFd::from_borrowed_fd(told.as_fd(), PollFlags::IN),
        ];
        retry_on_intr(|| poll(&mut ends, None))?;
        let [has_input, has_ended, is_told] = ends.map(|one| !one.revents().is_empty());
        if has_ended {
            return server.end_of();
        }
        if is_told {
            return Ok(None);
        }
        if has_input && input.read(&mut [0])? == 0 {
            return Ok(None);
        }
    }
}

fn say(said: &Said) -> io::Result<()> {
    frame::write(&mut io::stdout(), Kind::Json, &serde_json::to_vec(said)?)
}
