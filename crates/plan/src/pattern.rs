//! Which node sends to which: a pattern expands into phases of transfers.

mod dependent;
pub(crate) mod keys;
pub(crate) mod network;
mod read;

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::collective::Collective;
use crate::ensemble::{
    self, AllToAll, Cast, Ensemble, Halo, Health, Matrix, Measure, Pairs, Paths, Random, Replay,
    Ring, Streams, Traffic, Xray,
};
use crate::hpl::Hpl;
use crate::interference::Interference;
use crate::limits::Reach;
use crate::multipair::{MultiPair, Test};
use crate::phase::{Phase, Transfer, Work};
use crate::webserver::Webserver;

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
    Health(Health),
    Program(Replay),
    Halo(Halo),
    Collective(Collective),
    Traffic(Traffic),
    Hpl(Hpl),
    Interference(Interference),
}

json_enum! {
    /// What an application computes with at once.
    #[derive(Default)]
    pub enum Grain {
        /// What a read gave back, while the rest of the message comes in.
        #[default]
        Read = "read",
        /// A whole message, once it is there.
        Message = "message",
    }
}

impl Grain {
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

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
            Self::Health(_) => "health",
            Self::Program(_) => "program",
            Self::Halo(_) => "halo",
            Self::Collective(_) => "collective",
            Self::Traffic(_) => "traffic",
            Self::Hpl(_) => "hpl",
            Self::Interference(_) => "interference",
        }
    }

    /// Whether it is between two nodes alone, the first and the second.
    pub fn is_pair(&self) -> bool {
        self.ensemble().is_none()
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
            Self::Health(pattern) => Some(pattern),
            Self::Program(pattern) => Some(pattern),
            Self::Halo(pattern) => Some(pattern),
            Self::Collective(pattern) => Some(pattern),
            Self::Traffic(pattern) => Some(pattern),
            Self::Hpl(pattern) => Some(pattern),
            Self::Interference(pattern) => Some(pattern),
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
}
