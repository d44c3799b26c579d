//! High-performance Linpack as a program: what each process computes, sends and receives, as HPL 2.x does it (A. Petitet,
//! R. C. Whaley, J. Dongarra and A. Cleary, "HPL", www.netlib.org/benchmark/hpl; names such as HPL_pdlaswp00T are files of
//! its source).
//!
//! Where the matrix is decides how many rows and bytes each process has. What depends on its numbers, the pivots, is what
//! a random matrix has on average.

mod amount;
mod broadcast;
mod exchange;
mod layout;
mod line;
mod skeleton;
mod solve;
mod swap;
#[cfg(test)]
mod tests;
mod work;

use serde::{Deserialize, Serialize};

use crate::ensemble::{Compute, Ensemble, Wrong, read_compute, read_rendezvous};
use crate::error::Result;
use crate::limits::MOST_NODES;
use crate::phase::Transfer;
use crate::positions;
use crate::program::{Program, check_amount};
use crate::reading::{Quantity, Section};

pub use broadcast::Broadcast;
use broadcast::SHORT_NAMES;
pub use layout::Grid;
use skeleton::Problem;
pub use swap::Swap;
use work::Rates;

/// The keys of a step that are its own.
pub(crate) const KEYS: [&str; 18] = [
    "nodes",
    "rendezvous",
    "n",
    "time",
    "nb",
    "grid",
    "bcast",
    "depth",
    "swap",
    "threshold",
    "pfact",
    "nbmin",
    "ndiv",
    "pivots",
    "dgemm",
    "panel",
    "program",
    "compute",
];
const MOST_N: u32 = 100_000_000;
const MOST_NB: u32 = 8192;
const DEFAULT_NB: u32 = 128;
/// Where nothing limits the problem, as in a simulation.
const DEFAULT_N: u32 = 10_000;
const DEFAULT_BUDGET_NS: u64 = 60_000_000_000;
const DEFAULT_THRESHOLD: u32 = 64;

/// How fast a process computes.
const FLOPS: Quantity = Quantity {
    noun: "speed",
    example: "20 GFlop/s",
    smallest: "floating-point operations per second",
    units: &[
        ("MFlop/s", 1_000_000),
        ("GFlop/s", 1_000_000_000),
        ("TFlop/s", 1_000_000_000_000),
    ],
};

json_enum! {
    /// In which way a part of a panel is factorised.
    pub enum Factor {
        Left = "left",
        Crout = "crout",
        Right = "right",
    }
}

/// A system of linear equations that processes on some nodes solve together, one on each.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hpl {
    /// The testbed's first, as many as the grid has processes, where absent.
    pub nodes: Option<Vec<u32>>,
    /// Of a program that is not the real one: longer messages wait for their receive.
    pub rendezvous_bytes: u64,
    /// Unknowns.
    pub n: u32,
    /// Columns of a block.
    pub nb: u32,
    /// The squarest of all nodes where absent.
    pub grid: Option<Grid>,
    pub bcast: Broadcast,
    /// Panels of look-ahead.
    pub depth: u32,
    pub swap: Swap,
    pub threshold: u32,
    pub pfact: Factor,
    pub nbmin: u32,
    pub ndiv: u32,
    /// So many columns of a panel seek their pivots at once; HPL's own way is one.
    pub pivots: u32,
    /// Of a process; measured where absent.
    pub dgemm_flops: Option<u64>,
    pub panel_flops: Option<u64>,
    /// How agents compute; the testbed decides where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compute: Option<Compute>,
    /// What runs where it is the real one: xhpl, hpcc, or a path; whichever there is where absent.
    pub program: Option<String>,
    /// Where the plan leaves `n` open: what all launches together may take, by which nodes that compute choose it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget_ns: Option<u64>,
}

impl Hpl {
    pub(crate) fn read(step: &Section) -> Result<Self> {
        let given = step.count("n", 1..=MOST_N)?;
        if given.is_some() {
            step.only_for("time", "a step that leaves `n` open")?;
        }
        let budget_ns = step.time("time")?.unwrap_or(DEFAULT_BUDGET_NS);
        let n = given.unwrap_or(DEFAULT_N);
        let nb = step.count("nb", 1..=MOST_NB)?.unwrap_or(DEFAULT_NB);
        let threshold = step.count("threshold", 0..=MOST_N)?;
        Ok(Self {
            nodes: positions::read_nodes(step)?,
            rendezvous_bytes: read_rendezvous(step)?,
            n,
            budget_ns: given.is_none().then_some(budget_ns),
            nb: nb.min(n),
            grid: step.parsed("grid", Grid::parse)?,
            bcast: step
                .choice("bcast", &[Broadcast::NAMED, SHORT_NAMES].concat())?
                .unwrap_or(Broadcast::RingModified),
            depth: step.count("depth", 0..=1)?.unwrap_or(0),
            swap: step.choice("swap", &Swap::NAMED)?.unwrap_or(Swap::Mix),
            threshold: threshold.unwrap_or(DEFAULT_THRESHOLD),
            pfact: step
                .choice("pfact", &Factor::NAMED)?
                .unwrap_or(Factor::Right),
            nbmin: step.count("nbmin", 1..=MOST_NB)?.unwrap_or(4),
            ndiv: step.count("ndiv", 2..=64)?.unwrap_or(2),
            pivots: step.count("pivots", 1..=MOST_NB)?.unwrap_or(1),
            dgemm_flops: step.quantity("dgemm", &FLOPS, 1)?,
            panel_flops: step.quantity("panel", &FLOPS, 1)?,
            compute: read_compute(step)?,
            program: step.text("program")?.map(str::to_owned),
        })
    }

    /// Bytes of the matrix with its right side, over all nodes.
    pub fn bytes(&self) -> u64 {
        8 * u64::from(self.n) * (u64::from(self.n) + 1)
    }

    /// The grid over so many nodes; the error says which fit.
    pub fn grid_of(&self, testbed_nodes: u32) -> Result<Grid, String> {
        let have = self
            .nodes
            .as_ref()
            .map_or(testbed_nodes, |nodes| nodes.len() as u32);
        let grid = self.grid.unwrap_or_else(|| Grid::squarest(have));
        let is_exact = self.nodes.is_none() || grid.ranks() == have;
        if grid.ranks() <= have && is_exact {
            return Ok(grid);
        }
        Err(format!(
            "grid {grid} has {} processes, and there are {have} nodes for them; of {have} these fit: {}",
            u64::from(grid.rows) * u64::from(grid.columns),
            fitting(have)
        ))
    }

    /// The nodes of the grid's processes, in their order.
    pub fn members(&self, testbed_nodes: u32) -> Result<Vec<u32>, String> {
        let ranks = self.grid_of(testbed_nodes)?.ranks();
        Ok(self.nodes.clone().unwrap_or_else(|| (0..ranks).collect()))
    }

    /// Refuses a grid that does not fit, and a program that would be too large.
    pub fn check_program(&self, testbed_nodes: u32) -> Result<(), String> {
        let problem = self.problem(testbed_nodes)?;
        let operations = amount::operations(&problem);
        check_amount(problem.grid.ranks().into(), operations).map_err(|why| {
            format!("{why}, a larger nb, swap = \"binary-exchange\", or `pivots` = 8, so many of which are sought at once")
        })
    }

    /// What each process does. The error says what is missing, or how large it would be.
    pub fn program(&self, testbed_nodes: u32) -> Result<Program, String> {
        self.check_program(testbed_nodes)?;
        let problem = self.problem(testbed_nodes)?;
        let (Some(dgemm), Some(panel)) = (self.dgemm_flops, self.panel_flops) else {
            return Err(
                "how fast a node computes is not known: give `dgemm` and `panel`".to_owned(),
            );
        };
        Ok(skeleton::program(problem, Rates { dgemm, panel }))
    }

    fn problem(&self, testbed_nodes: u32) -> Result<Problem, String> {
        Ok(Problem {
            n: self.n.into(),
            block: self.nb.into(),
            grid: self.grid_of(testbed_nodes)?,
            broadcast: self.bcast,
            looks_ahead: self.depth > 0,
            swap: self.swap,
            swap_threshold: self.threshold.into(),
            pivots: self.pivots.into(),
        })
    }
}

/// All grids of so many processes, or, where that is a prime, of the most that have others than a line.
fn fitting(nodes: u32) -> String {
    let of = |ranks: u32| {
        let rows = (1..=ranks.isqrt()).filter(move |rows| ranks % rows == 0);
        rows.map(move |rows| Grid {
            rows,
            columns: ranks / rows,
        })
    };
    let grids: Vec<_> = of(nodes).map(|grid| grid.to_string()).collect();
    if grids.len() > 1 || nodes < 5 {
        return grids.join(", ");
    }
    let fewer: Vec<_> = of(nodes - 1).map(|grid| grid.to_string()).collect();
    format!(
        "{}, and without the last node {}",
        grids.join(", "),
        fewer.join(", ")
    )
}

/// Its messages depend on each other, so that none of them are a set that begins at once: phases have no transfers.
impl Ensemble for Hpl {
    fn nodes(&self) -> Option<&[u32]> {
        self.nodes.as_deref()
    }

    fn least(&self) -> usize {
        1
    }

    fn check(&self) -> Result<(), Wrong> {
        let Some(grid) = self.grid else {
            return Ok(());
        };
        if u64::from(grid.rows) * u64::from(grid.columns) > MOST_NODES.into() {
            return Err(("grid", format!("has at most {MOST_NODES} processes")));
        }
        match &self.nodes {
            Some(nodes) => self
                .grid_of(nodes.len() as u32)
                .map(drop)
                .map_err(|why| ("grid", why)),
            None => Ok(()),
        }
    }

    fn rounds(&self, _members: &[u32], _bytes: u64) -> Vec<Vec<Transfer>> {
        vec![Vec::new()]
    }
}
