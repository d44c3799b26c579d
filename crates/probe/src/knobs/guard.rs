//! The guard: a process of its own that puts settings back when the agent is gone, or has heard nothing for a while.

use std::env;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use rustix::event::PollFlags;
use rustix::fs::{Mode, OFlags, open};
use rustix::io::{fcntl_dupfd_cloexec, read, write};
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::setsid;

use super::journal::Journal;
use crate::system::poll::poll;

/// So long nothing may be heard while something is changed.
pub const SILENCE: Duration = Duration::from_secs(10);
const READY: u8 = b'r';

/// By which the guard hears that the coordinator is there: a byte for each of its messages.
pub struct Heart {
    hears: OwnedFd,
    beats: OwnedFd,
}

impl Heart {
    /// Must be made before any thread detaches its descriptors, so that both tables hold it.
    pub fn new() -> io::Result<Heart> {
        let (hears, beats) = pipe_with(PipeFlags::CLOEXEC | PipeFlags::NONBLOCK)?;
        Ok(Heart { hears, beats })
    }

    /// Where the guard does not read, the pipe is full and nothing more is needed.
    pub fn beat(&self) {
        let _ = write(&self.beats, &[1]);
    }

    /// Start a guard of a journal, and wait until it is there. It is given the journal's folder as a descriptor: what
    /// comes to stand at the path is nothing to it.
    pub fn start_guard(&self, journal: &Path) -> io::Result<Child> {
        let missing = || io::Error::from(io::ErrorKind::InvalidInput);
        let (above, name) = (journal.parent(), journal.file_name());
        // Not closed on exec: the guard has it, too.
        let folder = open(
            above.ok_or_else(missing)?,
            OFlags::DIRECTORY | OFlags::NOFOLLOW,
            Mode::empty(),
        )?;
        let own = format!("/proc/self/fd/{}", folder.as_raw_fd());
        let mut guard = Command::new("/proc/self/exe")
            .arg("guard")
            .arg(Path::new(&own).join(name.ok_or_else(missing)?))
            .current_dir("/")
            .stdin(fcntl_dupfd_cloexec(self.hears.as_fd(), 0)?)
            .stdout(Stdio::piped())
            // What holds the login's pipes keeps the login open.
            .stderr(Stdio::null())
            .spawn()?;
        let mut said = [0];
        let answer = guard
            .stdout
            .take()
            .expect("it is a pipe")
            .read_exact(&mut said);
        answer.map_err(|_| io::Error::other("the guard of the settings did not start"))?;
        Ok(guard)
    }
}

/// Be the guard of a journal.
pub fn run() -> io::Result<()> {
    let path = env::args_os().nth(2).ok_or(io::ErrorKind::InvalidInput)?;
    // A session of its own: whatever ends that of the agent leaves this process alone.
    let _ = setsid();
    let _ = rustix::thread::set_name(c"weft-guard");
    let mut output = io::stdout();
    output.write_all(&[READY])?;
    output.flush()?;
    let input = io::stdin();
    while hears_something(&input)? || !Path::new(&path).exists() {
        if has_ended(&input) {
            break;
        }
    }
    Journal::read(PathBuf::from(path))?.restore().map(drop)
}

fn hears_something(input: &impl AsFd) -> io::Result<bool> {
    poll([(input, PollFlags::IN)], Some(SILENCE))
}

/// Takes what was heard; the end of it is the agent's end.
fn has_ended(input: &impl AsFd) -> bool {
    matches!(read(input, &mut [0_u8; 4096]), Ok(0))
}
