//! Execution traces of Chakra (S. Sridharan et al., "Chakra: Advancing Performance Benchmarking and Co-design using
//! Standardized Execution Traces", 2023; mlcommons/chakra): a file for each rank, whose nodes need each other.
//!
//! A rank has four processors: what a trace marks as `is_cpu_op` is computed on the first, all else on the second; the
//! third handles messages; the last joins and takes no time. Nodes take their measured duration. Nodes that move data
//! are messages; those of several ranks become the messages of an algorithm.

mod file;
mod groups;
mod schema;
mod shared;

use super::{Action, Message, Node, Operation, Program, check_amount};
use crate::collective::Ways;
use file::File;
use groups::Groups;
use schema::Kind;
use shared::{Collectives, FIRST_TAG};

const HOST: u8 = 0;
const ACCELERATOR: u8 = 1;
const COMMUNICATION: u8 = 2;
const JOINS: u8 = 3;

/// Reads the files of all ranks, given with what messages call them; `groups` is the text of a file of process groups.
pub fn parse(
    files: &[(String, &[u8])],
    groups: Option<&str>,
    ways: &Ways,
) -> Result<Program, String> {
    let read = files
        .iter()
        .map(|(origin, content)| File::read(origin, content));
    let files: Vec<File> = read.collect::<Result<_, _>>()?;
    let collectives = Collectives::find(&files, &Groups::read(&files, groups)?)?;
    let mut builder = Builder {
        program: Program::idle(files.len()),
        collectives,
        ways,
        operations: 0,
    };
    for (rank, file) in (0..).zip(&files) {
        builder.add_rank(rank, file)?;
    }
    Ok(builder.program)
}

struct Builder<'a> {
    program: Program,
    collectives: Collectives,
    ways: &'a Ways,
    operations: u64,
}

/// The first operation of a node of a trace, and the last, which may be the same.
type Ends = (u32, u32);

impl Builder<'_> {
    fn add_rank(&mut self, rank: u32, file: &File) -> Result<(), String> {
        let mut ends = Vec::with_capacity(file.nodes.len());
        for (place, node) in (0..).zip(&file.nodes) {
            ends.push(self.add_node(rank, file, place, node)?);
        }
        let own = &mut self.program.nodes[rank as usize];
        for (node, (first, _)) in file.nodes.iter().zip(&ends) {
            for place in file.needs(node)? {
                own.after(*first, ends[place as usize].1);
            }
        }
        self.operations += own.operations.len() as u64;
        check_amount(self.program.nodes.len() as u64, self.operations)
    }

    fn add_node(
        &mut self,
        rank: u32,
        file: &File,
        place: u32,
        node: &schema::Node,
    ) -> Result<Ends, String> {
        if self.collectives.of(rank, place).is_some() {
            return self.add_collective(rank, place);
        }
        let (action, cpu) = match file.kind(node)? {
            Kind::Metadata => (Action::Compute { ns: 0 }, JOINS),
            Kind::Send => (
                Action::Send(message(file, node, "comm_dst")?),
                COMMUNICATION,
            ),
            Kind::Receive => (
                Action::Receive(message(file, node, "comm_src")?),
                COMMUNICATION,
            ),
            Kind::Compute | Kind::MemoryLoad | Kind::MemoryStore | Kind::Collective => (
                Action::Compute {
                    ns: duration_ns(file, node)?,
                },
                if node.is("is_cpu_op") {
                    HOST
                } else {
                    ACCELERATOR
                },
            ),
        };
        let number = add(&mut self.program.nodes[rank as usize], action, cpu);
        Ok((number, number))
    }

    /// Adds what a rank does in a collective between two operations that join it.
    fn add_collective(&mut self, rank: u32, place: u32) -> Result<Ends, String> {
        let shared = self.collectives.of(rank, place).expect("it was looked up");
        let (ranks, tag) = (shared.ranks.clone(), shared.tag);
        let position = ranks.iter().position(|one| *one == rank);
        let position = position.expect("a rank is in its own group");
        let part = &self.collectives.program(rank, place, self.ways)?.nodes[position];
        let own = &mut self.program.nodes[rank as usize];
        Ok(splice(own, part, &ranks, tag))
    }
}

/// Adds what a node of a program among some ranks does, between a first and a last operation.
fn splice(own: &mut Node, part: &Node, ranks: &[u32], tag: u32) -> Ends {
    let begin = add(own, Action::Compute { ns: 0 }, JOINS);
    let offset = begin + 1;
    let count = part.operations.len();
    let (mut is_first, mut is_last) = (vec![true; count], vec![true; count]);
    for one in &part.operations {
        let there = |message: Message| Message {
            peer: ranks[message.peer as usize],
            tag,
            ..message
        };
        match one.action {
            Action::Compute { .. } => add(own, one.action, JOINS),
            Action::Send(message) => add(own, Action::Send(there(message)), COMMUNICATION),
            Action::Receive(message) => add(own, Action::Receive(there(message)), COMMUNICATION),
        };
    }
    for need in &part.needs {
        own.after(need.operation + offset, need.on + offset);
        is_first[need.operation as usize] = false;
        is_last[need.on as usize] = false;
    }
    let end = add(own, Action::Compute { ns: 0 }, JOINS);
    own.after(end, begin);
    for number in 0..count {
        if is_first[number] {
            own.after(number as u32 + offset, begin);
        }
        if is_last[number] {
            own.after(end, number as u32 + offset);
        }
    }
    (begin, end)
}

fn add(own: &mut Node, action: Action, cpu: u8) -> u32 {
    let nic = 0;
    own.operations.push(Operation { action, cpu, nic });
    own.operations.len() as u32 - 1
}

fn message(file: &File, node: &schema::Node, peer: &str) -> Result<Message, String> {
    let tag = match node.number("comm_tag") {
        None => 0,
        Some(_) => file.small_number(node, "comm_tag")?,
    };
    if tag >= FIRST_TAG {
        return Err(file.wrong(node, &format!("its comm_tag {tag} is too large")));
    }
    Ok(Message {
        peer: file.small_number(node, peer)?,
        bytes: file.number(node, "comm_size")?,
        tag,
    })
}

fn duration_ns(file: &File, node: &schema::Node) -> Result<u64, String> {
    let has_work = node.number("num_ops").is_some_and(|count| count > 0);
    if node.duration_micros == 0 && has_work {
        let why =
            "it has num_ops and no duration, and what a processor makes of them is not simulated";
        return Err(file.wrong(node, why));
    }
    Ok(node.duration_micros.saturating_mul(1000))
}
