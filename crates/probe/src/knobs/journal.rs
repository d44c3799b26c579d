//! The journal on the node: what is changed and what it was, on disk before it is changed.

use std::env;
use std::fs::{self, File};
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};

use rustix::process::geteuid;

use super::entry::{Entry, Outcome, Restored};
use crate::system::private;

/// The settings of a session that are changed now.
#[derive(Debug)]
pub struct Journal {
    pub path: PathBuf,
    pub entries: Vec<Entry>,
}

impl Journal {
    /// That of a session; one that is there already is read.
    pub fn open(session: &str) -> io::Result<Journal> {
        if session.is_empty()
            || !session
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || c == '-')
        {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                "no name of a session",
            ));
        }
        Journal::read(folder()?.join(format!("{session}.json")))
    }

    /// What a file has, nothing where there is none.
    pub fn read(path: PathBuf) -> io::Result<Journal> {
        let entries = match private::open(&path) {
            Ok(file) => serde_json::from_reader(BufReader::new(file))?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(error),
        };
        Ok(Journal { path, entries })
    }

    /// On disk when this returns; without entries there is no file.
    pub fn save(&self) -> io::Result<()> {
        if self.entries.is_empty() {
            return match fs::remove_file(&self.path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
                _ => Ok(()),
            };
        }
        private::replace(&self.path, &serde_json::to_vec(&self.entries)?, true)?;
        File::open(self.path.parent().unwrap_or(Path::new("/")))?.sync_all()
    }

    /// Put everything back, the latest change first; what failed stays in the journal.
    pub fn restore(&mut self) -> io::Result<Vec<Restored>> {
        let entries = self.entries.iter().rev();
        let done: Vec<_> = entries.map(Entry::restore).collect();
        let failed = done.iter().filter(|one| one.outcome == Outcome::Failed);
        let failed: Vec<&str> = failed.map(|one| one.name.as_str()).collect();
        self.entries
            .retain(|one| failed.contains(&one.name.as_str()));
        self.save()?;
        Ok(done)
    }
}

/// Below the user's state, or below /tmp where there is no home; nothing of another user's is taken.
fn folder() -> io::Result<PathBuf> {
    let state = env::var_os("XDG_STATE_HOME").map(PathBuf::from);
    let home = || Some(PathBuf::from(env::var_os("HOME")?).join(".local/state"));
    let state = state.or_else(home).filter(|folder| folder.is_absolute());
    match state {
        Some(state) => private::folder(&state.join("weft"), &["settings-of-node"]),
        None => {
            let spare = format!("/tmp/weft-settings-{}", geteuid().as_raw());
            private::folder(Path::new(&spare), &[])
        }
    }
}
