//! Collectives: what all nodes do together, each in one of several ways.
//!
//! An algorithm is a list of rounds, each a set of moves of *slots*, of which every node has one for each node. What slots
//! hold when all has moved is checked in the tests, by the names of contributions. A program is made of the same moves.

mod algorithm;
mod alltoall;
mod bcast;
mod contents;
mod gather;
mod moves;
mod reduce;
mod script;
#[cfg(test)]
mod symbolic;
mod ways;

use serde::{Deserialize, Serialize};

use crate::ensemble::{Ensemble, Wrong, greatest_common_divisor};
use crate::error::Result;
use crate::phase::Transfer;
use crate::positions;
use crate::program::{Program, Repeated, Rounds, check_amount};
use crate::reading::{SPAN, Section};

pub use algorithm::{Algorithm, Operation};
pub use contents::Stretch;
use moves::Messages;
pub use script::{Piece, Script, WrongByte};
pub use ways::Ways;

/// The keys of a step that are its own.
pub(crate) const KEYS: [&str; 7] = [
    "nodes",
    "operation",
    "algorithms",
    "group",
    "rendezvous",
    "reduce",
    "trials",
];

const DEFAULT_GROUP: u32 = 8;
const MOST_GROUP: u32 = 1 << 16;

/// One operation in some ways.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Collective {
    /// All of the testbed's where absent.
    pub nodes: Option<Vec<u32>>,
    /// Longer messages wait for their receive.
    pub rendezvous_bytes: u64,
    pub operation: Operation,
    /// Those that there are for so many nodes where none is named.
    pub algorithms: Vec<Algorithm>,
    /// What adding a byte to another takes where it is simulated; nothing where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reduce_ps: Option<u64>,
    /// Of the hierarchical algorithm: so many nodes, one behind the other, are near each other.
    pub group: u32,
}

impl Collective {
    pub(crate) fn read(step: &Section) -> Result<Self> {
        let operation = step.required_choice("operation", &Operation::NAMED)?;
        Ok(Self {
            nodes: positions::read_nodes(step)?,
            operation,
            algorithms: read_algorithms(step, operation)?,
            reduce_ps: step.quantity("reduce", &SPAN, 1)?,
            group: step
                .count("group", 1..=MOST_GROUP)?
                .unwrap_or(DEFAULT_GROUP),
            rendezvous_bytes: crate::ensemble::read_rendezvous(step)?,
        })
    }

    /// One of all nodes, in the ways that there are.
    pub fn of(operation: Operation) -> Self {
        Self {
            nodes: None,
            rendezvous_bytes: 0,
            operation,
            algorithms: Vec::new(),
            reduce_ps: None,
            group: DEFAULT_GROUP,
        }
    }

    /// The ways in which so many nodes go through it, in the order of its phases at a size.
    pub fn ways(&self, members: usize) -> Vec<Algorithm> {
        let named = match self.algorithms.is_empty() {
            true => &[Algorithm::All],
            false => &self.algorithms[..],
        };
        let mut ways = Vec::new();
        for one in named.iter().flat_map(|one| self.meant(one)) {
            if !ways.contains(one) && self.check_fits(*one, members).is_ok() {
                ways.push(*one);
            }
        }
        ways
    }

    fn meant<'a>(&self, named: &'a Algorithm) -> &'a [Algorithm] {
        match named {
            Algorithm::All => self.operation.algorithms(),
            one => std::slice::from_ref(one),
        }
    }

    /// Over an MPI its library's own way is beside all others, unless the step says which.
    pub(crate) fn add_library(&mut self) {
        if self.algorithms.is_empty() {
            self.algorithms = vec![Algorithm::All, Algorithm::Library];
        }
    }

    /// Whether an MPI library takes part.
    pub(crate) fn has_library(&self) -> bool {
        self.algorithms.contains(&Algorithm::Library)
    }

    /// In which way, and with how many bytes, so many nodes go through a phase of a step of these sizes.
    pub fn way_of(
        &self,
        phase: u32,
        sizes: &[u64],
        nodes: usize,
    ) -> Result<(Algorithm, u64), String> {
        self.check_named(nodes)?;
        let ways = self.ways(nodes);
        let size = sizes.get(phase as usize / ways.len());
        let bytes = size.ok_or_else(|| format!("there is no phase {phase}"))?;
        Ok((ways[phase as usize % ways.len()], *bytes))
    }

    /// What each of so many nodes does for a buffer of so many bytes. The error says how large it would be.
    pub fn program(&self, algorithm: Algorithm, nodes: u32, bytes: u64) -> Result<Program, String> {
        self.check_known(algorithm)?;
        let messages = self.messages(algorithm, nodes.into());
        check_amount(nodes.into(), messages.saturating_mul(2))?;
        let mut messages = Messages::of_first(nodes, nodes, bytes, self.reduce_ps);
        self.move_all(algorithm, &mut messages);
        Ok(messages.end())
    }

    /// The same; the error says also where there is no such way for so many.
    pub fn program_in(
        &self,
        algorithm: Algorithm,
        nodes: u32,
        bytes: u64,
    ) -> Result<Program, String> {
        self.check_fits(algorithm, nodes as usize)?;
        self.program(algorithm, nodes, bytes)
    }

    /// Refuses so many nodes where one of the algorithms that are named is not for as many.
    pub fn check_named(&self, nodes: usize) -> Result<(), String> {
        let mut named = self.algorithms.iter();
        named.try_for_each(|one| self.check_fits(*one, nodes))
    }

    /// Refuses an algorithm that there is not for so many nodes.
    pub(crate) fn check_fits(&self, algorithm: Algorithm, nodes: usize) -> Result<(), String> {
        match self.operation.needs(algorithm) {
            Some(need) if !need.is_met(nodes) => Err(format!(
                "{} of {} needs {}, not {nodes}",
                algorithm.name(),
                self.operation.name(),
                need.name()
            )),
            _ => Ok(()),
        }
    }

    /// What only a library knows cannot be told message by message.
    pub(super) fn check_known(&self, algorithm: Algorithm) -> Result<(), String> {
        match algorithm {
            Algorithm::Library => Err(format!(
                "how an MPI library does {} is known to it alone; it is measured, not simulated",
                self.operation.name()
            )),
            _ => Ok(()),
        }
    }

    /// The same by the first nodes, after which it repeats, where that spares many.
    pub fn repeated(
        &self,
        algorithm: Algorithm,
        nodes: u32,
        bytes: u64,
    ) -> Result<Repeated<'static>, String> {
        self.check_known(algorithm)?;
        let first = self.period(algorithm, nodes, bytes);
        let messages = self.messages(algorithm, nodes.into());
        check_amount(nodes.into(), messages.saturating_mul(2))?;
        let mut messages = Messages::of_first(first, nodes, bytes, self.reduce_ps);
        self.move_all(algorithm, &mut messages);
        let mut own = messages.end().nodes;
        own.truncate(first as usize);
        Ok(Repeated {
            nodes: own.into(),
            ranks: nodes as usize,
        })
    }

    /// After how many nodes an algorithm repeats that has a message for each two of them: slots are of one size after
    /// so many again.
    fn period(&self, algorithm: Algorithm, nodes: u32, bytes: u64) -> u32 {
        match (self.operation, algorithm) {
            (Operation::Alltoall, Algorithm::Pairwise | Algorithm::Linear) => 1,
            (_, Algorithm::Ring | Algorithm::Pairwise) => {
                let left = (bytes % u64::from(nodes)) as usize;
                nodes / greatest_common_divisor(nodes as usize, left) as u32
            }
            _ => nodes,
        }
    }

    /// Lets an algorithm make its moves.
    fn move_all(&self, algorithm: Algorithm, to: &mut dyn moves::Mover) {
        use Algorithm::{
            Binomial, Bruck, Chain, Hierarchical, Linear, NeighborExchange, Pairwise, Rabenseifner,
            RecursiveDoubling, RecursiveHalving, ScatterAllgather,
        };
        match (self.operation, algorithm) {
            (Operation::Allreduce, RecursiveDoubling) => reduce::doubling(to),
            (Operation::Allreduce, Rabenseifner) => reduce::rabenseifner(to),
            (Operation::Allreduce, Binomial) => reduce::binomial(to),
            (Operation::Allreduce, Hierarchical) => reduce::hierarchical(to, self.group),
            (Operation::Allreduce, _) => {
                reduce::scatter_ring(to);
                gather::ring(to);
            }
            (Operation::ReduceScatter, RecursiveHalving) => reduce::halving(to),
            (Operation::ReduceScatter, Pairwise) => reduce::pairwise(to),
            (Operation::ReduceScatter, _) => reduce::scatter_ring(to),
            (Operation::Allgather, RecursiveDoubling) => gather::doubling(to),
            (Operation::Allgather, Bruck) => gather::bruck(to),
            (Operation::Allgather, NeighborExchange) => gather::neighbors(to),
            (Operation::Allgather, _) => gather::ring(to),
            (Operation::Alltoall, Bruck) => alltoall::bruck(to),
            (Operation::Alltoall, Linear) => alltoall::linear(to),
            (Operation::Alltoall, _) => alltoall::pairwise(to),
            (Operation::Bcast, ScatterAllgather) => bcast::scatter_allgather(to),
            (Operation::Bcast, Chain) => bcast::chain(to),
            (Operation::Bcast, _) => bcast::binomial(to),
        }
    }

    /// No fewer than there are.
    fn messages(&self, algorithm: Algorithm, members: u64) -> u64 {
        let all = members.saturating_mul(members);
        match algorithm {
            Algorithm::Ring | Algorithm::ScatterAllgather => all.saturating_mul(2),
            Algorithm::Pairwise
            | Algorithm::Linear
            | Algorithm::Chain
            | Algorithm::NeighborExchange => all,
            _ => members.saturating_mul(2 * u64::from(members.ilog2()) + 4),
        }
    }
}

/// What so many nodes do that wait for each other.
pub fn barrier(nodes: u32) -> Program {
    let mut rounds = Rounds::new(nodes as usize);
    rounds.add_barrier(&(0..nodes).collect::<Vec<_>>());
    rounds.end()
}

fn read_algorithms(step: &Section, operation: Operation) -> Result<Vec<Algorithm>> {
    let own = operation.algorithms();
    let known = [own, &[Algorithm::All, Algorithm::Library]].concat();
    let right = || {
        let names: Vec<_> = known.iter().map(|one| one.name()).collect();
        format!("of {}: {}", operation.name(), names.join(", "))
    };
    let mut found = Vec::new();
    if step.get("algorithms").is_none() {
        return Ok(found);
    }
    for text in step.texts("algorithms")? {
        let named = known.iter().find(|one| one.name() == text);
        let named = named.ok_or_else(|| step.refuse("algorithms", right()))?;
        if !found.contains(named) {
            found.push(*named);
        }
    }
    Ok(found)
}

/// Its messages depend on each other, so that none of them are a set that begins at once: phases have no transfers.
impl Ensemble for Collective {
    fn nodes(&self) -> Option<&[u32]> {
        self.nodes.as_deref()
    }

    fn check(&self) -> Result<(), Wrong> {
        let nodes = self.nodes.as_ref().map(Vec::len);
        let fits = nodes.map_or(Ok(()), |nodes| self.check_named(nodes));
        fits.map_err(|right| ("algorithms", right))
    }

    fn rounds(&self, members: &[u32], _bytes: u64) -> Vec<Vec<Transfer>> {
        vec![Vec::new(); self.ways(members.len()).len()]
    }
}
