//! Programs in Python: work with dependencies, read and written in the formats of GOAL, read in that of Chakra.

use std::collections::BTreeMap;
use std::fmt::Display;

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;
use weft_netsim::program::Cast;
use weft_plan::program::{self, chakra, goal_binary, goal_text};
use weft_plan::{Congestor, Pattern, Phase, Replay, Step};

use super::answers::{Json, pattern_of, refused};

/// What each rank computes, sends and receives.
#[pyclass(frozen)]
pub struct Program {
    pub inner: program::Program,
}

#[pymethods]
impl Program {
    /// Reads GOAL, as text or binary; `origin` is what messages call it.
    #[staticmethod]
    fn parse(content: &[u8], origin: &str) -> PyResult<Self> {
        let is_binary = content.starts_with(&goal_binary::COOKIE.to_le_bytes());
        Self::of(match is_binary {
            true => goal_binary::parse(content).map_err(|why| format!("{origin}: {why}")),
            false => read_text(content, origin),
        })
    }

    /// Reads the traces that Chakra has of each rank, given with what messages call them; `groups` is the text of a file
    /// of process groups, the pattern says how collectives go.
    #[staticmethod]
    fn of_chakra(
        files: Vec<(String, PyBackedBytes)>,
        groups: Option<&str>,
        pattern: Json<Replay>,
    ) -> PyResult<Self> {
        let files: Vec<(String, &[u8])> = files
            .iter()
            .map(|(origin, content)| (origin.clone(), content.as_ref()))
            .collect();
        Self::of(chakra::parse(&files, groups, &pattern.algorithms))
    }

    /// What phases, given as JSON, make so many nodes do.
    #[staticmethod]
    fn of_phases(phases: Json<Vec<Phase>>, nodes: usize) -> PyResult<Self> {
        Self::of(program::of_phases(&phases, nodes))
    }

    /// What so many nodes do in a phase of a step that is a program.
    #[staticmethod]
    fn of_step(step: Json<Step>, phase: u32, nodes: u32) -> PyResult<Self> {
        let ranks = step.pattern.ranks(nodes).map_err(refused)?.len();
        let inner = step.pattern.program(phase, &step.sizes.sizes(), ranks);
        Self::of(inner.ok_or_else(|| refused(without_program(&step)))?)
    }

    /// What each of so many nodes does in a phase of a step that is a program, and for a collective with which bytes, as lines
    /// of numbers; `peers` has what each node is called in them. None may send to itself.
    #[staticmethod]
    fn lines_of_step(
        step: Json<Step>,
        phase: u32,
        nodes: u32,
        peers: Vec<u32>,
    ) -> PyResult<Vec<String>> {
        let Pattern::Collective(collective) = &step.pattern else {
            return Self::of_step(step, phase, nodes)?.lines(peers);
        };
        let (ranks, sizes) = (peers.len() as u32, step.sizes.sizes());
        let line = |rank| {
            let script = collective.script_of(phase, &sizes, rank, ranks)?;
            Ok(program::words_of(&script.node, Some(&script), &peers))
        };
        (0..ranks)
            .map(line)
            .collect::<Result<_, String>>()
            .map_err(refused)
    }

    /// Refuses a step that is Linpack over so many nodes whose program would be too large.
    #[staticmethod]
    fn check_hpl(step: Json<Step>, nodes: u32) -> PyResult<()> {
        pattern_of!(step, Hpl, "Linpack")?
            .check_program(nodes)
            .map_err(refused)
    }

    /// Rows and columns of the processes of a step that is Linpack, over so many nodes.
    #[staticmethod]
    fn grid(step: Json<Step>, nodes: u32) -> PyResult<(u32, u32)> {
        let grid = pattern_of!(step, Hpl, "Linpack")?
            .grid_of(nodes)
            .map_err(refused)?;
        Ok((grid.rows, grid.columns))
    }

    /// The names of the ways in which so many nodes go through a collective, in the order of its phases at a size.
    #[staticmethod]
    fn ways(step: Json<Step>, nodes: u32) -> PyResult<Vec<&'static str>> {
        let collective = pattern_of!(step, Collective, "collective")?;
        let ranks = step.pattern.ranks(nodes).map_err(refused)?;
        let ways = collective.ways(ranks.len());
        Ok(ways.iter().map(|one| one.name()).collect())
    }

    /// Refuses so many nodes for which a collective names an algorithm that is not for as many.
    #[staticmethod]
    fn check_ways(step: Json<Step>, nodes: usize) -> PyResult<()> {
        pattern_of!(step, Collective, "collective")?
            .check_named(nodes)
            .map_err(refused)
    }

    /// How many bytes a rank of a collective over so many nodes adds to others in a phase.
    #[staticmethod]
    fn added_bytes(step: Json<Step>, phase: u32, nodes: u32, rank: u32) -> PyResult<u64> {
        let collective = pattern_of!(step, Collective, "collective")?;
        let ranks = step.pattern.ranks(nodes).map_err(refused)?.len() as u32;
        if rank >= ranks {
            return Err(refused(format!("there is no rank {rank}")));
        }
        let script = collective.script_of(phase, &step.sizes.sizes(), rank, ranks);
        Ok(script.map_err(refused)?.added_bytes())
    }

    /// Of a step that is interference over so many nodes: the victim's nodes, and the congestors'.
    #[staticmethod]
    fn roles(step: Json<Step>, nodes: u32) -> PyResult<(Vec<u32>, Vec<u32>)> {
        let ranks = step.pattern.ranks(nodes).map_err(refused)?;
        let roles = pattern_of!(step, Interference, "interference")?.roles(ranks.len());
        let of = |side: &[u32]| side.iter().map(|rank| ranks[*rank as usize]).collect();
        Ok((of(&roles.victims), of(&roles.congestors)))
    }

    /// The congestor of a phase of such a step; None where the victim is alone.
    #[staticmethod]
    fn congestor(step: Json<Step>, phase: u32) -> PyResult<Option<&'static str>> {
        let trial =
            pattern_of!(step, Interference, "interference")?.trial(phase, &step.sizes.sizes());
        let (_, congestor) = trial.map_err(refused)?;
        Ok(congestor.map(Congestor::name))
    }

    /// Source and destination of all messages, and how many bytes go from the one to the other.
    fn flows(&self) -> Vec<(u32, u32, u64)> {
        let mut found = BTreeMap::new();
        for (src, message) in self.inner.sends() {
            *found.entry((src, message.peer)).or_insert(0) += message.bytes;
        }
        let rows = found.into_iter();
        rows.map(|((src, dst), bytes)| (src, dst, bytes)).collect()
    }

    /// How many ranks it has.
    #[getter]
    fn ranks(&self) -> usize {
        self.inner.nodes.len()
    }

    /// How many operations all ranks have.
    #[getter]
    fn operations(&self) -> usize {
        self.inner.operations()
    }

    /// How many messages there are.
    #[getter]
    fn messages(&self) -> usize {
        self.inner.sends().count()
    }

    /// Refuses one with a message that has one end only, and one that never ends.
    fn check(&self, rendezvous_bytes: u64) -> PyResult<()> {
        self.inner.check(rendezvous_bytes).map_err(refused)
    }

    /// What one rank does, as JSON for its agent. Refuses messages of a rank to itself.
    fn part_of(&self, rank: u32) -> PyResult<String> {
        let node = self.inner.nodes.get(rank as usize);
        let node = node.ok_or_else(|| refused(format!("there is no rank {rank}")))?;
        let messages = node
            .operations
            .iter()
            .filter_map(|one| one.action.message());
        if messages.into_iter().any(|message| message.peer == rank) {
            return Err(refused(format!(
                "rank {rank} sends to itself, which agents do not; they only send to others"
            )));
        }
        serde_json::to_string(node).map_err(refused)
    }

    /// What each rank does, as lines of numbers; `peers` has what each is called in them.
    fn lines(&self, peers: Vec<u32>) -> PyResult<Vec<String>> {
        if peers.len() != self.inner.nodes.len() {
            return Err(refused(format!(
                "{} names for {} ranks",
                peers.len(),
                self.inner.nodes.len()
            )));
        }
        let nodes = self.inner.nodes.iter();
        Ok(nodes
            .map(|node| program::words_of(node, None, &peers))
            .collect())
    }

    /// GOAL as text.
    fn to_text(&self) -> String {
        goal_text::write(&self.inner)
    }

    /// GOAL as the simulator LogGOPSim reads it.
    fn to_binary<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &goal_binary::write(&self.inner))
    }
}

impl Program {
    fn of(made: Result<program::Program, impl Display>) -> PyResult<Self> {
        let inner = made.map_err(refused)?;
        Ok(Self { inner })
    }
}

/// A phase of a step whose programs follow from it, and the hosts that play it.
pub fn made_of(step: &Step, phase: u32, hosts: u32) -> Result<Cast<'static>, String> {
    let ranks = step.pattern.ranks(hosts)?;
    let (pattern, sizes) = (&step.pattern, step.sizes.sizes());
    let program = pattern.repeated(phase, &sizes, ranks.len());
    Ok(Cast {
        program: program.ok_or_else(|| without_program(step))??,
        rendezvous_bytes: pattern.rendezvous_bytes().unwrap_or(u64::MAX),
        hosts: ranks,
    })
}

fn without_program(step: &Step) -> String {
    format!("step {:?} has no program of its own", step.name)
}

fn read_text(content: &[u8], origin: &str) -> Result<program::Program, String> {
    let text = std::str::from_utf8(content).map_err(|why| {
        let byte = why.valid_up_to();
        format!("{origin}: neither GOAL as text (byte {byte} is no UTF-8) nor as LogGOPSim's txt2bin writes it")
    })?;
    goal_text::parse(text).map_err(|why| format!("{origin}:{why}"))
}
