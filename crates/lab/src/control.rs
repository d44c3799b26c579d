//! Questions to a lab that is up, one to a connection: a line of JSON, answered with another.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::AsRawFd;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::clock;
use crate::error::{Doing, LabError, Result};
use crate::forward::stats::Stats;
use crate::guest::guests::{Boot, Guests};
use crate::lab::Lab;
use crate::weather::conductor::Conductor;

const WITHIN: Duration = Duration::from_secs(2);
const LONGEST_BYTES: u64 = 1 << 20;

/// What may be asked.
#[derive(Debug, Deserialize)]
#[serde(tag = "ask", rename_all = "lowercase")]
enum Question {
    /// The forwarder's counters.
    Stats,
    /// What the weather is.
    Weather,
    /// Further events, as TOML.
    Add {
        text: String,
        origin: String,
        speed: Option<f64>,
    },
    /// No more weather.
    Clear,
    /// A guest is to be started.
    Boot(Boot),
}

/// What questions are about.
pub struct Asked<'a, 'lab> {
    pub lab: &'a Lab,
    pub stats: &'a Stats,
    pub conductor: &'a mut Conductor<'lab>,
    pub guests: &'a mut Guests,
}

#[derive(Serialize)]
struct Refusal<'a> {
    error: &'a LabError,
}

/// Binds by way of the folder's descriptor, since a socket's address holds only 107 bytes.
pub fn listen(path: &Path) -> Result<UnixListener> {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    let folder = File::open(folder.unwrap_or(Path::new("."))).doing("open the socket's folder")?;
    let name = path.file_name().unwrap_or_default();
    let address = Path::new("/proc/self/fd")
        .join(folder.as_raw_fd().to_string())
        .join(name);
    let listener = UnixListener::bind(address).doing("listen for questions")?;
    listener
        .set_nonblocking(true)
        .doing("listen without blocking")?;
    Ok(listener)
}

/// Answers one question. The answer fits the socket's buffer; a peer that hangs up early loses nothing but that.
pub fn answer(listener: &UnixListener, asked: &mut Asked<'_, '_>) {
    let Ok((mut stream, _)) = listener.accept() else {
        return;
    };
    let reply = read(&mut stream).and_then(|question| reply(question, asked));
    let _ = match reply {
        Ok(reply) => serde_json::to_writer(&mut stream, &reply),
        Err(error) => serde_json::to_writer(&mut stream, &Refusal { error: &error }),
    };
}

fn read(stream: &mut UnixStream) -> Result<Question> {
    let mut text = Vec::new();
    let received = stream
        .set_nonblocking(false)
        .and_then(|()| stream.set_read_timeout(Some(WITHIN)))
        .and_then(|()| stream.set_write_timeout(Some(WITHIN)))
        .and_then(|()| stream.take(LONGEST_BYTES).read_to_end(&mut text));
    received.doing("read a question")?;
    serde_json::from_slice(&text).map_err(|error| {
        let hint = "this lab and this weft may be of different versions: take it down and up again";
        LabError::request(format!("not a question: {error}"), hint)
    })
}

fn reply(question: Question, asked: &mut Asked<'_, '_>) -> Result<serde_json::Value> {
    let conductor = &mut asked.conductor;
    match question {
        Question::Stats => return json(asked.stats.report(clock::now_ns())),
        Question::Boot(boot) => return json(asked.guests.boot(asked.lab, &boot)?),
        Question::Weather => {}
        Question::Add {
            text,
            origin,
            speed,
        } => conductor.add_text(&text, &origin, speed)?,
        Question::Clear => conductor.clear(),
    }
    json(conductor.report())
}

fn json(reply: impl Serialize) -> Result<serde_json::Value> {
    serde_json::to_value(reply)
        .map_err(io::Error::other)
        .doing("write JSON")
}
