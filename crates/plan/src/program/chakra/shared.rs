//! Collectives: what several ranks do together, each with a node of its own in its trace.
//!
//! The k-th collective of a group at one rank is the k-th at all others, as in MPI and NCCL.

use std::collections::HashMap;

use super::file::File;
use super::groups::Groups;
use super::schema::{Kind, Node};
use crate::collective::{Collective, Operation, Ways, barrier};
use crate::program::Program;

/// Tags of collectives; those of messages between two ranks are smaller.
pub const FIRST_TAG: u32 = 1 << 31;

/// What ranks do together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Task {
    Barrier,
    /// With a buffer of so many bytes.
    Move(Operation, u64),
}

/// A collective of some ranks.
#[derive(Debug)]
pub struct Shared {
    pub ranks: Vec<u32>,
    pub tag: u32,
    task: Task,
    /// The first rank that came to it, and how many have.
    first: String,
    arrived: usize,
}

/// All of them, and by rank and place of a node in its trace which it takes part in.
#[derive(Debug, Default)]
pub struct Collectives {
    all: Vec<Shared>,
    of_node: HashMap<(u32, u32), u32>,
    /// By group, in the order in which its ranks come to them.
    of_group: HashMap<(String, Vec<u32>), Vec<u32>>,
    programs: HashMap<(Task, u32), Program>,
}

impl Collectives {
    /// Those of all traces; the error names a node that is no part of one.
    pub fn find(files: &[File], groups: &Groups) -> Result<Self, String> {
        let mut found = Self::default();
        for (rank, file) in (0..).zip(files) {
            let mut came: HashMap<(String, Vec<u32>), usize> = HashMap::new();
            for (place, node) in (0..).zip(&file.nodes) {
                if !is_shared(file, node)? {
                    continue;
                }
                let group = found.group(file, node, rank, groups)?;
                let count = came.entry(group.clone()).or_default();
                let number = found.join(file, node, group, *count)?;
                *count += 1;
                found.of_node.insert((rank, place), number);
            }
        }
        found.check_whole()?;
        Ok(found)
    }

    /// The collective that a node is.
    pub fn of(&self, rank: u32, place: u32) -> Option<&Shared> {
        let number = self.of_node.get(&(rank, place))?;
        Some(&self.all[*number as usize])
    }

    /// What the ranks of one do, counted in their group.
    pub fn program(&mut self, rank: u32, place: u32, ways: &Ways) -> Result<&Program, String> {
        let number = self.of_node[&(rank, place)] as usize;
        let (task, count) = (self.all[number].task, self.all[number].ranks.len() as u32);
        if !self.programs.contains_key(&(task, count)) {
            let made = made(task, count, ways);
            let made = made.map_err(|why| format!("{}: {why}", self.all[number].first))?;
            self.programs.insert((task, count), made);
        }
        Ok(&self.programs[&(task, count)])
    }

    fn group(
        &self,
        file: &File,
        node: &Node,
        rank: u32,
        groups: &Groups,
    ) -> Result<(String, Vec<u32>), String> {
        let name = node.text("pg_name").unwrap_or_default();
        let ranks = groups.of(rank, name).ok_or_else(|| {
            let why = format!("nothing says which ranks the process group {name:?} has");
            file.wrong(
                node,
                &format!("{why}; give `groups`, a file with {{{name:?}: [0, 1]}}"),
            )
        })?;
        match ranks.contains(&rank) {
            true => Ok((name.to_owned(), ranks)),
            false => Err(file.wrong(
                node,
                &format!("rank {rank} is not in its process group {name:?}"),
            )),
        }
    }

    /// Gives the number of the collective that is the `count`-th of its group.
    fn join(
        &mut self,
        file: &File,
        node: &Node,
        group: (String, Vec<u32>),
        count: usize,
    ) -> Result<u32, String> {
        let ranks = group.1.clone();
        let task = task(file, node, ranks.len() as u64)?;
        let numbers = self.of_group.entry(group).or_default();
        if count == numbers.len() {
            numbers.push(self.all.len() as u32);
            self.all.push(Shared {
                ranks,
                tag: FIRST_TAG + self.all.len() as u32,
                task,
                first: file.wrong(node, "").trim_end_matches([':', ' ']).to_owned(),
                arrived: 0,
            });
        }
        let shared = &mut self.all[numbers[count] as usize];
        if shared.task != task {
            let first = &shared.first;
            return Err(file.wrong(
                node,
                &format!("another operation or size than {first}, which it meets"),
            ));
        }
        shared.arrived += 1;
        Ok(numbers[count])
    }

    fn check_whole(&self) -> Result<(), String> {
        let lone = self.all.iter().find(|one| one.arrived < one.ranks.len());
        match lone {
            None => Ok(()),
            Some(one) => Err(format!(
                "{}: only {} of the {} ranks of its process group come to this collective",
                one.first,
                one.arrived,
                one.ranks.len()
            )),
        }
    }
}

/// Whether a node is its rank's part of a collective. What a processor calls for it takes time there and moves nothing.
pub fn is_shared(file: &File, node: &Node) -> Result<bool, String> {
    Ok(file.kind(node)? == Kind::Collective && !node.is("is_cpu_op"))
}

/// The schema's `CollectiveCommType`. Its `comm_size` is what each rank begins with.
fn task(file: &File, node: &Node, ranks: u64) -> Result<Task, String> {
    let operation = match file.number(node, "comm_type")? {
        0 => Operation::Allreduce,
        2 => Operation::Allgather,
        5 => Operation::Bcast,
        6 => Operation::Alltoall,
        7 | 8 => Operation::ReduceScatter,
        9 => return Ok(Task::Barrier),
        other => {
            let known = "ALL_REDUCE, ALL_GATHER, BROADCAST, ALL_TO_ALL, REDUCE_SCATTER and BARRIER are expanded";
            return Err(file.wrong(node, &format!("its comm_type is {other}; {known}")));
        }
    };
    let bytes = file.number(node, "comm_size")?;
    Ok(Task::Move(
        operation,
        match operation {
            Operation::Allgather => bytes.saturating_mul(ranks),
            _ => bytes,
        },
    ))
}

fn made(task: Task, ranks: u32, ways: &Ways) -> Result<Program, String> {
    match task {
        _ if ranks < 2 => Ok(Program::idle(ranks as usize)),
        Task::Barrier => Ok(barrier(ranks)),
        Task::Move(operation, bytes) => {
            Collective::of(operation).program_in(ways.of(operation), ranks, bytes)
        }
    }
}
