//! How a step's pattern is read: which there are, and the keys of each.

use super::{Grain, Pattern};
use crate::collective::{self, Collective};
use crate::ensemble::{
    self, AllToAll, Cast, Halo, Health, Matrix, Pairs, Paths, Random, Replay, Ring, Streams,
    Traffic, Xray,
};
use crate::error::Result;
use crate::hpl::{self, Hpl};
use crate::interference::{self, Interference};
use crate::multipair::{self, MultiPair};
use crate::pattern::network;
use crate::reading::{Axis, Section};
use crate::webserver::{self, Webserver};

const DEFAULT_WINDOW: u32 = 64;
const MOST_WINDOW: u32 = 1 << 20;
const GAMMA: Axis = Axis {
    example: "\"0:3.5:0.25\"",
    least: 0.0,
    most: 1e12,
    is_whole: false,
    intervals: 50.0,
};

/// A pattern's name in a plan, the keys of a step that are its own, and how they are read.
struct Kind {
    name: &'static str,
    keys: &'static [&'static str],
    read: fn(&Section) -> Result<Pattern>,
}

const KINDS: [Kind; 21] = [
    Kind {
        name: "pingpong",
        keys: &[],
        read: |_| Ok(Pattern::Pingpong),
    },
    Kind {
        name: "stream",
        keys: &["window", "gamma", "compute"],
        read: read_stream,
    },
    Kind {
        name: "exchange",
        keys: &["window"],
        read: |step| {
            Ok(Pattern::Exchange {
                window: read_window(step)?,
            })
        },
    },
    Kind {
        name: "multipair",
        keys: &multipair::KEYS,
        read: |step| MultiPair::read(step).map(Pattern::MultiPair),
    },
    Kind {
        name: "pairs",
        keys: &["nodes", network::KEY, "stride", "from", "to", "duplex"],
        read: |step| Pairs::read(step).map(Pattern::Pairs),
    },
    Kind {
        name: "alltoall",
        keys: &["nodes", network::KEY, "mode"],
        read: |step| AllToAll::read(step).map(Pattern::AllToAll),
    },
    Kind {
        name: "matrix",
        keys: &["nodes", network::KEY, "measure", "duplex", "rounds"],
        read: |step| Matrix::read(step).map(Pattern::Matrix),
    },
    Kind {
        name: "streams",
        keys: &[
            "nodes",
            "senders",
            "receivers",
            "streams_per_sender",
            "sweep",
            network::KEY,
        ],
        read: |step| Streams::read(step).map(Pattern::Streams),
    },
    Kind {
        name: "cast",
        keys: &[
            "nodes",
            "chunk",
            "networks",
            "sweep",
            "file",
            "to",
            "overwrite",
            "compress",
        ],
        read: |step| Cast::read(step).map(Pattern::Cast),
    },
    Kind {
        name: "ring",
        keys: &["nodes", network::KEY],
        read: |step| Ring::read(step).map(Pattern::Ring),
    },
    Kind {
        name: "random",
        keys: &["nodes", network::KEY, "permutations", "seed", "shape"],
        read: |step| Random::read(step).map(Pattern::Random),
    },
    Kind {
        name: "xray",
        keys: &["nodes", network::KEY, "time", "quick"],
        read: |step| Xray::read(step).map(Pattern::Xray),
    },
    Kind {
        name: "paths",
        keys: &["nodes", network::KEY, "time", "ports"],
        read: |step| Paths::read(step).map(Pattern::Paths),
    },
    Kind {
        name: "health",
        keys: &["nodes", network::KEY, "time"],
        read: |step| Health::read(step).map(Pattern::Health),
    },
    Kind {
        name: "program",
        keys: &[
            "nodes",
            "trace",
            "rendezvous",
            "compute",
            "trials",
            "groups",
            "algorithms",
        ],
        read: |step| Replay::read(step).map(Pattern::Program),
    },
    Kind {
        name: "halo",
        keys: &ensemble::HALO_KEYS,
        read: |step| Halo::read(step).map(Pattern::Halo),
    },
    Kind {
        name: "collective",
        keys: &collective::KEYS,
        read: |step| Collective::read(step).map(Pattern::Collective),
    },
    Kind {
        name: "traffic",
        keys: &ensemble::TRAFFIC_KEYS,
        read: |step| Traffic::read(step).map(Pattern::Traffic),
    },
    Kind {
        name: "hpl",
        keys: &hpl::KEYS,
        read: |step| Hpl::read(step).map(Pattern::Hpl),
    },
    Kind {
        name: "interference",
        keys: &interference::KEYS,
        read: |step| Interference::read(step).map(Pattern::Interference),
    },
    Kind {
        name: "webserver",
        keys: &webserver::KEYS,
        read: |step| Webserver::read(step).map(Pattern::Webserver),
    },
];

impl Pattern {
    /// Reads the `pattern` of a step, whose keys must be the pattern's own or `common` to all.
    pub(crate) fn read(step: &Section, common: &[&str]) -> Result<Self> {
        let kind = read_kind(step)?;
        refuse_keys_of_others(step, kind)?;
        step.check_keys(&[common, kind.keys].concat())?;
        let pattern = (kind.read)(step)?;
        match pattern.ensemble().map(ensemble::check) {
            Some(Err((key, right))) => Err(step.refuse(key, right)),
            _ => Ok(pattern),
        }
    }
}

fn read_kind(step: &Section) -> Result<&'static Kind> {
    let named = KINDS.each_ref().map(|kind| (kind.name, kind));
    step.required_choice("pattern", &named)
}

fn refuse_keys_of_others(step: &Section, kind: &Kind) -> Result<()> {
    let keys = KINDS.iter().flat_map(|kind| kind.keys);
    keys.filter(|key| !kind.keys.contains(key))
        .try_for_each(|key| step.only_for(key, &owners(key)))
}

/// `pattern = "pairs" or "matrix"`
fn owners(key: &str) -> String {
    let owners = KINDS.iter().filter(|kind| kind.keys.contains(&key));
    let names: Vec<String> = owners.map(|kind| format!("{:?}", kind.name)).collect();
    format!("pattern = {}", names.join(" or "))
}

fn read_window(step: &Section) -> Result<u32> {
    let window = step.count("window", 1..=MOST_WINDOW)?;
    Ok(window.unwrap_or(DEFAULT_WINDOW))
}

fn read_stream(step: &Section) -> Result<Pattern> {
    let gamma = GAMMA.read(step, "gamma")?.unwrap_or_default();
    if gamma.is_empty() {
        step.only_for("compute", "a stream with `gamma`")?;
    }
    Ok(Pattern::Stream {
        window: read_window(step)?,
        gamma,
        compute: step.choice("compute", &Grain::NAMED)?.unwrap_or_default(),
    })
}
