//! weft-probe: the agent that runs on each node. It reads and writes frames on standard input and output, and ends when
//! its standard input does.

mod agent;
mod application;
mod ensemble;
mod evidence;
mod file_cast;
mod inspect;
mod knobs;
mod listener;
mod pair;
mod sockets;
mod system;
mod transport;
mod watch;
mod web;
mod wire;

use std::io;
use std::process::{ExitCode, exit};
use std::sync::Arc;
use std::sync::mpsc::{self, Sender};
use std::thread;

use agent::{Agent, relay};
use knobs::{Heart, guard};
use system::{descriptors, wake::Wake};
use wire::frame::{self, Kind};

const USAGE: &str = "weft-probe is started by weft; it reads and writes frames on its standard input and output.\n\
                     weft-probe --version prints its version.";

fn main() -> ExitCode {
    let outcome = match std::env::args().nth(1).as_deref() {
        None => run(),
        Some("relay") => relay::run(),
        Some("guard") => guard::run(),
        Some("watch") => watch::run(),
        Some("webserver") => web::keeper::run(),
        Some(argument) => return explain(argument),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("weft-probe: {error}");
            ExitCode::FAILURE
        }
    }
}

fn explain(argument: &str) -> ExitCode {
    if argument == "--version" {
        println!("weft-probe {}", env!("CARGO_PKG_VERSION"));
        return ExitCode::SUCCESS;
    }
    eprintln!("{USAGE}");
    if argument == "--help" {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(2)
    }
}

fn run() -> io::Result<()> {
    let (sender, requests) = mpsc::channel();
    let wake = Arc::new(Wake::new()?);
    let heart = Arc::new(Heart::new()?);
    let mut agent = Agent::new(wake.clone(), heart.clone());
    descriptors::raise_limit();
    agent.greet()?;
    thread::Builder::new()
        .stack_size(256 << 10)
        .spawn(move || read_requests(&sender, &wake, &heart))?;
    // Before any socket exists: what the reader's table held would stay open for ever.
    descriptors::detach()?;
    agent.answer_all(&requests)
}

/// Pass requests on; when the coordinator is gone, so is this agent, even in the middle of a timed loop.
fn read_requests(sender: &Sender<Vec<u8>>, wake: &Wake, heart: &Heart) {
    let mut input = io::stdin().lock();
    loop {
        match frame::read(&mut input) {
            Ok(Some((Kind::Json, payload))) => {
                heart.beat();
                if !knobs::is_beat(&payload) {
                    pass_on(payload, sender, wake);
                }
            }
            Ok(Some((Kind::Samples | Kind::Evidence | Kind::Probes | Kind::Relayed, _))) => {
                complain("only messages travel from coordinator to agent")
            }
            Ok(None) => exit(0),
            Err(error) => complain(&error.to_string()),
        }
    }
}

/// An abort is noticed at once; everything else waits for its turn.
fn pass_on(payload: Vec<u8>, sender: &Sender<Vec<u8>>, wake: &Wake) {
    if ensemble::is_abort(&payload) {
        wake.abort();
    }
    drop(sender.send(payload));
    wake.notify();
}

fn complain(message: &str) -> ! {
    eprintln!("weft-probe: standard input: {message}");
    exit(2)
}
