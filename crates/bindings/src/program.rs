//! Programs in Python: work with dependencies, read and written in the formats of GOAL, read in that of Chakra.

use std::collections::BTreeMap;

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;
use weft_netsim::program::Cast;
use weft_plan::program::{self, chakra, goal_binary, goal_text};
use weft_plan::{Collective, Congestor, Hpl, Interference, Pattern, Phase, Replay, Step};

use super::answers::refused;

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
        let inner = match content.starts_with(&goal_binary::COOKIE.to_le_bytes()) {
            true => goal_binary::parse(content).map_err(|why| format!("{origin}: {why}")),
            false => read_text(content, origin),
        };
        Ok(Self {
            inner: inner.map_err(refused)?,
        })
    }

    /// Reads the traces that Chakra has of each rank, given with what messages call them; `groups` is the text of a file
    /// of process groups, the pattern says how collectives go.
    #[staticmethod]
    fn of_chakra(
        files: Vec<(String, PyBackedBytes)>,
        groups: Option<&str>,
        pattern_json: &str,
    ) -> PyResult<Self> {
        let replay: Replay = serde_json::from_str(pattern_json).map_err(refused)?;
        let files: Vec<(String, &[u8])> = files
            .iter()
            .map(|(origin, content)| (origin.clone(), content.as_ref()))
            .collect();
        let inner = chakra::parse(&files, groups, &replay.algorithms).map_err(refused)?;
        Ok(Self { inner })
    }

    /// What phases, given as JSON, make so many nodes do.
    #[staticmethod]
    fn of_phases(phases_json: &str, nodes: usize) -> PyResult<Self> {
        let phases: Vec<Phase> = serde_json::from_str(phases_json).map_err(refused)?;
        let inner = program::of_phases(&phases, nodes).map_err(refused)?;
        Ok(Self { inner })
    }

    /// What so many nodes do in a phase of a step that is a program.
    #[staticmethod]
    fn of_step(step_json: &str, phase: u32, nodes: u32) -> PyResult<Self> {
        let step: Step = serde_json::from_str(step_json).map_err(refused)?;
        let ranks = step.pattern.ranks(nodes).map_err(refused)?.len();
        let inner = step.pattern.program(phase, &step.sizes.sizes(), ranks);
        let inner = inner.ok_or_else(|| refused(without_program(&step)))?;
        Ok(Self {
            inner: inner.map_err(refused)?,
        })
    }

    /// What each of so many nodes does in a phase of a step that is a program, and for a collective with which bytes, as lines
    /// of numbers; `peers` has what each node is called in them. None may send to itself.
    #[staticmethod]
    fn lines_of_step(
        step_json: &str,
        phase: u32,
        nodes: u32,
        peers: Vec<u32>,
    ) -> PyResult<Vec<String>> {
        let step: Step = serde_json::from_str(step_json).map_err(refused)?;
        let Pattern::Collective(collective) = &step.pattern else {
            return Self::of_step(step_json, phase, nodes)?.lines(peers);
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
    fn check_hpl(step_json: &str, nodes: u32) -> PyResult<()> {
        hpl_of(step_json)?.check_program(nodes).map_err(refused)
    }

    /// Rows and columns of the processes of a step that is Linpack, over so many nodes.
    #[staticmethod]
    fn grid(step_json: &str, nodes: u32) -> PyResult<(u32, u32)> {
        let grid = hpl_of(step_json)?.grid_of(nodes).map_err(refused)?;
        Ok((grid.rows, grid.columns))
    }

    /// The names of the ways in which so many nodes go through a collective, in the order of its phases at a size.
    #[staticmethod]
    fn ways(step_json: &str, nodes: u32) -> PyResult<Vec<&'static str>> {
        let (collective, step) = collective_of(step_json)?;
        let ranks = step.pattern.ranks(nodes).map_err(refused)?;
        let ways = collective.ways(ranks.len());
        Ok(ways.iter().map(|one| one.name()).collect())
    }

    /// Refuses so many nodes for which a collective names an algorithm that is not for as many.
    #[staticmethod]
    fn check_ways(step_json: &str, nodes: usize) -> PyResult<()> {
        let (collective, _) = collective_of(step_json)?;
        collective.check_named(nodes).map_err(refused)
    }

    /// How many bytes a rank of a collective over so many nodes adds to others in a phase.
    #[staticmethod]
    fn added_bytes(step_json: &str, phase: u32, nodes: u32, rank: u32) -> PyResult<u64> {
        let (collective, step) = collective_of(step_json)?;
        let ranks = step.pattern.ranks(nodes).map_err(refused)?.len() as u32;
        if rank >= ranks {
            return Err(refused(format!("there is no rank {rank}")));
        }
        let script = collective.script_of(phase, &step.sizes.sizes(), rank, ranks);
        Ok(script.map_err(refused)?.added_bytes())
    }

    /// Of a step that is interference over so many nodes: the victim's nodes, and the congestors'.
    #[staticmethod]
    fn roles(step_json: &str, nodes: u32) -> PyResult<(Vec<u32>, Vec<u32>)> {
        let step: Step = serde_json::from_str(step_json).map_err(refused)?;
        let ranks = step.pattern.ranks(nodes).map_err(refused)?;
        let roles = interference_of(&step)?.roles(ranks.len());
        let of = |side: &[u32]| side.iter().map(|rank| ranks[*rank as usize]).collect();
        Ok((of(&roles.victims), of(&roles.congestors)))
    }

    /// The congestor of a phase of such a step; None where the victim is alone.
    #[staticmethod]
    fn congestor(step_json: &str, phase: u32) -> PyResult<Option<&'static str>> {
        let step: Step = serde_json::from_str(step_json).map_err(refused)?;
        let trial = interference_of(&step)?.trial(phase, &step.sizes.sizes());
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

fn collective_of(step_json: &str) -> PyResult<(Collective, Step)> {
    let step: Step = serde_json::from_str(step_json).map_err(refused)?;
    match &step.pattern {
        Pattern::Collective(collective) => Ok((collective.clone(), step)),
        _ => Err(refused(format!("step {:?} is no collective", step.name))),
    }
}

fn hpl_of(step_json: &str) -> PyResult<Hpl> {
    let step: Step = serde_json::from_str(step_json).map_err(refused)?;
    match step.pattern {
        Pattern::Hpl(hpl) => Ok(hpl),
        _ => Err(refused(format!("step {:?} is no Linpack", step.name))),
    }
}

fn interference_of(step: &Step) -> PyResult<&Interference> {
    match &step.pattern {
        Pattern::Interference(found) => Ok(found),
        _ => Err(refused(format!("step {:?} is no interference", step.name))),
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
