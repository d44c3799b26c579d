//! A relay: it starts programs on behalf of the coordinator, such as the logins that lead to other agents, and passes on
//! what they read and write. So a coordinator that has thousands of nodes holds as many connections as it has relays.
//!
//! Every pipe has a thread, because a login that hangs must not hold up the others.

use std::collections::HashMap;
use std::fs;
use std::io::{self, Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, Stdio, exit};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use serde::{Deserialize, Serialize};

use crate::wire::frame::{self, Kind};

const STACK_BYTES: usize = 64 << 10;
const PIECE_BYTES: usize = 32 << 10;
/// In front of relayed bytes: the child's number, then which of its pipes they belong to.
const ADDRESS_BYTES: usize = 5;
const STANDARD: u8 = 0;
const ERRORS: u8 = 1;
/// How long a child's complaints may come after its end.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// What the coordinator asks; bytes for a child's standard input come in frames of their own.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Request {
    Start {
        child: u32,
        argv: Vec<String>,
    },
    /// Write this very program to a child's standard input, which so need not travel here again.
    Feed {
        child: u32,
    },
    Close {
        child: u32,
    },
    Kill {
        child: u32,
    },
}

#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Reply {
    Relaying {
        version: &'static str,
    },
    /// `status` is minus the signal that killed it; `message` says why it did not even start.
    Ended {
        child: u32,
        status: i32,
        message: String,
    },
}

struct Running {
    group: Pid,
    input: Option<Sender<Vec<u8>>>,
}

type Output = Arc<Mutex<io::Stdout>>;
type Children = Arc<Mutex<HashMap<u32, Running>>>;

/// Relay until standard input ends; everything that still runs ends with it.
pub fn run() -> io::Result<()> {
    let output: Output = Arc::new(Mutex::new(io::stdout()));
    let version = env!("CARGO_PKG_VERSION");
    say(&output, &Reply::Relaying { version });
    let mut relay = Relay {
        output,
        running: Children::default(),
    };
    let mut input = io::stdin().lock();
    while let Some((kind, payload)) = frame::read(&mut input)? {
        relay.take(kind, payload)?;
    }
    for (_, running) in lock(&relay.running).drain() {
        running.kill();
    }
    Ok(())
}

struct Relay {
    output: Output,
    running: Children,
}

impl Relay {
    fn take(&mut self, kind: Kind, payload: Vec<u8>) -> io::Result<()> {
        match kind {
            Kind::Relayed => self.write(&payload),
            Kind::Json => self.answer(serde_json::from_slice(&payload)?),
            Kind::Samples | Kind::Evidence | Kind::Probes => {}
        }
        Ok(())
    }

    fn answer(&mut self, request: Request) {
        match request {
            Request::Start { child, argv } => self.start(child, &argv),
            Request::Feed { child } => {
                // What cannot be read arrives as nothing, and its hash will tell.
                let program = fs::read("/proc/self/exe").unwrap_or_default();
                self.pass(child, program);
            }
            Request::Close { child } => {
                if let Some(running) = lock(&self.running).get_mut(&child) {
                    running.input = None;
                }
            }
            Request::Kill { child } => {
                if let Some(running) = lock(&self.running).remove(&child) {
                    running.kill();
                }
            }
        }
    }

    fn start(&mut self, number: u32, argv: &[String]) {
        match spawn(argv) {
            Ok(mut child) => {
                let group = Pid::from_child(&child);
                let input = write_to(child.stdin.take().expect("it is a pipe"));
                lock(&self.running).insert(
                    number,
                    Running {
                        group,
                        input: Some(input),
                    },
                );
                follow(number, child, &self.output, &self.running);
            }
            Err(error) => {
                let name = argv.first().map_or("nothing", String::as_str);
                let message = format!("cannot start {name}: {error}");
                let status = 127;
                say(
                    &self.output,
                    &Reply::Ended {
                        child: number,
                        status,
                        message,
                    },
                );
            }
        }
    }

    fn write(&mut self, payload: &[u8]) {
        if let Some((address, bytes)) = payload.split_at_checked(ADDRESS_BYTES) {
            let child = u32::from_le_bytes(address[..4].try_into().expect("4 bytes"));
            self.pass(child, bytes.to_vec());
        }
    }

    fn pass(&mut self, child: u32, bytes: Vec<u8>) {
        if let Some(Running {
            input: Some(input), ..
        }) = lock(&self.running).get(&child)
        {
            // One that has ended says so itself.
            drop(input.send(bytes));
        }
    }
}

impl Running {
    fn kill(&self) {
        // It may be gone already.
        let _ = kill_process_group(self.group, Signal::KILL);
    }
}

fn spawn(argv: &[String]) -> io::Result<Child> {
    let (program, arguments) = argv.split_first().ok_or(io::ErrorKind::InvalidInput)?;
    Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()
}

fn write_to(mut pipe: impl Write + Send + 'static) -> Sender<Vec<u8>> {
    let (sender, receiver): (_, Receiver<Vec<u8>>) = mpsc::channel();
    start_thread(move || {
        for bytes in receiver {
            if pipe.write_all(&bytes).is_err() {
                break;
            }
        }
    });
    sender
}

/// Pass on what a child says until it has ended.
fn follow(number: u32, mut child: Child, output: &Output, running: &Children) {
    let standard = child.stdout.take().expect("it is a pipe");
    let errors = child.stderr.take().expect("it is a pipe");
    let behind = output.clone();
    let (at_work, complaints) = mpsc::channel::<()>();
    start_thread(move || {
        pass_on(number, ERRORS, errors, &behind);
        drop(at_work);
    });
    let (output, running) = (output.clone(), running.clone());
    start_thread(move || {
        pass_on(number, STANDARD, standard, &output);
        // Out of the list while its id is still its own, so that no other process is killed under it.
        let ended = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        let _ = waitid(WaitId::Pid(Pid::from_child(&child)), ended);
        lock(&running).remove(&number);
        let status = child.wait().map_or(-1, |status| {
            let signal = status.signal().map(|signal| -signal);
            status.code().or(signal).unwrap_or(-1)
        });
        // Nothing is heard of a child after its end, so its complaints go first. But only for a
        // while: what it left behind, such as a login that others share, may hold the pipe for hours.
        let _ = complaints.recv_timeout(LAST_WORDS);
        say(
            &output,
            &Reply::Ended {
                child: number,
                status,
                message: String::new(),
            },
        );
    });
}

fn pass_on(number: u32, stream: u8, mut pipe: impl Read, output: &Output) {
    let mut payload = vec![0; ADDRESS_BYTES + PIECE_BYTES];
    payload[..4].copy_from_slice(&number.to_le_bytes());
    payload[4] = stream;
    while let Ok(length @ 1..) = pipe.read(&mut payload[ADDRESS_BYTES..]) {
        put(output, Kind::Relayed, &payload[..ADDRESS_BYTES + length]);
    }
}

fn say(output: &Output, reply: &Reply) {
    let payload = serde_json::to_vec(reply).expect("a reply is JSON");
    put(output, Kind::Json, &payload);
}

/// A coordinator that does not read any more is gone, and so is this relay.
fn put(output: &Output, kind: Kind, payload: &[u8]) {
    if frame::write(&mut *lock(output), kind, payload).is_err() {
        exit(1);
    }
}

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

fn start_thread(work: impl FnOnce() + Send + 'static) {
    let started = thread::Builder::new().stack_size(STACK_BYTES).spawn(work);
    started.expect("a thread can be started");
}
