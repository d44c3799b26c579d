//! The journal on the node: what is changed and what it was, on disk before it is changed.

use std::env;
use std::fs::{self, DirBuilder, File};
use std::io::{self, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use rustix::process::geteuid;

use super::entry::{Entry, Outcome, Restored};

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
        let folder = folder();
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&folder)?;
        Journal::read(folder.join(format!("{session}.json")))
    }

    /// What a file has, nothing where there is none.
    pub fn read(path: PathBuf) -> io::Result<Journal> {
        let entries = match fs::read(&path) {
            Ok(text) => serde_json::from_slice(&text)?,
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
        let fresh = self.path.with_extension("new");
        let mut file = File::create(&fresh)?;
        file.write_all(&serde_json::to_vec(&self.entries)?)?;
        file.sync_all()?;
        fs::rename(&fresh, &self.path)?;
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

fn folder() -> PathBuf {
    let state = env::var_os("XDG_STATE_HOME").map(PathBuf::from);
    let home = || Some(PathBuf::from(env::var_os("HOME")?).join(".local/state"));
    let state = state.or_else(home).filter(|folder| folder.is_absolute());
    match state {
        Some(state) => state.join("weft/settings-of-node"),
        None => PathBuf::from(format!("/tmp/weft-settings-{}", geteuid().as_raw())),
    }
}
