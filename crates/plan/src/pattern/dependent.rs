//! Patterns whose nodes do one thing after another: what each does, and which nodes they are.

use super::Pattern;
use crate::program::{Program, Repeated};

/// One look at what is short says little.
const SHORT_TRIALS: u32 = 5;

impl Pattern {
    /// Whether its nodes do one thing after another, as a program says.
    pub fn is_program(&self) -> bool {
        matches!(
            self,
            Self::Program(_)
                | Self::Halo(_)
                | Self::Collective(_)
                | Self::Traffic(_)
                | Self::Hpl(_)
                | Self::Interference(_)
        )
    }

    /// Whether it is a collective that an MPI library carries out too.
    pub(crate) fn has_library(&self) -> bool {
        matches!(self, Self::Collective(pattern) if pattern.has_library())
    }

    /// From how many bytes on a message of a program waits for its receive.
    pub fn rendezvous_bytes(&self) -> Option<u64> {
        match self {
            Self::Program(pattern) => pattern.rendezvous_bytes,
            Self::Halo(pattern) => Some(pattern.rendezvous_bytes),
            Self::Collective(pattern) => Some(pattern.rendezvous_bytes),
            Self::Hpl(pattern) => Some(pattern.rendezvous_bytes),
            Self::Interference(pattern) => Some(pattern.rendezvous_bytes),
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
            Self::Interference(pattern) => Some(pattern.program(phase, sizes, nodes)),
            _ => None,
        }
    }

    /// The same by the first nodes after which it repeats, where the pattern knows of such.
    pub fn repeated(
        &self,
        phase: u32,
        sizes: &[u64],
        nodes: usize,
    ) -> Option<Result<Repeated<'static>, String>> {
        match self {
            Self::Collective(pattern) => {
                let way = pattern.way_of(phase, sizes, nodes);
                Some(way.and_then(|(way, bytes)| pattern.repeated(way, nodes as u32, bytes)))
            }
            _ => {
                let program = self.program(phase, sizes, nodes)?;
                Some(program.map(Repeated::from))
            }
        }
    }

    /// The nodes of a program, rank by rank: those that are named, else as many as it takes. The error says why it does
    /// not fit so many.
    pub fn ranks(&self, testbed_nodes: u32) -> Result<Vec<u32>, String> {
        if let Self::Hpl(pattern) = self {
            return pattern.members(testbed_nodes);
        }
        let named = self.ensemble().and_then(|pattern| pattern.nodes());
        Ok(named.map_or_else(|| (0..testbed_nodes).collect(), <[u32]>::to_vec))
    }
}
