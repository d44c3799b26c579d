//! A setting that was changed, or is about to be: what it was, and what it is.

use std::io;

use serde::{Deserialize, Serialize};

use super::access::{Access, Values, is_same};
use super::link;

/// What it takes to put a setting back.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Entry {
    pub name: String,
    pub read: Access,
    pub set: Access,
    /// Puts the default back, where a value cannot be set again.
    #[serde(default)]
    pub reset: Option<Access>,
    /// The interface that it belongs to, "" for a host's.
    #[serde(default)]
    pub interface: String,
    /// Whether a change may take the interface's link down.
    #[serde(default)]
    pub drops_link: bool,
    pub old: Values,
    pub wanted: String,
    /// What was read after the change; none before it.
    #[serde(default)]
    pub new: Option<Values>,
}

/// What became of a setting that was to be put back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    Restored,
    /// It was as before already.
    Unchanged,
    /// Another program has changed it, so it stays.
    Changed,
    Failed,
}

/// The same with its name; `now` is what is there, `why` is said of a failure.
#[derive(Debug, Serialize)]
pub struct Restored {
    pub name: String,
    pub outcome: Outcome,
    pub now: Values,
    pub why: String,
}

impl Entry {
    /// Change it and read it back; waits for the interface's link.
    pub fn apply(&mut self) -> io::Result<()> {
        let was_up = self.drops_link && link::is_up(&self.interface);
        self.set.write(&self.wanted)?;
        if was_up {
            link::wait(&self.interface)?;
        }
        self.new = Some(self.read.read()?);
        Ok(())
    }

    /// Whether the values are those from which the change was to be made, or already those that it makes.
    pub fn may_apply(&self, now: &Values) -> bool {
        let fits = |(file, value): (&String, &String)| {
            self.old.get(file).is_some_and(|old| is_same(old, value))
                || is_same(value, &self.wanted)
        };
        now.len() == self.old.len() && now.iter().all(fits)
    }

    /// Put it back where it still is what we made of it.
    pub fn restore(&self) -> Restored {
        let (outcome, now, why) = match self.put_back() {
            Ok((outcome, now)) => (outcome, now, String::new()),
            Err(error) => (Outcome::Failed, Values::new(), error.to_string()),
        };
        Restored {
            name: self.name.clone(),
            outcome,
            now,
            why,
        }
    }

    fn put_back(&self) -> io::Result<(Outcome, Values)> {
        let now = self.read.read()?;
        let was = |file: &String, value: &String| {
            self.old.get(file).is_some_and(|old| is_same(old, value))
        };
        if now.iter().all(|(file, value)| was(file, value)) {
            return Ok((Outcome::Unchanged, now));
        }
        let changed = now.iter().filter(|(file, value)| !was(file, value));
        let (ours, others): (Vec<_>, Vec<_>) =
            changed.partition(|(file, value)| self.is_ours(file, value));
        // What was put back meanwhile, such as by the guard, may refuse it.
        let written = ours
            .into_iter()
            .try_for_each(|(file, _)| self.put_back_one(file));
        if !others.is_empty() {
            return Ok((Outcome::Changed, self.read.read()?));
        }
        if self.drops_link {
            // The value is back, link or no link.
            let _ = link::wait(&self.interface);
        }
        let after = self.read.read()?;
        if after.iter().all(|(file, value)| was(file, value)) {
            return Ok((Outcome::Restored, after));
        }
        written?;
        Err(io::Error::other("it was written and is not as before"))
    }

    fn put_back_one(&self, file: &str) -> io::Result<()> {
        match &self.reset {
            Some(reset) => reset.write(""),
            None => {
                let old = self.old.get(file).map_or("", String::as_str);
                self.set.write_one(file, old)
            }
        }
    }

    fn is_ours(&self, file: &String, value: &str) -> bool {
        let made = self.new.as_ref().and_then(|new| new.get(file));
        is_same(value, &self.wanted) || made.is_some_and(|made| is_same(made, value))
    }
}
