//! The daemon: builds a lab, holds it, forwards its frames, and takes it down by ending.

use std::fs;
use std::io::{self, Read, Write};
use std::mem::take;
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::sync::{Arc, mpsc};
use std::thread;

use serde::Serialize;
use weft_fabric::Fabric;

use crate::clock;
use crate::control::{self, Asked};
use crate::error::{Doing, LabError, Result};
use crate::forward::forwarder::Forwarder;
use crate::guest::guests::Guests;
use crate::kernel::namespace::gain_privilege;
use crate::kernel::process;
use crate::kernel::sys::check;
use crate::lab::{Lab, Node};
use crate::warning::Warning;
use crate::weather::conductor::Conductor;

/// What to keep and for how long.
#[derive(Debug)]
pub struct DaemonRequest {
    pub fabric: PathBuf,
    pub scale: f64,
    /// Where to answer questions: about the forwarder's counters, about the weather.
    pub stats_socket: Option<PathBuf>,
    /// Where each change of the weather is noted.
    pub weather_log: Option<PathBuf>,
    /// The speed of the weather, instead of what the fabric says.
    pub weather_speed: Option<f64>,
    /// Whether the hosts are guests, which are started by request.
    pub guests: bool,
}

/// The line that says that the lab is up.
#[derive(Debug, Serialize)]
struct Ready<'a> {
    pid: u32,
    /// The kernel's number for when the daemon started; with the pid it names the process for good.
    started: u64,
    user_namespace: bool,
    /// Whether programs on the hosts must give way to the forwarder, because it could not have priority.
    give_way: bool,
    nodes: Vec<Node>,
    warnings: Vec<Warning>,
    fabric: &'a Fabric,
}

/// Builds the lab, says so on the standard output, and stays until told to stop.
pub fn keep(request: &DaemonRequest) -> Result<()> {
    let mut fabric = read_fabric(&request.fabric, request.scale)?;
    fabric.weather.speed = request.weather_speed.unwrap_or(fabric.weather.speed);
    let signals = block_signals().doing("block signals")?;
    let user_namespace = gain_privilege()?;
    let (lab, mut forwarding) = Lab::build(&fabric, request.guests)?;
    let mut guests = Guests::new(take(&mut forwarding.guest_ends));
    let sockets = forwarding.sockets();
    let stats = Arc::clone(&forwarding.stats);
    let changeable = forwarding.changeable;
    let mut conductor = Conductor::new(&lab, &fabric, changeable, request.weather_log.as_deref())?;
    let socket = request.stats_socket.as_deref();
    let listener = socket.map(control::listen).transpose()?;
    let has_priority = forwarding.forwarder.map_or(Ok(true), start)?;
    let ready = Ready {
        pid: std::process::id(),
        started: process::started("self").doing("read /proc/self/stat")?,
        user_namespace,
        give_way: !has_priority,
        nodes: lab.nodes().doing("look at the namespaces")?,
        warnings: lab.warnings.clone(),
        fabric: &fabric,
    };
    conductor.add(&fabric.weather)?;
    announce(&ready)?;
    let mut asked = Asked {
        lab: &lab,
        stats: &stats,
        conductor: &mut conductor,
        guests: &mut guests,
    };
    serve(&signals, listener.as_ref(), &mut asked);
    conductor.clear();
    guests.end();
    if let Some(path) = &request.stats_socket {
        let _ = fs::remove_file(path);
    }
    close_together(&sockets);
    Ok(())
}

fn read_fabric(path: &Path, scale: f64) -> Result<Fabric> {
    let text = fs::read_to_string(path).map_err(|error| {
        LabError::request(
            format!("cannot read the fabric {}: {error}", path.display()),
            "",
        )
    })?;
    weft_fabric::load(&text, &path.display().to_string(), scale)
        .map_err(|error| LabError::request(error.to_string(), ""))
}

/// Returns whether the forwarder has the priority that it asks for.
fn start(forwarder: Forwarder) -> Result<bool> {
    let name = "forwarder".to_owned();
    let (answer, answered) = mpsc::channel();
    let body = move || {
        let _ = answer.send(process::ask_for_precision());
        process::take_last_processor();
        forwarder.run()
    };
    thread::Builder::new()
        .name(name)
        .spawn(body)
        .doing("start the forwarder")?;
    Ok(answered.recv().unwrap_or(false))
}

fn announce(ready: &Ready<'_>) -> Result<()> {
    let line = serde_json::to_string(ready)
        .map_err(io::Error::other)
        .doing("write JSON")?;
    let mut out = io::stdout().lock();
    writeln!(out, "{line}")
        .and_then(|()| out.flush())
        .doing("say that the lab is up")
}

/// Blocks the signals that end the daemon and returns a descriptor that reports them.
fn block_signals() -> io::Result<std::os::fd::OwnedFd> {
    use std::os::fd::FromRawFd;
    // SAFETY: the set is initialised by sigemptyset; the descriptor is ours alone.
    unsafe {
        let mut set: libc::sigset_t = std::mem::zeroed();
        check(libc::sigemptyset(&raw mut set))?;
        for signal in [libc::SIGTERM, libc::SIGINT, libc::SIGHUP] {
            check(libc::sigaddset(&raw mut set, signal))?;
        }
        check(libc::sigprocmask(
            libc::SIG_BLOCK,
            &raw const set,
            std::ptr::null_mut(),
        ))?;
        let fd = check(libc::signalfd(-1, &raw const set, libc::SFD_CLOEXEC))?;
        Ok(std::os::fd::OwnedFd::from_raw_fd(fd))
    }
}

/// Answers questions and carries the weather out until a signal, or until the end of the standard input. After a word on the standard
/// input its end no longer counts: the process that started the daemon has noted where to find it.
fn serve(signals: &impl AsRawFd, listener: Option<&UnixListener>, asked: &mut Asked<'_, '_>) {
    // poll(2) ignores negative descriptors.
    const NOBODY: i32 = -1;
    let socket = listener.map_or(NOBODY, AsRawFd::as_raw_fd);
    let fds = [signals.as_raw_fd(), io::stdin().as_raw_fd(), socket];
    let mut watched = fds.map(|fd| libc::pollfd {
        fd,
        events: libc::POLLIN,
        revents: 0,
    });
    loop {
        let timeout_ms = asked.conductor.due_ns().map_or(-1, milliseconds_until);
        // SAFETY: pointer and count describe `watched`.
        unsafe { libc::poll(watched.as_mut_ptr(), watched.len() as _, timeout_ms) };
        asked.conductor.advance();
        let [signal, input, question] = watched.map(|entry| entry.revents != 0);
        if signal || (input && has_ended(&mut io::stdin())) {
            return;
        }
        if input {
            watched[1].fd = NOBODY;
        }
        if let (true, Some(listener)) = (question, listener) {
            control::answer(listener, asked);
        }
    }
}

/// As poll(2) takes it: rounded up, and not longer than it can be.
fn milliseconds_until(due_ns: u64) -> i32 {
    let wait_ns = due_ns.saturating_sub(clock::now_ns());
    i32::try_from(wait_ns.div_ceil(1_000_000)).unwrap_or(i32::MAX)
}

/// Closes the forwarder's sockets from several threads as the last thing before this process ends. For each the
/// kernel waits until no processor can still be using it; what many wait for at once takes no longer than for one.
fn close_together(sockets: &[i32]) {
    const THREADS: usize = 16;
    thread::scope(|scope| {
        for share in sockets.chunks(sockets.len().div_ceil(THREADS).max(1)) {
            scope.spawn(move || {
                for socket in share {
                    // SAFETY: takes no pointers. The forwarder, whose socket this is, gets an error from it, as from
                    // a host that is gone; nothing is opened any more that could get the same number.
                    unsafe { libc::close(*socket) };
                }
            });
        }
    });
}

/// Reads what there is; true at the end.
fn has_ended(input: &mut impl Read) -> bool {
    !matches!(input.read(&mut [0; 64]), Ok(1..))
}
