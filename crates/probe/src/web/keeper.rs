//! A process between this agent and a server: it outlives the agent, so that the server is stopped and its folder removed
//! also where the agent was killed.

use std::io::{self, Read};
use std::os::fd::AsFd;

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
    if let Some(reason) = await_end(&mut server, &mut input)? {
        let _ = say(&Said::Failed(reason));
    }
    Ok(())
}

/// Sleep until the agent is gone, or the server: then say why.
fn await_end(server: &mut Running, input: &mut (impl Read + AsFd)) -> io::Result<Option<String>> {
    let pid = Pid::from_raw(server.pid() as i32).expect("a process has a number");
    let process = pidfd_open(pid, PidfdFlags::empty())?;
    loop {
        let mut ends = [
            PollFd::from_borrowed_fd(input.as_fd(), PollFlags::IN),
            PollFd::from_borrowed_fd(process.as_fd(), PollFlags::IN),
        ];
        retry_on_intr(|| poll(&mut ends, None))?;
        let [has_input, has_ended] = ends.map(|one| !one.revents().is_empty());
        if has_ended {
            return server.end_of();
        }
        if has_input && input.read(&mut [0])? == 0 {
            return Ok(None);
        }
    }
}

fn say(said: &Said) -> io::Result<()> {
    frame::write(&mut io::stdout(), Kind::Json, &serde_json::to_vec(said)?)
}
