//! A halo exchange: nodes that are the cells of a grid send what is at their borders to their neighbours, as stencil codes
//! do in every step.

use serde::{Deserialize, Serialize};
use toml::Value;

use crate::ensemble::{Compute, Ensemble, Wrong, read_compute, read_rendezvous};
use crate::error::Result;
use crate::phase::Transfer;
use crate::positions;
use crate::program::{Action, Message, Program, Rounds, check_amount};
use crate::reading::{Section, count};

/// The keys of a step that are its own.
pub(crate) const KEYS: [&str; 10] = [
    "nodes",
    "grid",
    "periodic",
    "corners",
    "faces",
    "rounds",
    "work",
    "compute",
    "rendezvous",
    "trials",
];

const MOST_DIMENSIONS: u32 = 3;
const MOST_CELLS: u32 = 4096;
const MOST_ROUNDS: u32 = 10_000;
const MOST_FACTOR: u32 = 1 << 20;
/// A number of a stencil code.
const ELEMENT_BYTES: f64 = 8.0;
const RIGHT_GRID: &str =
    "must be a number of dimensions from 1 to 3, or cells such as \"4x4\" or \"4x2x2\"";

/// Node number x + y X + z X Y is the cell (x, y, z) of a grid of X times Y times Z.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Halo {
    /// All of the testbed's where absent.
    pub nodes: Option<Vec<u32>>,
    /// Longer messages wait for their receive.
    pub rendezvous_bytes: u64,
    pub grid: Grid,
    /// Whether the ends of a dimension are neighbours.
    pub periodic: bool,
    /// Whether cells that touch in an edge or a corner exchange too.
    pub corners: bool,
    /// By dimension: what a face across it has, as a multiple of the step's size; once where absent.
    pub faces: Vec<u32>,
    /// Exchanges, one after the other.
    pub rounds: u32,
    /// What a node computes before each.
    pub work_ns: u64,
    /// How agents compute; the testbed decides where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compute: Option<Compute>,
}

/// The cells of a grid.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Grid {
    /// In so many dimensions, as near to a cube as the nodes allow.
    Dimensions(u32),
    /// So many in each.
    Cells(Vec<u32>),
}

/// A step to a neighbour, by dimension.
type Offset = [i64; MOST_DIMENSIONS as usize];

impl Halo {
    pub(crate) fn read(step: &Section) -> Result<Self> {
        let grid = step
            .value("grid", read_grid)?
            .unwrap_or(Grid::Dimensions(2));
        let faces = step.value("faces", read_faces)?.unwrap_or_default();
        if !faces.is_empty() && faces.len() != grid.dimensions() {
            let right = format!("must have {} multiples, one a dimension", grid.dimensions());
            return Err(step.refuse("faces", right));
        }
        Ok(Self {
            nodes: positions::read_nodes(step)?,
            rendezvous_bytes: read_rendezvous(step)?,
            periodic: step.flag("periodic")?.unwrap_or(false),
            corners: step.flag("corners")?.unwrap_or(false),
            rounds: step.count("rounds", 1..=MOST_ROUNDS)?.unwrap_or(1),
            work_ns: step.time("work")?.unwrap_or(0),
            compute: read_compute(step)?,
            grid,
            faces,
        })
    }

    /// One exchange on a flat grid with borders, whatever the number of nodes.
    pub(crate) fn flat() -> Self {
        Self {
            nodes: None,
            rendezvous_bytes: 0,
            grid: Grid::Dimensions(2),
            periodic: false,
            corners: false,
            faces: Vec::new(),
            rounds: 1,
            work_ns: 0,
            compute: None,
        }
    }

    /// What each of so many nodes does, where a face across a dimension of factor one has so many bytes.
    pub fn program(&self, nodes: u32, bytes: u64) -> Result<Program, String> {
        self.fits(nodes as usize)?;
        let cells = self.grid.cells(nodes);
        let offsets = self.offsets(cells.len());
        let each = u64::from(self.rounds) * (2 * offsets.len() as u64 + 2);
        check_amount(nodes.into(), each.saturating_mul(nodes.into()))?;
        let mut rounds = Rounds::new(nodes as usize);
        for _ in 0..self.rounds {
            for node in 0..nodes {
                if self.work_ns > 0 {
                    rounds.add(node, [Action::Compute { ns: self.work_ns }]);
                }
                rounds.add(node, self.exchange(node, &cells, &offsets, bytes));
            }
        }
        Ok(rounds.end())
    }

    /// What a node sends and receives in a round. A message is called by the way it goes, since two cells can be neighbours
    /// on both sides.
    fn exchange(&self, node: u32, cells: &[u32], offsets: &[Offset], bytes: u64) -> Vec<Action> {
        let mut actions = Vec::with_capacity(2 * offsets.len());
        for (way, offset) in (0..).zip(offsets) {
            let message = |peer, tag| Message {
                peer,
                bytes: self.bytes(offset, cells.len(), bytes),
                tag,
            };
            let back = offsets.len() as u32 - 1 - way;
            if let Some(peer) = self.neighbour(node, cells, offset) {
                actions.push(Action::Send(message(peer, way)));
                actions.push(Action::Receive(message(peer, back)));
            }
        }
        actions
    }

    /// The steps to all neighbours, in an order in which opposite ones stand opposite.
    fn offsets(&self, dimensions: usize) -> Vec<Offset> {
        let all = (0..3_usize.pow(dimensions as u32)).map(|code| {
            let digit = |at: u32| (code / 3_usize.pow(at) % 3) as i64 - 1;
            let mut offset = [digit(0), digit(1), digit(2)];
            offset[dimensions..].fill(0);
            offset
        });
        let is_wanted = |offset: &Offset| match crossed(offset) {
            0 => false,
            1 => true,
            _ => self.corners,
        };
        all.filter(is_wanted).collect()
    }

    /// The cell at an offset from a node; none outside, and none where that is the node itself.
    fn neighbour(&self, node: u32, cells: &[u32], offset: &Offset) -> Option<u32> {
        let (mut stride, mut found) = (1, 0);
        for (count, step) in cells.iter().zip(offset) {
            let count = i64::from(*count);
            let at = i64::from(node) / stride % count + step;
            if !self.periodic && !(0..count).contains(&at) {
                return None;
            }
            found += at.rem_euclid(count) * stride;
            stride *= count;
        }
        (found != i64::from(node)).then_some(found as u32)
    }

    /// What goes to a neighbour: a face; or of an edge or a corner as many elements as a cube has there whose faces have
    /// the step's size.
    fn bytes(&self, offset: &Offset, dimensions: usize, bytes: u64) -> u64 {
        let crossed = crossed(offset);
        if crossed == 1 {
            let dimension = offset.iter().position(|step| *step != 0).unwrap_or(0);
            let factor = self.faces.get(dimension).copied().unwrap_or(1);
            return bytes.saturating_mul(factor.into());
        }
        let share = (dimensions - crossed) as f64 / (dimensions - 1) as f64;
        let elements = (bytes as f64 / ELEMENT_BYTES).max(1.0).powf(share);
        (elements.round() * ELEMENT_BYTES) as u64
    }
}

/// How many dimensions an offset crosses.
fn crossed(offset: &Offset) -> usize {
    offset.iter().filter(|step| **step != 0).count()
}

impl Grid {
    fn dimensions(&self) -> usize {
        match self {
            Self::Dimensions(count) => *count as usize,
            Self::Cells(cells) => cells.len(),
        }
    }

    /// The cells in each dimension, of so many nodes.
    fn cells(&self, nodes: u32) -> Vec<u32> {
        match self {
            Self::Dimensions(count) => balanced(nodes, *count),
            Self::Cells(cells) => cells.clone(),
        }
    }
}

/// So many factors of a number, the first the largest, as near to each other as can be had by giving the largest prime
/// factors out first.
fn balanced(nodes: u32, count: u32) -> Vec<u32> {
    let mut factors = vec![1; count as usize];
    let (mut left, mut primes, mut divisor) = (nodes, Vec::new(), 2);
    while left > 1 {
        while left % divisor == 0 {
            primes.push(divisor);
            left /= divisor;
        }
        divisor += 1;
    }
    for prime in primes.into_iter().rev() {
        if let Some(least) = factors.iter_mut().min() {
            *least *= prime;
        }
    }
    factors.sort_unstable_by(|one, other| other.cmp(one));
    factors
}

fn named(cells: &[u32]) -> String {
    let cells: Vec<_> = cells.iter().map(u32::to_string).collect();
    cells.join("x")
}

fn read_grid(value: &Value) -> Result<Grid, String> {
    match value {
        Value::Integer(_) => Ok(Grid::Dimensions(count(value, 1..=MOST_DIMENSIONS)?)),
        Value::String(text) => {
            let cells = text.split('x').map(|part| part.trim().parse::<u32>().ok());
            let cells: Option<Vec<u32>> = cells.collect();
            let is_grid = |cells: &Vec<u32>| {
                let all = cells
                    .iter()
                    .try_fold(1, |all: u32, one| all.checked_mul(*one));
                cells.len() <= MOST_DIMENSIONS as usize
                    && all.is_some_and(|all| (2..=MOST_CELLS).contains(&all))
            };
            let cells = cells.filter(is_grid).ok_or_else(|| RIGHT_GRID.to_owned())?;
            Ok(Grid::Cells(cells))
        }
        _ => Err(RIGHT_GRID.to_owned()),
    }
}

fn read_faces(value: &Value) -> Result<Vec<u32>, String> {
    let list = value.as_array().ok_or("must be a list such as [1, 2]")?;
    list.iter().map(|one| count(one, 1..=MOST_FACTOR)).collect()
}

/// Its messages depend on each other, so that none of them are a set that begins at once: phases have no transfers.
impl Ensemble for Halo {
    fn nodes(&self) -> Option<&[u32]> {
        self.nodes.as_deref()
    }

    fn check(&self) -> Result<(), Wrong> {
        let fits = self
            .nodes
            .as_ref()
            .map_or(Ok(()), |nodes| self.fits(nodes.len()));
        fits.map_err(|why| ("grid", why))
    }

    fn fits(&self, members: usize) -> Result<(), String> {
        let Grid::Cells(cells) = &self.grid else {
            return Ok(());
        };
        let all: u32 = cells.iter().product();
        if all as usize == members {
            return Ok(());
        }
        let fitting = named(&balanced(members as u32, cells.len() as u32));
        Err(format!(
            "a grid of {} has {all} cells, and there are {members} nodes; \"{fitting}\" would fit, or `nodes` = {all}",
            named(cells)
        ))
    }

    fn rounds(&self, _members: &[u32], _bytes: u64) -> Vec<Vec<Transfer>> {
        vec![Vec::new()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::Schedule;

    fn halo(cells: &[u32], periodic: bool, corners: bool) -> Halo {
        Halo {
            nodes: None,
            rendezvous_bytes: 100,
            grid: Grid::Cells(cells.to_vec()),
            periodic,
            corners,
            faces: Vec::new(),
            rounds: 2,
            work_ns: 1000,
            compute: None,
        }
    }

    fn neighbours(halo: &Halo, nodes: u32, of: u32) -> Vec<u32> {
        let program = halo.program(nodes, 800).unwrap();
        let mut found: Vec<u32> = program
            .sends()
            .filter(|(src, _)| *src == of)
            .map(|(_, message)| message.peer)
            .collect();
        assert_eq!(found.len() % 2, 0, "as many in each of two rounds");
        found.truncate(found.len() / 2);
        found.sort_unstable();
        found
    }

    #[test]
    fn neighbours_are_those_on_the_grid() {
        assert_eq!(neighbours(&halo(&[5], false, false), 5, 0), [1]);
        assert_eq!(neighbours(&halo(&[5], true, false), 5, 0), [1, 4]);
        assert_eq!(
            neighbours(&halo(&[4, 3], false, false), 12, 5),
            [1, 4, 6, 9]
        );
        assert_eq!(neighbours(&halo(&[4, 3], false, true), 12, 0), [1, 4, 5]);
        assert_eq!(neighbours(&halo(&[3, 3, 3], true, true), 27, 13).len(), 26);
        // Both sides of a dimension of two are the same cell; one of one has no neighbour.
        assert_eq!(neighbours(&halo(&[2, 1], true, false), 2, 0), [1, 1]);
    }

    #[test]
    fn every_halo_ends_whatever_the_grid() {
        for cells in [&[7][..], &[2, 2], &[4, 3], &[2, 3, 2]] {
            for (periodic, corners) in [(false, false), (true, false), (false, true), (true, true)]
            {
                let nodes = cells.iter().product();
                let program = halo(cells, periodic, corners).program(nodes, 1000).unwrap();
                Schedule::of(&program, 100).unwrap();
            }
        }
    }

    #[test]
    fn faces_edges_and_corners_have_sizes_of_their_own() {
        let cube = Halo {
            faces: vec![1, 2, 3],
            ..halo(&[3, 3, 3], true, true)
        };
        // 100 x 100 elements of 8 bytes.
        let bytes = |offset| cube.bytes(&offset, 3, 80_000);
        assert_eq!(
            [bytes([1, 0, 0]), bytes([0, -1, 0]), bytes([0, 0, 1])],
            [80_000, 160_000, 240_000]
        );
        assert_eq!((bytes([1, 1, 0]), bytes([1, -1, 1])), (800, 8));
    }

    #[test]
    fn a_grid_that_does_not_fit_is_refused_with_one_that_would() {
        let refused = halo(&[4, 4], false, false).fits(12).unwrap_err();
        assert!(
            refused.contains("has 16 cells, and there are 12 nodes; \"4x3\" would fit"),
            "{refused}"
        );
        assert_eq!(balanced(32, 3), [4, 4, 2]);
        assert_eq!(balanced(7, 2), [7, 1]);
    }
}
