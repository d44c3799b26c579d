//! In a guest: one program, whose standard input and output go through a port.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Mutex, mpsc};
use std::thread;

use crate::guest::frame::{self, End, Kind, Order};

const PIECE_BYTES: usize = 1 << 16;
/// As shells have it: not found, or not to be run.
const NOT_FOUND: i32 = 127;
const NOT_RUN: i32 = 126;
const SIGNALLED: i32 = 128;

/// A port that several threads write to in turn.
struct Port<'a>(Mutex<&'a File>);

impl Port<'_> {
    fn say(&self, kind: Kind, bytes: &[u8]) -> io::Result<()> {
        let mut port = self.0.lock().unwrap_or_else(|broken| broken.into_inner());
        frame::write(&mut *port, kind, bytes)
    }

    fn say_end(&self, end: &End) -> io::Result<()> {
        self.say(
            Kind::Ended,
            &serde_json::to_vec(end).map_err(io::Error::other)?,
        )
    }
}

/// What comes through a port: a frame, or that it was closed.
type Received = io::Result<(Kind, Vec<u8>)>;

/// Runs a program until it ends, or until the port is closed; returns what comes after its input.
pub fn run(port: &File, order: &[u8]) -> Received {
    let writer = Port(Mutex::new(port));
    match start(order) {
        Ok(child) => attend_to(child, port, &writer),
        Err(end) => {
            writer.say_end(&end)?;
            frame::read(&mut &*port)
        }
    }
}

fn start(order: &[u8]) -> Result<Child, End> {
    let refuse = |status, message| End { status, message };
    let order: Order =
        serde_json::from_slice(order).map_err(|error| refuse(NOT_RUN, error.to_string()))?;
    let [program, arguments @ ..] = &order.command[..] else {
        return Err(refuse(NOT_RUN, "no command to run".into()));
    };
    let child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn();
    child.map_err(|error| {
        let status = match error.kind() {
            io::ErrorKind::NotFound => NOT_FOUND,
            _ => NOT_RUN,
        };
        refuse(status, format!("cannot run {program}: {error}"))
    })
}

fn attend_to(mut child: Child, port: &File, writer: &Port<'_>) -> Received {
    let group = child.id() as i32;
    let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let (Some(input), Some(output), Some(errors)) = pipes else {
        return Err(io::Error::other("a child without pipes"));
    };
    let (pieces, received) = mpsc::channel::<Vec<u8>>();
    let is_over = &Mutex::new(false);
    thread::scope(|scope| {
        scope.spawn(move || feed(input, &received));
        let outputs = [
            scope.spawn(|| pump(output, Kind::Output, writer)),
            scope.spawn(|| pump(errors, Kind::Error, writer)),
        ];
        let listener = scope.spawn(move || {
            let next = listen(port, &pieces);
            // A program without a session ends.
            if !*lock(is_over) {
                // SAFETY: takes no pointers; the group is there as long as its leader was not waited for.
                unsafe { libc::kill(-group, libc::SIGKILL) };
            }
            next
        });
        let is_heard = outputs.map(|output| output.join().unwrap_or(false));
        wait_for_end(&child);
        let status = {
            let mut is_over = lock(is_over);
            *is_over = true;
            child.wait()
        };
        if is_heard.iter().all(|heard| *heard) {
            let _ = writer.say_end(&End {
                status: status.map_or(NOT_RUN, status_of),
                message: String::new(),
            });
        }
        let broken = |_| Err(io::Error::other("the port's thread failed"));
        listener.join().unwrap_or_else(broken)
    })
}

/// Leaves it to be reaped, so that its group keeps its number, and without the lock: what closed its output may go on, and
/// is killed where the session ends.
fn wait_for_end(child: &Child) {
    let options = libc::WEXITED | libc::WNOWAIT;
    loop {
        // SAFETY: `siginfo_t` is plain data, and the pointer is to one.
        let waited = unsafe {
            let mut info: libc::siginfo_t = std::mem::zeroed();
            libc::waitid(libc::P_PID, child.id(), &raw mut info, options)
        };
        if waited == 0 || io::Error::last_os_error().kind() != io::ErrorKind::Interrupted {
            return;
        }
    }
}

fn lock(flag: &Mutex<bool>) -> std::sync::MutexGuard<'_, bool> {
    flag.lock().unwrap_or_else(|broken| broken.into_inner())
}

/// Hands over what comes for the program; returns what comes after.
fn listen(port: &File, pieces: &mpsc::Sender<Vec<u8>>) -> Received {
    let mut reader = port;
    loop {
        match frame::read(&mut reader) {
            // It may have ended without reading all.
            Ok((Kind::Input, bytes)) => drop(pieces.send(bytes)),
            other => return other,
        }
    }
}

/// Writes to the program what comes for it; an empty piece is the end.
fn feed(mut input: impl Write, pieces: &mpsc::Receiver<Vec<u8>>) {
    while let Ok(piece) = pieces.recv() {
        if piece.is_empty() || input.write_all(&piece).is_err() {
            return;
        }
    }
}

/// Whether all that the program wrote was passed on.
fn pump(mut from: impl Read, kind: Kind, writer: &Port<'_>) -> bool {
    let mut buffer = vec![0; PIECE_BYTES];
    loop {
        match from.read(&mut buffer) {
            Ok(0) => return true,
            Ok(count) if writer.say(kind, &buffer[..count]).is_ok() => {}
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            _ => return false,
        }
    }
}

fn status_of(status: ExitStatus) -> i32 {
    let signalled = || SIGNALLED + status.signal().unwrap_or(0);
    status.code().unwrap_or_else(signalled)
}
