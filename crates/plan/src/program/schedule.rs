//! A program that has been checked: every message has two ends, and nothing waits for itself.

use std::ops::Range;

use super::dependents::{Dependents, starts};
use super::pairing::{self, NONE};
use super::{Action, Dependent, Lap, Node, Operation, check_amount};

/// A checked program. Operations of all nodes are numbered, those of a node one behind the other.
#[derive(Clone, Debug)]
pub struct Schedule {
    operations: Vec<Operation>,
    /// By node, and one more.
    first: Vec<u32>,
    /// By operation.
    node: Vec<u32>,
    /// By operation.
    partner: Vec<u32>,
    needs: Vec<u32>,
    dependents: Dependents,
    rendezvous_bytes: u64,
    /// By node: what is timed, and what stops it, by the numbers of operations.
    laps: Vec<Vec<Lap>>,
    stops: Vec<Option<u32>>,
}

impl Schedule {
    /// The first of so many nodes, after which they repeat, with the partners of their operations; whether these wait in a
    /// circle is not looked at. The error names an operation.
    pub(super) fn paired(nodes: &[Node], all: u32, rendezvous_bytes: u64) -> Result<Self, String> {
        let operations = nodes.iter().map(|node| node.operations.len());
        let count = operations.clone().sum::<usize>();
        check_amount(nodes.len() as u64, count as u64)?;
        check_needs(nodes)?;
        let first = starts(operations);
        let partner = pairing::partners(nodes, all, &first)?;
        let dependents = Dependents::of(partner.len(), || dependents_by(nodes, &first));
        let mut needs = vec![0; partner.len()];
        dependents_by(nodes, &first).for_each(|(_, one)| needs[one.operation as usize] += 1);
        Ok(Self {
            needs,
            node: nodes_of(&first),
            dependents,
            laps: nodes.iter().zip(&first).map(laps_of).collect(),
            stops: nodes
                .iter()
                .zip(&first)
                .map(|(node, first)| node.stop.map(|stop| first + stop))
                .collect(),
            operations: nodes
                .iter()
                .flat_map(|node| &node.operations)
                .copied()
                .collect(),
            first,
            partner,
            rendezvous_bytes,
        })
    }

    /// How many nodes there are.
    pub fn nodes(&self) -> usize {
        self.first.len() - 1
    }

    /// How many operations all nodes have.
    pub fn operations(&self) -> u32 {
        self.node.len() as u32
    }

    /// How many messages there are.
    pub fn messages(&self) -> u64 {
        let ends = self.partner.iter().filter(|one| **one != NONE);
        ends.count() as u64 / 2
    }

    /// The node that an operation is of.
    pub fn node(&self, operation: u32) -> u32 {
        self.node[operation as usize]
    }

    /// An operation by its number.
    pub fn operation(&self, operation: u32) -> Operation {
        self.operations[operation as usize]
    }

    /// The other end of a send or receive.
    pub fn partner(&self, operation: u32) -> Option<u32> {
        let partner = self.partner[operation as usize];
        (partner != NONE).then_some(partner)
    }

    /// By operation: how many needs it has.
    pub fn needs(&self) -> &[u32] {
        &self.needs
    }

    /// What waits for an operation.
    pub fn dependents(&self, operation: u32) -> &[Dependent] {
        self.dependents.of_one(operation)
    }

    /// What is timed of a node.
    pub fn laps(&self, node: u32) -> &[Lap] {
        &self.laps[node as usize]
    }

    /// The operation that stops a node, which goes on only until the others have ended.
    pub fn stop(&self, node: u32) -> Option<u32> {
        self.stops[node as usize]
    }

    /// The operations of a node.
    pub fn operations_of(&self, node: u32) -> Range<u32> {
        self.first[node as usize]..self.first[node as usize + 1]
    }

    /// Whether a message of so many bytes waits for its receive.
    pub fn is_rendezvous(&self, bytes: u64) -> bool {
        bytes > self.rendezvous_bytes
    }

    /// What messages call an operation.
    pub(super) fn named(&self, operation: u32) -> String {
        let node = self.node(operation) as usize;
        let position = operation - self.first[node];
        self.operation(operation).named(node, position as usize)
    }
}

/// Each need of all nodes: the operation that is waited for, and what waits.
fn dependents_by<'a>(
    nodes: &'a [Node],
    first: &'a [u32],
) -> impl Iterator<Item = (u32, Dependent)> + 'a {
    let nodes = nodes.iter().zip(first);
    nodes.flat_map(|(node, first)| {
        node.needs.iter().map(move |need| {
            let dependent = Dependent {
                operation: first + need.operation,
                until: need.until,
            };
            (first + need.on, dependent)
        })
    })
}

fn laps_of((node, first): (&Node, &u32)) -> Vec<Lap> {
    let laps = node.laps.iter().map(|lap| Lap {
        begin: first + lap.begin,
        end: first + lap.end,
    });
    laps.collect()
}

/// By operation its node.
fn nodes_of(first: &[u32]) -> Vec<u32> {
    let nodes = (0..).zip(first.windows(2));
    let numbered = nodes.flat_map(|(node, ends)| (ends[0]..ends[1]).map(move |_| node));
    numbered.collect()
}

fn check_needs(nodes: &[Node]) -> Result<(), String> {
    for (rank, node) in nodes.iter().enumerate() {
        let count = node.operations.len();
        let is_outside = |at: u32| at as usize >= count;
        let wrong = |need: &&super::Need| is_outside(need.operation) || is_outside(need.on);
        if let Some(need) = node.needs.iter().find(wrong) {
            let operation = need.operation.max(need.on);
            return Err(format!(
                "rank {rank}: a need names operation {}, there are {count}",
                u64::from(operation) + 1
            ));
        }
    }
    Ok(())
}

impl Action {
    /// What it sends or receives.
    pub fn message(self) -> Option<super::Message> {
        match self {
            Self::Compute { .. } => None,
            Self::Send(message) | Self::Receive(message) => Some(message),
        }
    }
}
