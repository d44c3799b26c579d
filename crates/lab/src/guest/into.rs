//! Runs a program in a guest: its standard input and output are this process's.

use std::fs::File;
use std::io::{self, Read, Write};
use std::net::Shutdown;
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

use crate::error::{Doing, LabError, Result};
use crate::guest::frame::{self, End, Kind, Order};

const PIECE_BYTES: usize = 1 << 16;
/// A guest that is busy, or whose port had a session that was cut off, does not greet at once.
const GREETED_WITHIN: Duration = Duration::from_secs(10);
const WITHIN: Duration = Duration::from_secs(60);
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// Which guest, and what to run there.
#[derive(Debug)]
pub struct IntoRequest {
    pub folder: PathBuf,
    pub host: String,
    pub ports: u32,
    pub command: Vec<String>,
}

/// Runs the program and returns its status.
pub fn into(request: &IntoRequest) -> Result<i32> {
    // A socket's address holds only 107 bytes.
    let gone = |error| LabError::work(format!("the guest {} is gone: {error}", request.host));
    std::env::set_current_dir(&request.folder).map_err(gone)?;
    let (stream, _lock) = take_port(request)?;
    let order = Order {
        command: request.command.clone(),
    };
    let order = serde_json::to_vec(&order).map_err(io::Error::other);
    let order = order.and_then(|order| frame::write(&mut &stream, Kind::Run, &order));
    order.doing("send the command to the guest")?;
    let sender = stream.try_clone().doing("copy a descriptor")?;
    thread::spawn(move || send_input(&sender));
    let end = receive(&stream).map_err(|error| {
        LabError::work(format!("the guest {} broke off: {error}", request.host))
    })?;
    let _ = stream.shutdown(Shutdown::Both);
    if !end.message.is_empty() {
        eprintln!("weft-lab: {}", end.message);
    }
    Ok(end.status)
}

/// A port that has no other session, and at which the guest has greeted.
fn take_port(request: &IntoRequest) -> Result<(UnixStream, File)> {
    let since = Instant::now();
    let mut silent = Vec::new();
    loop {
        for port in 1..=request.ports {
            let name = format!("{}.{port}", request.host);
            let Some(lock) = lock(&name) else { continue };
            let stream = UnixStream::connect(&name).map_err(|error| {
                LabError::work(format!("the guest {} is gone: {error}", request.host))
            })?;
            match is_greeted(&stream) {
                true => return Ok((stream, lock)),
                false => silent.push((stream, lock)),
            }
        }
        if since.elapsed() > WITHIN {
            let message = match silent.is_empty() {
                true => format!(
                    "all {} ports of the guest {} are busy",
                    request.ports, request.host
                ),
                false => format!("the guest {} does not answer", request.host),
            };
            return Err(LabError::work(message));
        }
        silent.clear();
        thread::sleep(LOOK_EVERY);
    }
}

/// The lock of a port; it is let go when this process ends.
fn lock(name: &str) -> Option<File> {
    let file = File::create(format!("{name}.lock")).ok()?;
    // SAFETY: takes no pointers.
    let locked = unsafe { libc::flock(file.as_raw_fd(), libc::LOCK_EX | libc::LOCK_NB) };
    (locked == 0).then_some(file)
}

fn is_greeted(stream: &UnixStream) -> bool {
    let (mut writer, mut reader) = (stream, stream);
    let greeted = frame::write(&mut writer, Kind::Hello, b"")
        .and_then(|()| stream.set_read_timeout(Some(GREETED_WITHIN)))
        .and_then(|()| frame::await_greeting(&mut reader));
    greeted.is_ok() && stream.set_read_timeout(None).is_ok()
}

fn send_input(mut stream: &UnixStream) {
    let mut buffer = vec![0; PIECE_BYTES];
    let mut input = io::stdin().lock();
    loop {
        let count = input.read(&mut buffer).unwrap_or(0);
        if frame::write(&mut stream, Kind::Input, &buffer[..count]).is_err() || count == 0 {
            return;
        }
    }
}

fn receive(mut stream: &UnixStream) -> io::Result<End> {
    let (mut out, mut errors) = (io::stdout().lock(), io::stderr().lock());
    loop {
        let (kind, bytes) = frame::read(&mut stream)?;
        match kind {
            Kind::Output => out.write_all(&bytes).and_then(|()| out.flush())?,
            Kind::Error => errors.write_all(&bytes)?,
            Kind::Ended => return serde_json::from_slice(&bytes).map_err(io::Error::other),
            Kind::Hello | Kind::Run | Kind::Input => {}
        }
    }
}
