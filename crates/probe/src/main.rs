//! weft-probe: the agent that runs on each node. It speaks frames on standard input and output, and ends when
//! its standard input does.

mod agent;
mod batch;
mod channel;
mod clock;
mod descriptors;
mod door;
mod drive;
mod facts;
mod frame;
mod message;
mod order;
mod pattern;
mod payload;
mod processor;
mod samples;
mod tcp;
mod token;
mod watchdog;

use std::io;
use std::process::{ExitCode, exit};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;

use agent::Agent;
use frame::Kind;

const USAGE: &str = "weft-probe is started by weft and speaks frames on its standard input and output.\n\
                     weft-probe --version prints its version.";

fn main() -> ExitCode {
    if let Some(argument) = std::env::args().nth(1) {
        return explain(&argument);
    }
    match run() {
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
    let mut agent = Agent::new();
    agent.greet()?;
    thread::Builder::new()
        .stack_size(256 << 10)
        .spawn(move || read_requests(&sender))?;
    // Before any socket exists: what the reader's table held would stay open for ever.
    descriptors::detach()?;
    answer_all(&mut agent, &requests)
}

fn answer_all(agent: &mut Agent, requests: &Receiver<Vec<u8>>) -> io::Result<()> {
    for payload in requests {
        agent.answer(&payload)?;
    }
    Ok(())
}

/// Pass requests on; when the coordinator is gone, so is this agent, even in the middle of a timed loop.
fn read_requests(sender: &Sender<Vec<u8>>) {
    let mut input = io::stdin().lock();
    loop {
        match frame::read(&mut input) {
            Ok(Some((Kind::Json, payload))) => drop(sender.send(payload)),
            Ok(Some((Kind::Samples, _))) => {
                complain("samples travel from agent to coordinator only")
            }
            Ok(None) => exit(0),
            Err(error) => complain(&error.to_string()),
        }
    }
}

fn complain(message: &str) -> ! {
    eprintln!("weft-probe: standard input: {message}");
    exit(2)
}
