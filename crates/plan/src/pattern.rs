//! Which node sends to which: a pattern expands into phases of transfers.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::collective::{self, Collective};
use crate::ensemble::{
    self, AllToAll, Cast, Ensemble, Halo, Matrix, Measure, Pairs, Paths, Random, Replay, Ring,
    Streams, Traffic, Xray,
};
use crate::error::Result;
use crate::hpl::{self, Hpl};
use crate::limits::Reach;
use crate::multipair::{self, MultiPair, Test};
use crate::phase::{Phase, Transfer, Work};
use crate::program::Program;
use crate::reading::Axis;
use crate::reading::Section;
use crate::webserver::{self, Webserver};

const DEFAULT_WINDOW: u32 = 64;
const MOST_WINDOW: u32 = 1 << 20;
/// One look at what is short says little.
const SHORT_TRIALS: u32 = 5;
const GAMMA: Axis = Axis {
    example: "\"0:3.5:0.25\"",
    least: 0.0,
    most: 1e12,
    is_whole: false,
    intervals: 50.0,
};

/// A communication pattern.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Pattern {
    /// A message there and the same back.
    Pingpong,
    /// One direction: `window` messages, then one acknowledgement.
    Stream {
        window: u32,
        /// Application work over communication work, for each byte received (the LAWS ratio); empty where none
        /// computes.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        gamma: Vec<f64>,
        /// When it computes.
        #[serde(default, skip_serializing_if = "Grain::is_default")]
        compute: Grain,
    },
    /// Both directions at once: `window` messages each way, then the next.
    Exchange {
        window: u32,
    },
    MultiPair(MultiPair),
    Webserver(Webserver),
    Pairs(Pairs),
    AllToAll(AllToAll),
    Matrix(Matrix),
    Streams(Streams),
    Cast(Cast),
    Ring(Ring),
    Random(Random),
    Xray(Xray),
    Paths(Paths),
    Program(Replay),
    Halo(Halo),
    Collective(Collective),
    Traffic(Traffic),
    Hpl(Hpl),
}

/// What an application computes with at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Grain {
    /// What a read gave back, while the rest of the message comes in.
    #[default]
    Read,
    /// A whole message, once it is there.
    Message,
}

impl Grain {
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

const GRAINS: [(&str, Grain); 2] = [("read", Grain::Read), ("message", Grain::Message)];

/// A pattern's name in a plan, the keys of a step that are its own, and how they are read.
struct Kind {
    name: &'static str,
    keys: &'static [&'static str],
    read: fn(&Section) -> Result<Pattern>,
}

const KINDS: [Kind; 19] = [
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
        keys: &["nodes", "stride", "from", "to", "duplex"],
        read: |step| Pairs::read(step).map(Pattern::Pairs),
    },
    Kind {
        name: "alltoall",
        keys: &["nodes", "mode"],
        read: |step| AllToAll::read(step).map(Pattern::AllToAll),
    },
    Kind {
        name: "matrix",
        keys: &["nodes", "measure", "duplex", "rounds"],
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
        keys: &["nodes"],
        read: |step| Ring::read(step).map(Pattern::Ring),
    },
    Kind {
        name: "random",
        keys: &["nodes", "permutations", "seed", "shape"],
        read: |step| Random::read(step).map(Pattern::Random),
    },
    Kind {
        name: "xray",
        keys: &["nodes", "time", "quick"],
        read: |step| Xray::read(step).map(Pattern::Xray),
    },
    Kind {
        name: "paths",
        keys: &["nodes", "time", "ports"],
        read: |step| Paths::read(step).map(Pattern::Paths),
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
        name: "webserver",
        keys: &webserver::KEYS,
        read: |step| Webserver::read(step).map(Pattern::Webserver),
    },
];

impl Pattern {
    /// The pattern's name in a plan.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Pingpong => "pingpong",
            Self::Stream { .. } => "stream",
            Self::Exchange { .. } => "exchange",
            Self::MultiPair(_) => "multipair",
            Self::Webserver(_) => "webserver",
            Self::Pairs(_) => "pairs",
            Self::AllToAll(_) => "alltoall",
            Self::Matrix(_) => "matrix",
            Self::Streams(_) => "streams",
            Self::Cast(_) => "cast",
            Self::Ring(_) => "ring",
            Self::Random(_) => "random",
            Self::Xray(_) => "xray",
            Self::Paths(_) => "paths",
            Self::Program(_) => "program",
            Self::Halo(_) => "halo",
            Self::Collective(_) => "collective",
            Self::Traffic(_) => "traffic",
            Self::Hpl(_) => "hpl",
        }
    }

    /// Whether it is between two nodes alone, the first and the second.
    pub fn is_pair(&self) -> bool {
        self.ensemble().is_none()
    }

    /// Whether its nodes do one thing after another, as a program says.
    pub fn is_program(&self) -> bool {
        matches!(
            self,
            Self::Program(_)
                | Self::Halo(_)
                | Self::Collective(_)
                | Self::Traffic(_)
                | Self::Hpl(_)
        )
    }

    /// From how many bytes on a message of a program waits for its receive.
    pub fn rendezvous_bytes(&self) -> Option<u64> {
        match self {
            Self::Program(pattern) => pattern.rendezvous_bytes,
            Self::Halo(pattern) => Some(pattern.rendezvous_bytes),
            Self::Collective(pattern) => Some(pattern.rendezvous_bytes),
            Self::Hpl(pattern) => Some(pattern.rendezvous_bytes),
            _ => None,
        }
    }

    /// How often a program is carried out in a launch where nothing is said: a trace once, what is short more often.
    pub(crate) fn usual_trials(&self) -> Option<u32> {
        match self {
            Self::Program(_) => Some(1),
            Self::Collective(_) | Self::Halo(_) => Some(SHORT_TRIALS),
            _ => None,
        }
    }

    /// What each of so many nodes does in a phase of a step of these sizes, where the pattern itself says so.
    pub fn program(
        &self,
        phase: u32,
        sizes: &[u64],
        nodes: usize,
    ) -> Option<Result<Program, String>> {
        match self {
            Self::Collective(pattern) => {
                let way = pattern.way_of(phase, sizes, nodes);
                Some(way.and_then(|(way, bytes)| pattern.program(way, nodes as u32, bytes)))
            }
            Self::Halo(pattern) => {
                let size = sizes.get(phase as usize);
                let bytes = size.ok_or_else(|| format!("there is no phase {phase}"));
                Some(bytes.and_then(|bytes| pattern.program(nodes as u32, *bytes)))
            }
            Self::Hpl(pattern) => Some(pattern.program(nodes as u32)),
            _ => None,
        }
    }

    /// The nodes of a program, rank by rank: those that are named, else all.
    pub fn ranks(&self, testbed_nodes: u32) -> Vec<u32> {
        let named = match self {
            Self::Program(pattern) => pattern.nodes.clone(),
            Self::Collective(pattern) => pattern.nodes.clone(),
            Self::Halo(pattern) => pattern.nodes.clone(),
            _ => None,
        };
        named.unwrap_or_else(|| (0..testbed_nodes).collect())
    }

    /// Whether a row of it times round trips.
    pub(crate) fn is_round_trip(&self) -> bool {
        match self {
            Self::Pingpong => true,
            Self::MultiPair(pattern) => pattern.test == Test::Latency,
            Self::Matrix(pattern) => pattern.measure == Measure::Latency,
            _ => false,
        }
    }

    /// Nodes that a testbed must have when each must be another one.
    pub fn nodes(&self) -> u32 {
        self.ensemble().map_or(2, ensemble::nodes_needed)
    }

    /// The pattern as one between many nodes, if it is.
    pub(crate) fn ensemble(&self) -> Option<&dyn Ensemble> {
        match self {
            Self::Pingpong
            | Self::Stream { .. }
            | Self::Exchange { .. }
            | Self::MultiPair(_)
            | Self::Webserver(_) => None,
            Self::Pairs(pattern) => Some(pattern),
            Self::AllToAll(pattern) => Some(pattern),
            Self::Matrix(pattern) => Some(pattern),
            Self::Streams(pattern) => Some(pattern),
            Self::Cast(pattern) => Some(pattern),
            Self::Ring(pattern) => Some(pattern),
            Self::Random(pattern) => Some(pattern),
            Self::Xray(pattern) => Some(pattern),
            Self::Paths(pattern) => Some(pattern),
            Self::Program(pattern) => Some(pattern),
            Self::Halo(pattern) => Some(pattern),
            Self::Collective(pattern) => Some(pattern),
            Self::Traffic(pattern) => Some(pattern),
            Self::Hpl(pattern) => Some(pattern),
        }
    }

    /// What an application load or the number of users goes through at each size; nothing where there is neither.
    pub fn loads(&self) -> Vec<f64> {
        match self {
            Self::Stream { gamma, .. } => gamma.clone(),
            Self::Webserver(server) => server.users.iter().map(|users| f64::from(*users)).collect(),
            _ => Vec::new(),
        }
    }

    /// The load of a phase, by its position in the step; none where the step has none.
    pub fn load_of(&self, phase: u32) -> Option<f64> {
        let loads = self.loads();
        let index = (phase as usize).checked_rem(loads.len())?;
        loads.get(index).copied()
    }

    /// How many phases there are over a testbed that has enough nodes.
    pub(crate) fn phase_count(
        &self,
        sizes: &[u64],
        nodes: u32,
        reach: Reach,
    ) -> Result<usize, String> {
        match self.ensemble() {
            Some(pattern) => ensemble::phase_count(pattern, sizes, nodes, reach),
            None => Ok(sizes.len() * self.phases_per_size()),
        }
    }

    /// All phases over a testbed that has enough nodes, or why there are none.
    pub(crate) fn phases(
        &self,
        sizes: &[u64],
        nodes: u32,
        reach: Reach,
    ) -> Result<Vec<Phase>, String> {
        match self.ensemble() {
            Some(pattern) => ensemble::phases(pattern, sizes, nodes, reach),
            None => Ok(self.pair_phases(sizes, nodes)),
        }
    }

    /// Some of them.
    pub(crate) fn some_phases(
        &self,
        sizes: &[u64],
        nodes: u32,
        reach: Reach,
        range: Range<usize>,
    ) -> Result<Vec<Phase>, String> {
        match self.ensemble() {
            Some(pattern) => ensemble::some_phases(pattern, sizes, nodes, reach, range),
            None => Ok(self.pair_phases(sizes, nodes).drain(range).collect()),
        }
    }

    fn phases_per_size(&self) -> usize {
        match self {
            Self::MultiPair(pattern) => pattern.arrangement_count(),
            _ => self.loads().len().max(1),
        }
    }

    /// One phase a size, or one for each load at each size; a single node sends to itself.
    fn pair_phases(&self, sizes: &[u64], nodes: u32) -> Vec<Phase> {
        if let Self::MultiPair(pattern) = self {
            return pattern.phases(sizes, nodes);
        }
        let peer = u32::from(nodes > 1);
        let (work, ends) = match self {
            Self::Pingpong | Self::Webserver(_) => (Work::Pingpong, vec![(0, peer), (peer, 0)]),
            Self::Exchange { .. } => (Work::Stream, vec![(0, peer), (peer, 0)]),
            _ => (Work::Stream, vec![(0, peer)]),
        };
        let phase = |(index, size_bytes): (u32, &u64)| Phase {
            index,
            size_bytes: *size_bytes,
            work,
            transfers: ends
                .iter()
                .map(|(src, dst)| Transfer::new(*src, *dst, *size_bytes))
                .collect(),
            arrangement: None,
        };
        let loads = self.loads().len().max(1);
        let each = sizes
            .iter()
            .flat_map(|size| std::iter::repeat_n(size, loads));
        (0..).zip(each).map(phase).collect()
    }

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
    let named = KINDS.each_ref().map(|kind| (kind.name, kind.name));
    let name = step.choice("pattern", &named)?;
    KINDS
        .iter()
        .find(|kind| Some(kind.name) == name)
        .ok_or_else(|| {
            let names = KINDS.each_ref().map(|kind| kind.name).join(", ");
            step.refuse("pattern", format!("give a pattern: {names}"))
        })
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
        compute: step.choice("compute", &GRAINS)?.unwrap_or_default(),
    })
}
