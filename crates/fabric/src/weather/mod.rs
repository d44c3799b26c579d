//! What changes on a fabric while it is up: outages, slow links, filters, hosts that are off.
//!
//! The lab carries it out. A fabric without weather stays as it is described.

mod filter;
mod read;
mod times;

use serde::{Deserialize, Serialize};

pub use filter::{Filter, Protocol};
pub use read::load_weather;
pub(crate) use read::read_weather;
pub use times::{Again, Times};

use crate::quantity::{BitRate, Nanoseconds};

/// All events of one file, and how fast their clock is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Weather {
    /// How many seconds of the events' times pass in a second: at 1440 a day takes a minute.
    pub speed: f64,
    pub events: Vec<Event>,
}

impl Default for Weather {
    fn default() -> Self {
        Self {
            speed: 1.0,
            events: Vec::new(),
        }
    }
}

impl Weather {
    /// Whether nothing ever changes.
    pub fn is_none(&self) -> bool {
        self.events.is_empty()
    }
}

/// What changes where, and when.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// What a log calls it.
    pub name: String,
    /// The hosts whose own links change, or which are off.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ids: Vec<String>,
    /// The links that change, each with its two ends.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub between: Vec<[String; 2]>,
    /// Which network of the hosts is meant. The first is 0.
    pub network: u32,
    /// Which direction of the links changes.
    pub direction: Heading,
    pub change: Change,
    pub times: Times,
}

/// Directions of a link: out is away from the host, or from the first of two ends to the second.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Heading {
    Both,
    Out,
    In,
}

/// What is different while an event lasts; what is absent stays as it was.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Change {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate_bits_per_s: Option<BitRate>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delay_ns: Option<Nanoseconds>,
    /// At most so much is added to the delay of each frame, by chance; frames keep their order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jitter_ns: Option<Nanoseconds>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loss_ppm: Option<u32>,
    /// The share of the rate that full frames of others take, which arrive by chance.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub load_ppm: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drops_above_bytes: Option<u32>,
    /// Frames that match one of these are lost.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub blocks: Vec<Filter>,
    /// The links take everything and deliver nothing.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub dead: bool,
    /// The hosts' interfaces have no carrier.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unplugged: bool,
    /// The hosts' processes are killed, and none can be started until the event is over.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub off: bool,
}

impl Change {
    /// Whether it is about links and not only about hosts.
    pub fn changes_links(&self) -> bool {
        let hosts_only = Self {
            unplugged: self.unplugged,
            off: self.off,
            ..Self::default()
        };
        *self != hosts_only
    }

    /// The names of the keys that are set, such as `rate+delay`.
    fn keys(&self) -> String {
        let set = [
            ("rate", self.rate_bits_per_s.is_some()),
            ("delay", self.delay_ns.is_some()),
            ("jitter", self.jitter_ns.is_some()),
            ("loss", self.loss_ppm.is_some()),
            ("load", self.load_ppm.is_some()),
            ("drops_above_bytes", self.drops_above_bytes.is_some()),
            ("blocks", !self.blocks.is_empty()),
            ("dead", self.dead),
            ("unplugged", self.unplugged),
            ("off", self.off),
        ];
        let set = set.iter().filter(|(_, is_set)| *is_set);
        set.map(|(key, _)| *key).collect::<Vec<_>>().join("+")
    }
}
