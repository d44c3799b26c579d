//! What a coordinator asks of a site by way of an agent: start, fetch, stop. The process that watches is another one, and
//! goes on without the agent; what it has kept is fetched also when it is dead.

use std::env;
use std::fs::{self, File};
use std::io;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process, setsid};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::row::{self, Row};
use super::run::replace;
use super::spool::{self, Cursor};
use crate::system::private;

const READY_WITHIN: Duration = Duration::from_secs(20);
const LOOK_EVERY: Duration = Duration::from_millis(20);
/// Fetched at once.
const MOST_BYTES: usize = 4 << 20;

#[derive(Debug, Deserialize)]
#[serde(tag = "type")]
pub enum Request {
    /// Start the process of a site, or give the one that runs another configuration.
    #[serde(rename = "watch_start")]
    Start { place: String, config: Value },
    /// Fetch what is behind the cursor; what is before it may be removed.
    #[serde(rename = "watch_drain")]
    Drain { place: String, cursor: Cursor },
    /// End the process, and remove what it has kept where that was fetched.
    #[serde(rename = "watch_stop")]
    Stop { place: String, forget: bool },
}

#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Reply {
    /// `status` is what the process wrote last.
    WatchState {
        is_running: bool,
        status: Option<Value>,
    },
    /// A frame with `rows` probes follows, unless there are none.
    WatchDrained {
        cursor: Cursor,
        rows: usize,
        has_more: bool,
        events: Vec<Value>,
        is_running: bool,
        status: Option<Value>,
    },
}

pub fn is_request(kind: Option<&str>) -> bool {
    kind.is_some_and(|kind| kind.starts_with("watch_"))
}

/// The reply, and the frame behind it.
pub fn answer(request: Request) -> io::Result<(Reply, Option<Vec<u8>>)> {
    match request {
        Request::Start { place, config } => start(&folder(&place)?, &config),
        Request::Drain { place, cursor } => drain(&folder(&place)?, cursor),
        Request::Stop { place, forget } => stop(&folder(&place)?, forget),
    }
}

/// Where a site of a watch keeps what it has: below the user's state, or below /tmp where there is no home.
fn folder(place: &str) -> io::Result<PathBuf> {
    if place.is_empty()
        || !place
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let home = env::var_os("HOME").map(|home| PathBuf::from(home).join(".local/state"));
    let state = env::var_os("XDG_STATE_HOME").map(PathBuf::from).or(home);
    let user = rustix::process::getuid().as_raw();
    let spare = PathBuf::from(format!("/tmp/weft-{user}"));
    let chosen = state.map(|state| state.join("weft"));
    let mut last = Err(io::ErrorKind::NotFound.into());
    for base in chosen.into_iter().chain([spare]) {
        last = private::folder(&base, &["watch", place]);
        if last.is_ok() {
            break;
        }
    }
    last
}

fn start(folder: &Path, config: &Value) -> io::Result<(Reply, Option<Vec<u8>>)> {
    replace(&folder.join("config.json"), &serde_json::to_vec(config)?)?;
    let serial = config["serial"].as_u64();
    match pid(folder).filter(|_| is_running(folder)) {
        Some(pid) => kill_process(pid, Signal::HUP)?,
        None => spawn(folder)?,
    }
    let mut again = 1;
    let deadline = Instant::now() + READY_WITHIN;
    while Instant::now() < deadline {
        let found = status(folder);
        let is_ready = found.as_ref().and_then(|one| one["serial"].as_u64()) == serial;
        if is_ready && is_running(folder) {
            return Ok((state(folder), None));
        }
        thread::sleep(LOOK_EVERY);
        // It may have been about to end when it was told.
        if found.is_some() && !is_running(folder) && again > 0 {
            again -= 1;
            spawn(folder)?;
        }
    }
    let said = fs::read_to_string(folder.join("log")).unwrap_or_default();
    let last = said.lines().last().unwrap_or("it says nothing");
    let message = format!("the process that watches did not start: {last}");
    Err(io::Error::other(message))
}

fn spawn(folder: &Path) -> io::Result<()> {
    let _ = fs::remove_file(folder.join("status.json"));
    let mut command = Command::new("/proc/self/exe");
    command
        .arg("watch")
        .arg(folder)
        .current_dir("/")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(File::create(folder.join("log"))?);
    // SAFETY: setsid is safe between fork and exec.
    unsafe { command.pre_exec(|| setsid().map(drop).map_err(io::Error::from)) };
    let mut child = command.spawn()?;
    // So that it is no zombie should it end while this agent lives.
    thread::Builder::new()
        .stack_size(64 << 10)
        .spawn(move || child.wait())
        .map(drop)
}

fn drain(folder: &Path, cursor: Cursor) -> io::Result<(Reply, Option<Vec<u8>>)> {
    let spool = folder.join("spool");
    let (rows, events, reached) = match spool::drain(&spool, cursor, MOST_BYTES) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => (Vec::new(), Vec::new(), cursor),
        other => other?,
    };
    let reply = Reply::WatchDrained {
        cursor: reached,
        rows: rows.len(),
        has_more: rows.len() * row::ROW_BYTES >= MOST_BYTES,
        events,
        is_running: is_running(folder),
        status: status(folder),
    };
    Ok((reply, encoded(&rows)?))
}

fn encoded(rows: &[Row]) -> io::Result<Option<Vec<u8>>> {
    if rows.is_empty() {
        return Ok(None);
    }
    row::encode(rows).map(Some).map_err(io::Error::other)
}

fn stop(folder: &Path, forget: bool) -> io::Result<(Reply, Option<Vec<u8>>)> {
    if let Some(pid) = pid(folder).filter(|_| is_running(folder)) {
        kill_process(pid, Signal::TERM)?;
        let deadline = Instant::now() + READY_WITHIN;
        while is_running(folder) && Instant::now() < deadline {
            thread::sleep(LOOK_EVERY);
        }
    }
    let reply = state(folder);
    if forget && !is_running(folder) {
        fs::remove_dir_all(folder)?;
    }
    Ok((reply, None))
}

fn state(folder: &Path) -> Reply {
    Reply::WatchState {
        is_running: is_running(folder),
        status: status(folder),
    }
}

fn status(folder: &Path) -> Option<Value> {
    serde_json::from_slice(&fs::read(folder.join("status.json")).ok()?).ok()
}

fn pid(folder: &Path) -> Option<Pid> {
    Pid::from_raw(i32::try_from(status(folder)?["pid"].as_i64()?).ok()?)
}

/// Whether a process has the folder's lock, which it has as long as it lives.
fn is_running(folder: &Path) -> bool {
    let Ok(lock) = File::open(folder.join("lock")) else {
        return false;
    };
    flock(&lock, FlockOperation::NonBlockingLockShared) == Err(Errno::WOULDBLOCK)
}
