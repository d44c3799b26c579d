//! The daemon: builds a lab, holds it, forwards its frames, and takes it down by ending.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::sync::{Arc, mpsc};
use std::thread;

use serde::Serialize;
use weft_fabric::Fabric;

use crate::clock;
use crate::error::{Doing, LabError, Result};
use crate::forward::forwarder::Forwarder;
use crate::forward::stats::Stats;
use crate::kernel::namespace::gain_privilege;
use crate::kernel::process;
use crate::kernel::sys::check;
use crate::lab::{Lab, Node};
use crate::warning::Warning;

/// What to keep and for how long.
#[derive(Debug)]
pub struct DaemonRequest {
    pub fabric: PathBuf,
    pub scale: f64,
    /// Where to answer with the forwarder's counters.
    pub stats_socket: Option<PathBuf>,
}

/// The line that says that the lab is up.
#[derive(Debug, Serialize)]
struct Ready {
    pid: u32,
    /// The kernel's number for when the daemon started; with the pid it names the process for good.
    started: u64,
    user_namespace: bool,
    /// Whether programs on the hosts must give way to the forwarder, because it could not have priority.
    give_way: bool,
    nodes: Vec<Node>,
    warnings: Vec<Warning>,
    fabric: Fabric,
}

/// Builds the lab, says so on the standard output, and stays until told to stop.
pub fn keep(request: &DaemonRequest) -> Result<()> {
    let fabric = read_fabric(&request.fabric, request.scale)?;
    let signals = block_signals().doing("block signals")?;
    let user_namespace = gain_privilege()?;
    let (lab, forwarding) = Lab::build(&fabric)?;
    let sockets = forwarding.sockets();
    let listener = request.stats_socket.as_deref().map(listen).transpose()?;
    let has_priority = forwarding.forwarder.map_or(Ok(true), start)?;
    let ready = Ready {
        pid: std::process::id(),
        started: process::started("self").doing("read /proc/self/stat")?,
        user_namespace,
        give_way: !has_priority,
        nodes: lab.nodes().doing("look at the namespaces")?,
        warnings: lab.warnings.clone(),
        fabric,
    };
    announce(&ready)?;
    serve(&signals, listener.as_ref(), &forwarding.stats);
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

/// Binds by way of the folder's descriptor, since a socket's address holds only 107 bytes.
fn listen(path: &Path) -> Result<UnixListener> {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    let folder = File::open(folder.unwrap_or(Path::new("."))).doing("open the socket's folder")?;
    let name = path.file_name().unwrap_or_default();
    let address = Path::new("/proc/self/fd")
        .join(folder.as_raw_fd().to_string())
        .join(name);
    let listener = UnixListener::bind(address).doing("listen for questions about the counters")?;
    listener
        .set_nonblocking(true)
        .doing("listen without blocking")?;
    Ok(listener)
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

fn announce(ready: &Ready) -> Result<()> {
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

/// Answers questions until a signal, or until the end of the standard input. After a word on the standard
/// input its end no longer counts: the process that started the daemon has noted where to find it.
fn serve(signals: &impl AsRawFd, listener: Option<&UnixListener>, stats: &Arc<Stats>) {
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
        // SAFETY: pointer and count describe `watched`.
        unsafe { libc::poll(watched.as_mut_ptr(), watched.len() as _, -1) };
        let [signal, input, question] = watched.map(|entry| entry.revents != 0);
        if signal || (input && has_ended(&mut io::stdin())) {
            return;
        }
        if input {
            watched[1].fd = NOBODY;
        }
        if let (true, Some(listener)) = (question, listener) {
            answer(listener, stats);
        }
    }
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

/// The report fits the socket's buffer; a peer that hangs up early loses nothing but the answer.
fn answer(listener: &UnixListener, stats: &Arc<Stats>) {
    if let Ok((mut stream, _)) = listener.accept() {
        let _ = serde_json::to_writer(&mut stream, &stats.report(clock::now_ns()));
    }
}
