//! What an MPI library does with a message besides sending it: presets that were measured, and a machine's own values.

use weft_plan::Mpi;
use weft_plan::reading::{SIZE, Section, Table};

use super::configuration::flatten;
use super::keys::{Result, amount, count, table};

/// By library, the text of its preset.
const PRESETS: [(&str, Mpi, &str); 2] = [
    (
        "openmpi",
        Mpi::OpenMpi,
        include_str!("../../../../catalog/mpi/openmpi.toml"),
    ),
    (
        "mpich",
        Mpi::Mpich,
        include_str!("../../../../catalog/mpi/mpich.toml"),
    ),
];
const MOST_CYCLES: u32 = 100_000_000;
const MOST_COPIES: u32 = 8;
/// Control messages before the data, or behind it.
const MOST_CONTROL: u32 = 8;

/// An MPI library over TCP.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Library {
    /// The longest message that goes at once, through the library's own memory. A longer one waits until the receiver
    /// has asked for it, and goes from memory to memory (rendezvous).
    pub eager_bytes: u64,
    /// What the library puts in front of each of its messages.
    pub header_bytes: u64,
    /// Cycles for each message that is sent and received.
    pub send: u32,
    pub receive: u32,
    /// Copies of an eager message between the user's memory and the library's, at the sender and the receiver.
    pub copies_out: u32,
    pub copies_in: u32,
    /// Control messages of a rendezvous: before the data, in turn from the sender on, and behind it, from the receiver on.
    pub requests: u32,
    pub confirmations: u32,
}

/// By library.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Libraries([Library; PRESETS.len()]);

impl Libraries {
    /// That of a step, or the first where it does not say, with its name.
    pub fn of(&self, mpi: Option<Mpi>) -> (&'static str, Library) {
        let at = PRESETS.iter().position(|(_, one, _)| Some(*one) == mpi);
        let at = at.unwrap_or(0);
        (PRESETS[at].0, self.0[at])
    }

    /// Reads a machine's table of libraries, which `presets` has filled.
    pub(super) fn read(root: &Section) -> Result<Self> {
        let table = table(root, "mpi")?;
        table.check_keys(&PRESETS.map(|(name, ..)| name))?;
        let mut all = Vec::new();
        for (name, ..) in PRESETS {
            let path = table.key(name);
            let value = table.require(name, "give its keys in a table")?;
            let section = Section::unchecked(value, &path, "{ eager = \"64 KiB\" }")?;
            all.push(read(&section)?);
        }
        Ok(Self(std::array::from_fn(|at| all[at])))
    }
}

/// The presets' keys and values that a description does not have, as overrides.
pub fn presets(text: &str) -> Vec<(String, String)> {
    let table: Option<Table> = text.parse().ok();
    let own = |library: &str, key: &str| {
        let libraries = table.as_ref()?.get("mpi")?.get(library)?;
        libraries.get(key).map(|_| ())
    };
    let mut found = Vec::new();
    for (name, _, preset) in PRESETS {
        let preset: Table = preset.parse().unwrap_or_default();
        for (key, value) in preset.iter().filter(|(key, _)| own(name, key).is_none()) {
            flatten(value, &format!("mpi.{name}.{key}"), &mut found);
        }
    }
    found
}

fn read(section: &Section) -> Result<Library> {
    section.check_keys(&[
        "eager",
        "header",
        "send",
        "receive",
        "copies_out",
        "copies_in",
        "requests",
        "confirmations",
    ])?;
    Ok(Library {
        eager_bytes: amount(section, "eager", &SIZE, 1)?,
        header_bytes: amount(section, "header", &SIZE, 1)?,
        send: count(section, "send", 0..=MOST_CYCLES)?,
        receive: count(section, "receive", 0..=MOST_CYCLES)?,
        copies_out: count(section, "copies_out", 0..=MOST_COPIES)?,
        copies_in: count(section, "copies_in", 0..=MOST_COPIES)?,
        requests: round_trips(section, "requests")?,
        confirmations: round_trips(section, "confirmations")?,
    })
}

fn round_trips(section: &Section, name: &str) -> Result<u32> {
    match count(section, name, 0..=MOST_CONTROL)? {
        found if found % 2 == 0 => Ok(found),
        _ => Err(section.refuse(name, "must be even: control messages go there and back")),
    }
}
