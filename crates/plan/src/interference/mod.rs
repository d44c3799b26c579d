//! Interference: a victim alone, and beside congestors on other nodes of the same network.
//!
//! The method is that of GPCNeT (S. Chunduri et al., "GPCNeT: Designing a Benchmark Suite for Inducing and Measuring
//! Contention in HPC Networks", SC 2019), but that congestors may come one after the other, each compared with the victim
//! alone.

mod congestor;
mod program;
mod roles;
mod victim;

use serde::{Deserialize, Serialize};

use crate::collective::Algorithm;
use crate::ensemble::{Ensemble, Wrong, read_rendezvous};
use crate::error::Result;
use crate::phase::Transfer;
use crate::positions;
use crate::reading::Section;

pub use congestor::Congestor;
pub use roles::{Placement, Roles};
pub use victim::Victim;

/// The keys of a step that are its own.
pub(crate) const KEYS: [&str; 12] = [
    "nodes",
    "victim",
    "algorithm",
    "congestors",
    "share",
    "placement",
    "seed",
    "repeats",
    "rounds",
    "congestor_size",
    "messages",
    "rendezvous",
];

/// Each side needs two.
const LEAST_NODES: usize = 4;
const DEFAULT_SHARE: f64 = 0.5;
const DEFAULT_SEED: u32 = 1;
const DEFAULT_REPEATS: u32 = 20;
const MOST_REPEATS: u32 = 10_000;
const DEFAULT_ROUNDS: u32 = 2;
const MOST_ROUNDS: u32 = 100;
const DEFAULT_MESSAGES: u32 = 1_000;
const MOST_MESSAGES: u32 = 1_000_000;
const LEAST_CONGESTOR_BYTES: u64 = 256 << 10;

/// The phases of a size are rounds, in each of which the victim is alone once and beside each congestor once.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Interference {
    /// All of the testbed's where absent.
    pub nodes: Option<Vec<u32>>,
    /// Longer messages wait for their receive.
    pub rendezvous_bytes: u64,
    pub victim: Victim,
    /// How a victim goes that is a collective; its first that suits the number of nodes where absent.
    pub algorithm: Option<Algorithm>,
    pub congestors: Vec<Congestor>,
    /// Of the nodes, those of the victim.
    pub share: f64,
    pub placement: Placement,
    pub seed: u32,
    /// How often the victim is timed in a phase.
    pub repeats: u32,
    pub rounds: u32,
    /// Of a congestor's message; 256 KiB, or the victim's size where that is more, where absent.
    pub congestor_bytes: Option<u64>,
    /// A congestor's node sends at most so many, and none once the victim has ended.
    pub messages: u32,
}

impl Interference {
    pub(crate) fn read(step: &Section) -> Result<Self> {
        let victim = Victim::read(step)?;
        Ok(Self {
            nodes: positions::read_nodes(step)?,
            rendezvous_bytes: read_rendezvous(step)?,
            victim,
            algorithm: victim.read_algorithm(step)?,
            congestors: Congestor::read(step)?,
            share: match step.get("share") {
                None => DEFAULT_SHARE,
                Some(_) => step.number("share", 1.0)?,
            },
            placement: Placement::read(step)?,
            seed: step.count("seed", 0..=u32::MAX)?.unwrap_or(DEFAULT_SEED),
            repeats: step
                .count("repeats", 1..=MOST_REPEATS)?
                .unwrap_or(DEFAULT_REPEATS),
            rounds: step
                .count("rounds", 1..=MOST_ROUNDS)?
                .unwrap_or(DEFAULT_ROUNDS),
            congestor_bytes: step.size("congestor_size")?,
            messages: step
                .count("messages", 1..=MOST_MESSAGES)?
                .unwrap_or(DEFAULT_MESSAGES),
        })
    }

    /// How many bytes the victim has in a phase of a step of these sizes, and what is beside it. Every second round goes
    /// the other way, so that what drifts falls on none.
    pub fn trial(&self, phase: u32, sizes: &[u64]) -> Result<(u64, Option<Congestor>), String> {
        let (phase, each) = (phase as usize, 1 + self.congestors.len());
        let size = sizes.get(phase / (each * self.rounds as usize));
        let bytes = size.ok_or_else(|| format!("there is no phase {phase}"))?;
        let place = match phase / each % self.rounds as usize % 2 {
            0 => phase % each,
            _ => each - 1 - phase % each,
        };
        Ok((*bytes, place.checked_sub(1).map(|at| self.congestors[at])))
    }

    /// Which of so many nodes are the victim's, and which the congestor's.
    pub fn roles(&self, nodes: usize) -> Roles {
        self.placement.divide(nodes, self.share, self.seed)
    }

    fn congestor_bytes(&self, victim_bytes: u64) -> u64 {
        let usual = victim_bytes.max(LEAST_CONGESTOR_BYTES);
        self.congestor_bytes.unwrap_or(usual)
    }
}

/// Its messages depend on each other, so that none of them are a set that begins at once: phases have no transfers.
impl Ensemble for Interference {
    fn nodes(&self) -> Option<&[u32]> {
        self.nodes.as_deref()
    }

    fn least(&self) -> usize {
        LEAST_NODES
    }

    fn check(&self) -> Result<(), Wrong> {
        match &self.nodes {
            Some(nodes) if nodes.len() >= LEAST_NODES => {
                self.fits(nodes.len()).map_err(|why| ("share", why))
            }
            _ => Ok(()),
        }
    }

    fn fits(&self, members: usize) -> Result<(), String> {
        let roles = self.roles(members);
        let (victims, others) = (roles.victims.len(), roles.congestors.len());
        if victims.min(others) < 2 {
            return Err(format!(
                "share = {} of {members} nodes leaves {victims} to the victim and {others} to the congestors; each needs two",
                self.share
            ));
        }
        self.victim.check_algorithm(self.algorithm, victims as u32)
    }

    fn rounds(&self, _members: &[u32], _bytes: u64) -> Vec<Vec<Transfer>> {
        vec![Vec::new(); self.rounds as usize * (1 + self.congestors.len())]
    }
}
