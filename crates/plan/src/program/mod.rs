//! Work with dependencies: what each node computes, sends and receives, and what has to happen before.
//!
//! The model is that of GOAL (T. Hoefler, C. Siebert and A. Lumsdaine, "Group Operation Assembly Language", ICPP 2009):
//! operations of a node have no order but that of their needs. Messages between two nodes with the same tag meet in the
//! order in which they stand.

mod amount;
pub mod chakra;
mod checked;
mod deadlock;
mod dependents;
pub mod goal_binary;
pub mod goal_text;
mod named;
mod own;
mod pairing;
mod repeated;
mod rounds;
mod schedule;
mod words;

use serde::{Deserialize, Serialize};

pub use amount::check_amount;
pub use dependents::Dependent;
pub use own::Own;
pub use repeated::Repeated;
pub use rounds::{Rounds, of_phases};
pub use schedule::Schedule;
pub use words::words_of;

/// What all nodes do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Program {
    pub nodes: Vec<Node>,
}

/// What a node does.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "own::Packed", try_from = "own::Packed")]
pub struct Node {
    pub operations: Vec<Operation>,
    /// In any order.
    pub needs: Vec<Need>,
    /// What is timed of it, in the order in which it ends.
    pub laps: Vec<Lap>,
    /// Once this receive has ended, all that the node still sends is empty: it only goes on so that others can.
    pub stop: Option<u32>,
}

/// From the end of one operation to the end of another, both by their position in the node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lap {
    pub begin: u32,
    pub end: u32,
}

/// One thing that a node does, on one of its processors and with one of its interfaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operation {
    pub action: Action,
    pub cpu: u8,
    pub nic: u8,
}

/// What an operation does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    Compute { ns: u64 },
    Send(Message),
    Receive(Message),
}

/// A message, from one of its ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message {
    /// The node at the other end.
    pub peer: u32,
    pub bytes: u64,
    pub tag: u32,
}

/// An operation that cannot begin before another of its node has begun or ended; both by their position in the node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Need {
    pub operation: u32,
    pub on: u32,
    pub until: Until,
}

/// How far another operation must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Until {
    /// GOAL's `irequires`.
    Begun,
    /// GOAL's `requires`.
    Ended,
}

impl Program {
    /// Nodes that do nothing yet.
    pub fn idle(nodes: usize) -> Self {
        Self {
            nodes: vec![Node::default(); nodes],
        }
    }

    /// How many operations all nodes have.
    pub fn operations(&self) -> usize {
        self.nodes.iter().map(|node| node.operations.len()).sum()
    }

    /// Every message by its source: source and what it sends.
    pub fn sends(&self) -> impl Iterator<Item = (u32, Message)> {
        (0..).zip(&self.nodes).flat_map(|(source, node)| {
            node.operations
                .iter()
                .filter_map(move |one| match one.action {
                    Action::Send(message) => Some((source, message)),
                    _ => None,
                })
        })
    }
}

impl Operation {
    /// The same where the nodes are these of a larger program.
    pub(super) fn among(mut self, members: &[u32]) -> Self {
        if let Action::Send(message) | Action::Receive(message) = &mut self.action {
            message.peer = members[message.peer as usize];
        }
        self
    }
}

impl Node {
    /// Adds an operation on the first processor; gives its position.
    pub fn add(&mut self, action: Action) -> u32 {
        let (cpu, nic) = (0, 0);
        self.operations.push(Operation { action, cpu, nic });
        self.operations.len() as u32 - 1
    }

    /// Lets an operation begin only after another has ended.
    pub fn after(&mut self, operation: u32, on: u32) {
        self.needs.push(Need {
            operation,
            on,
            until: Until::Ended,
        });
    }
}
