//! The serving node: a server that another process keeps.

use std::io;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

use rustix::event::PollFlags;
use weft_plan::Webserver;

use super::keeper::Said;
use super::message::Reply;
use super::path;
use super::server::{Order, used};
use crate::evidence::USED;
use crate::system::poll::poll;
use crate::wire::frame::{self, Kind};
use crate::wire::setup::Setup;

/// A server that has started, and the process that keeps it.
pub struct Kept {
    keeper: Child,
    output: ChildStdout,
    port: u16,
    program: String,
    version: String,
    pid: u32,
}

impl Kept {
    /// Start what a step asks for, for pages of all its sizes.
    pub fn start(setup: &Setup, step: &Webserver) -> io::Result<Kept> {
        let order = Order {
            server: step.server,
            address: setup.address,
            ports: setup.ports.map(|range| (range.0, range.1)),
            pages: setup.step.sizes.sizes(),
            folder: path::folder(&setup.token),
            connections: step.users.iter().copied().max().unwrap_or(1),
        };
        let mut keeper = Command::new("/proc/self/exe")
            .arg("webserver")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let input = keeper.stdin.as_mut().expect("it is a pipe");
        frame::write(input, Kind::Json, &serde_json::to_vec(&order)?)?;
        let mut output = keeper.stdout.take().expect("it is a pipe");
        match hear(&mut output)? {
            Said::Serving {
                port,
                program,
                version,
                pid,
            } => Ok(Kept {
                keeper,
                output,
                port,
                program,
                version,
                pid,
            }),
            Said::Failed(reason) => {
                keeper.wait()?;
                Err(io::Error::other(reason))
            }
        }
    }

    pub fn serving(&self) -> Reply<'_> {
        Reply::Serving {
            port: self.port,
            program: &self.program,
            version: &self.version,
            pid: self.pid,
        }
    }

    /// What its processes have used so far.
    pub fn used(&self) -> [u64; USED] {
        used(self.pid)
    }

    /// Fails where the server has ended.
    pub fn check(&mut self) -> io::Result<()> {
        if !poll([(&self.output, PollFlags::IN)], Some(Duration::ZERO))? {
            return Ok(());
        }
        match hear(&mut self.output)? {
            Said::Failed(reason) => Err(io::Error::other(reason)),
            Said::Serving { .. } => Ok(()),
        }
    }

    /// Stop it, and wait until nothing of it is there.
    pub fn stop(mut self) -> io::Result<()> {
        drop(self.keeper.stdin.take());
        self.keeper.wait().map(drop)
    }
}

fn hear(output: &mut ChildStdout) -> io::Result<Said> {
    match frame::read(output)? {
        Some((_, said)) => Ok(serde_json::from_slice(&said)?),
        None => Err(io::Error::other(
            "the process that keeps the web server was killed",
        )),
    }
}
