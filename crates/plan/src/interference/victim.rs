//! What is slowed down.

use crate::collective::{Algorithm, Collective, Operation};
use crate::ensemble::Halo;
use crate::error::Result;
use crate::program::{Action, Message, Program, Rounds};
use crate::reading::Section;

json_enum! {
    /// An application, or a part of one.
    pub enum Victim {
        Allreduce = "allreduce",
        Allgather = "allgather",
        Alltoall = "alltoall",
        Bcast = "bcast",
        ReduceScatter = "reduce-scatter",
        /// An exchange with the neighbours on a flat grid.
        Halo = "halo",
        /// Each sends to the next and gets the same back.
        Ring = "ring",
    }
}

impl Victim {
    pub(super) fn read(step: &Section) -> Result<Self> {
        step.required_choice("victim", &Self::NAMED)
    }

    /// The algorithm of a collective, where one is named.
    pub(super) fn read_algorithm(self, step: &Section) -> Result<Option<Algorithm>> {
        let Some(operation) = self.operation() else {
            step.only_for("algorithm", "a victim that is a collective")?;
            return Ok(None);
        };
        let known = operation.algorithms().iter().map(|one| (one.name(), *one));
        step.choice("algorithm", &known.collect::<Vec<_>>())
    }

    /// Refuses an algorithm that there is not for so many nodes.
    pub(super) fn check_algorithm(
        self,
        algorithm: Option<Algorithm>,
        nodes: u32,
    ) -> Result<(), String> {
        match (self.operation(), algorithm) {
            (Some(operation), Some(algorithm)) => {
                Collective::of(operation).check_fits(algorithm, nodes as usize)
            }
            _ => Ok(()),
        }
    }

    /// What each of so many nodes does, once.
    pub(super) fn program(
        self,
        algorithm: Option<Algorithm>,
        nodes: u32,
        bytes: u64,
    ) -> Result<Program, String> {
        match (self, self.operation()) {
            (_, Some(operation)) => {
                let collective = Collective::of(operation);
                let first = collective.ways(nodes as usize)[0];
                collective.program_in(algorithm.unwrap_or(first), nodes, bytes)
            }
            (Self::Halo, None) => Halo::flat().program(nodes, bytes),
            _ => Ok(ring(nodes, bytes)),
        }
    }

    fn operation(self) -> Option<Operation> {
        match self {
            Self::Allreduce => Some(Operation::Allreduce),
            Self::Allgather => Some(Operation::Allgather),
            Self::Alltoall => Some(Operation::Alltoall),
            Self::Bcast => Some(Operation::Bcast),
            Self::ReduceScatter => Some(Operation::ReduceScatter),
            Self::Halo | Self::Ring => None,
        }
    }
}

/// Each node sends to the next and answers the one before it.
fn ring(nodes: u32, bytes: u64) -> Program {
    let mut rounds = Rounds::new(nodes as usize);
    for node in 0..nodes {
        let message = |peer: u32, tag| Message {
            peer: peer % nodes,
            bytes,
            tag,
        };
        let (next, before) = (node + 1, node + nodes - 1);
        rounds.add(
            node,
            [
                Action::Send(message(next, 0)),
                Action::Receive(message(before, 0)),
            ],
        );
        rounds.add(
            node,
            [
                Action::Send(message(before, 1)),
                Action::Receive(message(next, 1)),
            ],
        );
    }
    rounds.end()
}
