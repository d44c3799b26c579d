//! What the coordinator asks about settings, and what the agent says to it.

use std::collections::BTreeMap;
use std::io;

use serde::{Deserialize, Serialize};

use super::access::{Access, Values};
use super::entry::{Entry, Restored};

/// A setting to look at.
#[derive(Debug, Deserialize)]
pub struct Question {
    pub name: String,
    pub read: Access,
    pub set: Access,
    /// What lists the values that there are.
    #[serde(default)]
    pub allowed: Option<Access>,
    /// A text that what `read` runs prints of a default, where nothing but the default can be put back.
    #[serde(default)]
    pub default: String,
    /// "" of a host's.
    #[serde(default)]
    pub interface: String,
}

impl Question {
    /// Why it cannot be put back, where it cannot.
    pub fn not_the_default(&self) -> Option<String> {
        let is_default = self.default.is_empty() || self.read.prints(&self.default);
        (!is_default).then(|| "it is configured, and could not be put back".to_owned())
    }
}

#[derive(Debug, Deserialize)]
#[serde(tag = "type")]
pub enum Request {
    /// Say what settings are, and why they cannot be changed where they cannot.
    #[serde(rename = "look_at_knobs")]
    Look {
        knobs: Vec<Question>,
        /// Whether the interface of the login may be changed too.
        anyway: bool,
    },
    /// Change settings, all or none, with the journal of a session.
    #[serde(rename = "set_knobs")]
    Set {
        session: String,
        entries: Vec<Entry>,
        anyway: bool,
    },
    /// Put settings back.
    #[serde(rename = "restore_knobs")]
    Restore {
        session: String,
        entries: Vec<Entry>,
    },
}

/// Whether a message is one of these requests.
pub fn is_request(kind: Option<&str>) -> bool {
    matches!(kind, Some("look_at_knobs" | "set_knobs" | "restore_knobs"))
}

/// Whether a message only says that the coordinator is there.
pub fn is_beat(payload: &[u8]) -> bool {
    payload == br#"{"type":"beat"}"#
}

#[derive(Debug, Serialize)]
#[serde(tag = "type")]
pub enum Reply {
    #[serde(rename = "knobs_seen")]
    Seen {
        /// The kernel's id of this boot, and of the network namespace.
        boot: String,
        namespace: String,
        knobs: Vec<Seen>,
    },
    /// What was read after the change, by name.
    #[serde(rename = "knobs_set")]
    Set { values: BTreeMap<String, Values> },
    #[serde(rename = "knobs_restored")]
    Restored { knobs: Vec<Restored> },
}

/// A setting; `why_not` is empty where it can be changed.
#[derive(Debug, Serialize)]
pub struct Seen {
    pub name: String,
    pub values: Values,
    pub allowed: Values,
    pub why_not: String,
}

/// Why nothing was changed.
#[derive(Debug)]
pub struct Refusal {
    pub code: &'static str,
    pub said: String,
}

impl Refusal {
    pub fn new(code: &'static str, said: &str) -> Refusal {
        Refusal {
            code,
            said: said.to_owned(),
        }
    }
}

impl From<io::Error> for Refusal {
    fn from(error: io::Error) -> Refusal {
        Refusal::new("knob-refused", &error.to_string())
    }
}
