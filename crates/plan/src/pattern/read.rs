//! How a step's pattern is read: which there are, and the keys of each.

use super::{Grain, Pattern};
use crate::ensemble::{
    self, alltoall, cast, halo, health, matrix, pairs, paths, random, replay, ring, streams,
    traffic, xray,
};
use crate::error::Result;
use crate::reading::{Axis, Section};
use crate::{collective, hpl, interference, multipair, webserver};

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
pub(super) struct Kind {
    pub name: &'static str,
    pub keys: &'static [&'static str],
    read: fn(&Section) -> Result<Pattern>,
}

/// A pattern that is a struct, whose module has its keys.
macro_rules! kind {
    ($name:literal, $module:ident, $Variant:ident($Struct:ident)) => {
        Kind {
            name: $name,
            keys: &$module::KEYS,
            read: |step| $module::$Struct::read(step).map(Pattern::$Variant),
        }
    };
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
            let window = read_window(step)?;
            Ok(Pattern::Exchange { window })
        },
    },
    kind!("multipair", multipair, MultiPair(MultiPair)),
    kind!("pairs", pairs, Pairs(Pairs)),
    kind!("alltoall", alltoall, AllToAll(AllToAll)),
    kind!("matrix", matrix, Matrix(Matrix)),
    kind!("streams", streams, Streams(Streams)),
    kind!("cast", cast, Cast(Cast)),
    kind!("ring", ring, Ring(Ring)),
    kind!("random", random, Random(Random)),
    kind!("xray", xray, Xray(Xray)),
    kind!("paths", paths, Paths(Paths)),
    kind!("health", health, Health(Health)),
    kind!("program", replay, Program(Replay)),
    kind!("halo", halo, Halo(Halo)),
    kind!("collective", collective, Collective(Collective)),
    kind!("traffic", traffic, Traffic(Traffic)),
    kind!("hpl", hpl, Hpl(Hpl)),
    kind!("interference", interference, Interference(Interference)),
    kind!("webserver", webserver, Webserver(Webserver)),
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

pub(super) fn read_kind(step: &Section) -> Result<&'static Kind> {
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
