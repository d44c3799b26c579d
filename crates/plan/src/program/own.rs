//! A node's own part of a program, as the node carries it out.

use serde::{Deserialize, Serialize};

use super::dependents::Dependents;
use super::{Action, Dependent, Lap, Message, Need, Node, Operation, Until};

/// What a node does, and what of it waits for what. Its operations are numbered as they stand.
#[derive(Debug)]
pub struct Own {
    operations: Vec<Operation>,
    tags: Vec<u64>,
    needs: Vec<u32>,
    dependents: Dependents,
    laps: Vec<Lap>,
    stop: Option<u32>,
}

impl Own {
    /// The part of a node of a checked program.
    pub fn of(node: Node) -> Self {
        let count = node.operations.len();
        let mut needs = vec![0; count];
        for need in &node.needs {
            needs[need.operation as usize] += 1;
        }
        Self {
            tags: tags(&node.operations),
            needs,
            dependents: Dependents::of(count, || {
                node.needs.iter().map(|need| (need.on, dependent(need)))
            }),
            operations: node.operations,
            laps: node.laps,
            stop: node.stop,
        }
    }

    /// What is timed of it.
    pub fn laps(&self) -> &[Lap] {
        &self.laps
    }

    /// The receive after which all that it sends is empty.
    pub fn stop(&self) -> Option<u32> {
        self.stop
    }

    pub fn operations(&self) -> &[Operation] {
        &self.operations
    }

    /// By operation: what the message is called that it sends or receives. Both ends call it the same, and no other
    /// message between them has that name.
    pub fn tag(&self, operation: u32) -> u64 {
        self.tags[operation as usize]
    }

    /// By operation: how many needs it has.
    pub fn needs(&self) -> &[u32] {
        &self.needs
    }

    /// What waits for an operation.
    pub fn dependents(&self, operation: u32) -> &[Dependent] {
        self.dependents.of_one(operation)
    }
}

fn dependent(need: &Need) -> Dependent {
    Dependent {
        operation: need.operation,
        until: need.until,
    }
}

/// The tag of the trace, and how many messages with the same ends and tag stand before.
fn tags(operations: &[Operation]) -> Vec<u64> {
    let mut before = std::collections::HashMap::new();
    let tag = |one: &Operation| {
        let (sends, message) = match one.action {
            Action::Compute { .. } => return 0,
            Action::Send(message) => (true, message),
            Action::Receive(message) => (false, message),
        };
        let number: &mut u32 = before
            .entry((sends, message.peer, message.tag))
            .or_default();
        *number += 1;
        u64::from(message.tag) << 32 | u64::from(*number - 1)
    };
    operations.iter().map(tag).collect()
}

/// A node's part as it travels: what an operation is (0 computes, 1 sends, 2 receives), its peer, its nanoseconds or bytes, tag,
/// cpu and nic; and of needs whether they wait for an end.
#[derive(Serialize, Deserialize)]
pub(super) struct Packed {
    operations: Vec<(u8, u32, u64, u32, u8, u8)>,
    needs: Vec<(u32, u32, bool)>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    laps: Vec<(u32, u32)>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    stop: Option<u32>,
}

impl From<Node> for Packed {
    fn from(node: Node) -> Self {
        let pack = |one: Operation| {
            let (kind, message) = match one.action {
                Action::Compute { ns } => return (0, 0, ns, 0, one.cpu, one.nic),
                Action::Send(message) => (1, message),
                Action::Receive(message) => (2, message),
            };
            let Message { peer, bytes, tag } = message;
            (kind, peer, bytes, tag, one.cpu, one.nic)
        };
        let need = |one: Need| (one.operation, one.on, one.until == Until::Ended);
        Self {
            operations: node.operations.into_iter().map(pack).collect(),
            needs: node.needs.into_iter().map(need).collect(),
            laps: node.laps.iter().map(|lap| (lap.begin, lap.end)).collect(),
            stop: node.stop,
        }
    }
}

impl TryFrom<Packed> for Node {
    type Error = String;

    fn try_from(packed: Packed) -> Result<Self, String> {
        let count = packed.operations.len();
        let unpack = |(kind, peer, amount, tag, cpu, nic)| {
            let bytes = amount;
            let action = match kind {
                0 => Action::Compute { ns: amount },
                1 => Action::Send(Message { peer, bytes, tag }),
                2 => Action::Receive(Message { peer, bytes, tag }),
                other => return Err(format!("there is no operation of kind {other}")),
            };
            Ok(Operation { action, cpu, nic })
        };
        let is_there = |one: u32| (one as usize) < count;
        let timed = packed.laps.iter().flat_map(|(begin, end)| [*begin, *end]);
        if let Some(wrong) = timed.chain(packed.stop).find(|one| !is_there(*one)) {
            return Err(format!(
                "operation {wrong} is timed or stops, there are {count}"
            ));
        }
        let need = |(operation, on, ended)| {
            let until = if ended { Until::Ended } else { Until::Begun };
            let need = Need {
                operation,
                on,
                until,
            };
            let known = is_there(operation) && is_there(on);
            known.then_some(need).ok_or_else(|| {
                format!(
                    "a need names operation {}, there are {count}",
                    operation.max(on)
                )
            })
        };
        Ok(Self {
            operations: packed
                .operations
                .into_iter()
                .map(unpack)
                .collect::<Result<_, _>>()?,
            needs: packed
                .needs
                .into_iter()
                .map(need)
                .collect::<Result<_, _>>()?,
            laps: packed
                .laps
                .into_iter()
                .map(|(begin, end)| Lap { begin, end })
                .collect(),
            stop: packed.stop,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(peer: u32, tag: u32) -> Message {
        Message {
            peer,
            bytes: 8,
            tag,
        }
    }

    #[test]
    fn messages_of_the_same_ends_and_tag_have_names_of_their_own() {
        let mut node = Node::default();
        for action in [
            Action::Send(message(1, 5)),
            Action::Receive(message(1, 5)),
            Action::Send(message(1, 5)),
            Action::Send(message(2, 5)),
            Action::Compute { ns: 3 },
        ] {
            node.add(action);
        }
        node.after(4, 0);
        let own = Own::of(node.clone());
        let tags: Vec<u64> = (0..5).map(|one| own.tag(one)).collect();
        assert_eq!(tags, [5 << 32, 5 << 32, 5 << 32 | 1, 5 << 32, 0]);
        assert_eq!(
            (own.needs(), own.dependents(0)[0].operation),
            (&[0, 0, 0, 0, 1][..], 4)
        );
        let travelled = serde_json::to_string(&node).unwrap();
        assert_eq!(serde_json::from_str::<Node>(&travelled).unwrap(), node);
    }

    #[test]
    fn a_need_of_nothing_is_refused() {
        let text = r#"{"operations": [[0, 0, 1, 0, 0, 0]], "needs": [[0, 1, true]]}"#;
        let refused = serde_json::from_str::<Node>(text).unwrap_err().to_string();
        assert!(refused.contains("names operation 1"), "{refused}");
    }
}
