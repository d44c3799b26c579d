//! A server that runs, in a process group of its own.

use std::fs::File;
use std::io;
use std::net::{IpAddr, SocketAddr, TcpStream};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group, set_parent_process_death_signal};
use serde::{Deserialize, Serialize};
use weft_plan::Server;

use super::folder::Folder;
use super::program::Program;
use super::{apache, nginx};
use crate::listener::ports::{self, PortRange};
use crate::system::tcp_socket;

const READY_WITHIN: Duration = Duration::from_secs(10);
const ENDS_WITHIN: Duration = Duration::from_secs(2);
const LOOK_EVERY: Duration = Duration::from_millis(10);
/// Others may take a free port before the server does.
const TRIES: u32 = 5;

/// What to serve, and where.
#[derive(Debug, Serialize, Deserialize)]
pub struct Order {
    pub server: Option<Server>,
    pub address: IpAddr,
    pub ports: Option<(u16, u16)>,
    /// Sizes of pages, and the folder that they are in.
    pub pages: Vec<u64>,
    pub folder: String,
    /// Connections at a time.
    pub connections: u32,
}

/// A server that takes connections; it ends and its folder goes when this is dropped.
pub struct Running {
    child: Child,
    pub program: Program,
    pub port: u16,
    folder: Folder,
}

impl Running {
    /// Start a server and wait until it takes connections.
    pub fn start(order: &Order) -> io::Result<Running> {
        let program = Program::find(order.server)?;
        let folder = Folder::make(&order.folder, &order.pages)?;
        let mut tries = candidates(order).into_iter();
        loop {
            let range = tries.next().ok_or_else(|| taken(order))?;
            // What is free for us now is free for the server in a moment; else the next is tried.
            let Some(port) = free_port(order.address, range)? else {
                continue;
            };
            let at = SocketAddr::new(order.address, port);
            let mut child = spawn(&program, &folder, at, order.connections)?;
            match await_ready(&mut child, at) {
                Ok(()) => {
                    return Ok(Running {
                        child,
                        program,
                        port,
                        folder,
                    });
                }
                Err(error) => {
                    end(&mut child);
                    let words = folder.last_words();
                    if !words.contains("in use") {
                        let message = format!("{} did not start: {error}: {words}", program.name());
                        return Err(io::Error::other(message));
                    }
                }
            }
        }
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// How it ended, in words, if it did.
    pub fn end_of(&mut self) -> io::Result<Option<String>> {
        let status = self.child.try_wait()?;
        Ok(status.map(|status| self.describe(status)))
    }

    fn describe(&self, status: ExitStatus) -> String {
        let words = match self.folder.last_words() {
            none if none.is_empty() => none,
            words => format!("; it said last: {words}"),
        };
        let name = self.program.name();
        format!("the web server {name} ended while it was used: {status}{words}")
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        end(&mut self.child);
    }
}

/// The ranges of ports to try, one after the other.
fn candidates(order: &Order) -> Vec<Option<PortRange>> {
    match order.ports {
        Some((first, last)) => (first..=last)
            .map(|port| Some(PortRange(port, port)))
            .collect(),
        None => (0..TRIES).map(|_| None).collect(),
    }
}

fn taken(order: &Order) -> io::Error {
    let range = order.ports.map(|(first, last)| PortRange(first, last));
    let range = range.map_or_else(|| "any".to_owned(), |range| range.to_string());
    let message = format!(
        "no port of {range} is free on {} for the web server",
        order.address
    );
    io::Error::new(io::ErrorKind::AddrInUse, message)
}

fn free_port(address: IpAddr, range: Option<PortRange>) -> io::Result<Option<u16>> {
    match ports::listen(address, range, 1, || tcp_socket::new_socket(address)) {
        Ok(socket) => ports::port(&socket).map(Some),
        Err(error) if error.kind() == io::ErrorKind::AddrInUse => Ok(None),
        Err(error) => Err(error),
    }
}

fn spawn(
    program: &Program,
    folder: &Folder,
    at: SocketAddr,
    connections: u32,
) -> io::Result<Child> {
    let (text, options) = match program.server {
        Server::Apache => (
            apache::configuration(&folder.path, at, connections),
            ["-DFOREGROUND", "-f"],
        ),
        Server::Nginx => (
            nginx::configuration(&folder.path, at, connections),
            ["-q", "-c"],
        ),
    };
    let said = File::create(folder.path.join("stderr"))?;
    let file = folder.configure(&text)?;
    let mut command = Command::new(&program.path);
    command
        .args(options)
        .arg(file)
        .current_dir("/")
        .env_clear()
        .process_group(0);
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(said);
    if let Some((user, group)) = folder.owner {
        command.uid(user).gid(group);
    }
    // SAFETY: prctl is one system call. It comes after the change of user, which would undo it.
    unsafe {
        command.pre_exec(|| Ok(set_parent_process_death_signal(Some(Signal::TERM))?));
    }
    command.spawn()
}

fn await_ready(child: &mut Child, at: SocketAddr) -> io::Result<()> {
    let deadline = Instant::now() + READY_WITHIN;
    loop {
        if let Some(status) = child.try_wait()? {
            return Err(io::Error::other(format!("it ended at once, {status}")));
        }
        match TcpStream::connect_timeout(&at, LOOK_EVERY) {
            Ok(_) => return Ok(()),
            Err(error) if Instant::now() > deadline => return Err(error),
            Err(_) => sleep(LOOK_EVERY),
        }
    }
}

/// Ask it to end, and kill what is there of its group after a while, whatever state it is in.
fn end(child: &mut Child) {
    let group = Pid::from_child(child);
    // Each may be gone already.
    let _ = kill_process_group(group, Signal::TERM);
    let deadline = Instant::now() + ENDS_WITHIN;
    while matches!(child.try_wait(), Ok(None)) && Instant::now() < deadline {
        sleep(LOOK_EVERY);
    }
    let _ = kill_process_group(group, Signal::KILL);
    let _ = child.wait();
}
