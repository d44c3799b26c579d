//! Settings of this node: look at them, change them with a journal and a guard, and put them back.

mod access;
mod entry;
mod files;
pub mod guard;
mod journal;
mod link;
mod login;
mod request;

pub use guard::Heart;
pub use request::{Reply, Request, is_beat, is_request};

use std::collections::BTreeMap;
use std::io;
use std::process::Child;
use std::sync::Arc;

use access::Values;
use entry::{Entry, Restored};
use journal::Journal;
use request::{Question, Refusal, Seen};

use crate::system::interfaces;

/// Below it the kernel takes the IPv6 addresses off an interface, which would not come back.
const LEAST_MTU: u32 = 1280;

/// The settings that this agent has changed, and the guard that outlives it.
pub struct Knobs {
    heart: Arc<Heart>,
    journal: Option<Journal>,
    guard: Option<Child>,
}

impl Knobs {
    pub fn new(heart: Arc<Heart>) -> Knobs {
        Knobs {
            heart,
            journal: None,
            guard: None,
        }
    }

    pub fn answer(&mut self, request: Request) -> Result<Reply, Refusal> {
        match request {
            Request::Look { knobs, anyway } => Ok(look(&knobs, anyway)),
            Request::Set {
                session,
                entries,
                anyway,
            } => Ok(Reply::Set {
                values: self.set(&session, entries, anyway)?,
            }),
            Request::Restore { session, entries } => Ok(Reply::Restored {
                knobs: self.restore(&session, entries)?,
            }),
        }
    }

    fn set(
        &mut self,
        session: &str,
        mut entries: Vec<Entry>,
        anyway: bool,
    ) -> Result<BTreeMap<String, Values>, Refusal> {
        entries.iter().try_for_each(|one| check(one, anyway))?;
        let known = self.journal(session)?.entries.len();
        let journal = self.journal(session)?;
        journal.entries.extend(entries.iter().cloned());
        journal.save()?;
        let path = journal.path.clone();
        let outcome = self.guarded(&path).and_then(|()| apply_all(&mut entries));
        let outcome = outcome.and_then(|()| self.still_guarded());
        let journal = self.journal(session)?;
        let ours = journal.entries.split_off(known);
        if let Err(refusal) = outcome {
            let undone = ours.iter().rev().map(Entry::restore);
            let failed = undone.filter(|one| one.outcome == entry::Outcome::Failed);
            let failed: Vec<Restored> = failed.collect();
            let stays = ours
                .into_iter()
                .filter(|one| failed.iter().any(|name| name.name == one.name));
            journal.entries.extend(stays);
            journal.save()?;
            return Err(refusal);
        }
        let values = entries
            .iter()
            .map(|one| (one.name.clone(), one.new.clone().unwrap_or_default()));
        let values = values.collect();
        journal.entries.extend(entries);
        journal.save()?;
        Ok(values)
    }

    /// Put settings back, with what this node's journal has of them.
    fn restore(&mut self, session: &str, entries: Vec<Entry>) -> io::Result<Vec<Restored>> {
        // A folder that was refused held up the change, too; and the entries alone say what was.
        let Ok(journal) = self.journal(session) else {
            return Ok(entries.iter().rev().map(Entry::restore).collect());
        };
        let names: Vec<String> = entries.iter().map(|one| one.name.clone()).collect();
        let with_journal = |mut one: Entry| {
            let known = journal.entries.iter().find(|known| known.name == one.name);
            one.new = one.new.or(known.and_then(|known| known.new.clone()));
            one
        };
        let entries: Vec<Entry> = entries.into_iter().map(with_journal).collect();
        let done = entries.iter().rev().map(Entry::restore).collect();
        journal.entries.retain(|one| !names.contains(&one.name));
        journal.save()?;
        Ok(done)
    }

    fn journal(&mut self, session: &str) -> io::Result<&mut Journal> {
        if self.journal.is_none() {
            self.journal = Some(Journal::open(session)?);
        }
        Ok(self.journal.as_mut().expect("it was made"))
    }

    /// A guard, before anything is changed.
    fn guarded(&mut self, journal: &std::path::Path) -> Result<(), Refusal> {
        if self.guard.is_none() {
            self.guard = Some(self.heart.start_guard(journal)?);
        }
        self.heart.beat();
        self.still_guarded()
    }

    /// A guard that heard nothing has put everything back and ended.
    fn still_guarded(&mut self) -> Result<(), Refusal> {
        let is_there = match &mut self.guard {
            Some(guard) => guard.try_wait()?.is_none(),
            None => false,
        };
        let said = "the guard of its settings has ended, so that nothing would put them back";
        is_there
            .then_some(())
            .ok_or(Refusal::new("guard-lost", said))
    }
}

fn look(knobs: &[Question], anyway: bool) -> Reply {
    let login = login::interfaces();
    Reply::Seen {
        boot: crate::system::files::boot(),
        namespace: crate::system::files::network_namespace(),
        knobs: knobs
            .iter()
            .map(|one| see(one, !anyway && login.contains(&one.interface)))
            .collect(),
    }
}

fn see(knob: &Question, is_login: bool) -> Seen {
    let allowed = knob
        .allowed
        .as_ref()
        .and_then(|allowed| allowed.read().ok());
    let read = knob.read.read();
    let why_not = match &read {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Some("this kernel does not have it".to_owned())
        }
        Err(error) => Some(error.to_string()),
        Ok(_) if is_login => Some(format!("ssh came in on {}", knob.interface)),
        Ok(_) => knob.set.why_not().or_else(|| knob.not_the_default()),
    };
    Seen {
        name: knob.name.clone(),
        values: read.unwrap_or_default(),
        allowed: allowed.unwrap_or_default(),
        why_not: why_not.unwrap_or_default(),
    }
}

/// Refuse what must not be changed, before anything is.
fn check(entry: &Entry, anyway: bool) -> Result<(), Refusal> {
    let name = &entry.name;
    if !anyway && login::interfaces().contains(&entry.interface) {
        let said = format!(
            "{name}: ssh came in on {}, which is not changed",
            entry.interface
        );
        return Err(Refusal::new("knob-refused", &said));
    }
    let removes_ipv6 = entry.read.file.ends_with("/mtu")
        && entry.wanted.parse().is_ok_and(|mtu: u32| mtu < LEAST_MTU)
        && has_ipv6(&entry.interface);
    if removes_ipv6 {
        let said = format!(
            "{name}: less than 1280 takes the IPv6 addresses off {}",
            entry.interface
        );
        return Err(Refusal::new("knob-refused", &said));
    }
    let now = entry
        .read
        .read()
        .map_err(|error| Refusal::new("knob-refused", &format!("{name}: {error}")))?;
    if !entry.may_apply(&now) {
        let said = format!("{name} was changed by another program meanwhile, so it stays as it is");
        return Err(Refusal::new("knob-changed", &said));
    }
    Ok(())
}

fn has_ipv6(interface: &str) -> bool {
    let addresses = interfaces::addresses();
    let mut own = addresses.iter().filter(|one| one.interface == interface);
    own.any(|one| one.ip.is_ipv6())
}

fn apply_all(entries: &mut [Entry]) -> Result<(), Refusal> {
    for one in entries {
        if let Err(error) = one.apply() {
            let code = match error.kind() {
                io::ErrorKind::TimedOut => "link-lost",
                _ => "knob-refused",
            };
            let said = format!("{} cannot be {:?}: {error}", one.name, one.wanted);
            return Err(Refusal::new(code, &said));
        }
    }
    Ok(())
}
