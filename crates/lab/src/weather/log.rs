//! What really happened, a line of JSON for each change: what tests and measurements are held against.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::clock;
use crate::error::{Doing, Result};
use crate::weather::running::{EventReport, Running, seconds};

/// A log, which is there only if it has a file.
pub struct Log {
    path: Option<PathBuf>,
    file: Option<File>,
    since_ns: u64,
}

/// A line of it.
#[derive(Serialize)]
struct Line {
    /// Seconds since 1970, UTC.
    time_s: f64,
    /// Seconds since the lab was up.
    lab_s: f64,
    state: &'static str,
    /// How many processes were killed, where hosts went off.
    #[serde(skip_serializing_if = "Option::is_none")]
    killed: Option<usize>,
    #[serde(flatten)]
    event: EventReport,
}

impl Log {
    /// Begins a log; the file may hold lines already.
    pub fn open(path: Option<&Path>, since_ns: u64) -> Result<Self> {
        let append = |path| OpenOptions::new().create(true).append(true).open(path);
        Ok(Self {
            path: path.map(Path::to_owned),
            file: path
                .map(append)
                .transpose()
                .doing("open the log of the weather")?,
            since_ns,
        })
    }

    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// Notes what an event did just now.
    pub fn note(&mut self, running: &Running, state: &'static str, killed: Option<usize>) {
        let Some(file) = &mut self.file else { return };
        let now_ns = clock::now_ns();
        let line = Line {
            time_s: (now_ns + clock::realtime_offset_ns()) as f64 / 1e9,
            lab_s: seconds(now_ns, self.since_ns),
            state,
            killed,
            event: running.report(self.since_ns),
        };
        // A full disk must not end the lab; the next line may find room again.
        if let Ok(mut text) = serde_json::to_vec(&line) {
            text.push(b'\n');
            let _ = file.write_all(&text);
        }
    }
}
