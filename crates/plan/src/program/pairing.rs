//! Which receive a message meets: of the same ends and tag the first send meets the first receive, and so on.

use super::{Action, Message, Node};

/// An end of a message, in the order by which ends are paired. Of a program that repeats every so many nodes only the
/// messages are named whose source is among the first: an end is named by the message of these that it is like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct End {
    src: u32,
    dst: u32,
    tag: u32,
    /// Among the operations of its node.
    position: u32,
}

impl End {
    fn meets(self, other: Self) -> bool {
        (self.src, self.dst, self.tag) == (other.src, other.dst, other.tag)
    }

    fn name_as_send(self, nodes: &[Node]) -> String {
        named(nodes, self.src, self.position)
    }

    fn name_as_receive(self, nodes: &[Node]) -> String {
        named(nodes, self.dst, self.position)
    }
}

/// No partner: what an operation has that is neither a send nor a receive.
pub const NONE: u32 = u32::MAX;

/// By operation of the first of so many nodes, after which these repeat, those of a node from `first` on: the one at the
/// other end of its message, or the one that is like it. The error names a message without another end, or one that is
/// longer than its receive.
pub fn partners(nodes: &[Node], all: u32, first: &[u32]) -> Result<Vec<u32>, String> {
    let count = nodes.len() as u32;
    let (mut sends, mut receives) = ends(nodes, all)?;
    sends.sort_unstable();
    receives.sort_unstable();
    if let Some(lone) = lone_end(nodes, &sends, &receives) {
        return Err(lone);
    }
    let mut partners = vec![NONE; first[count as usize] as usize];
    for (send, receive) in sends.iter().zip(&receives) {
        check_lengths(nodes, *send, *receive)?;
        let sent = first[send.src as usize] + send.position;
        let received = first[(receive.dst % count) as usize] + receive.position;
        partners[sent as usize] = received;
        partners[received as usize] = sent;
    }
    Ok(partners)
}

/// What the first nodes send, and what they receive.
fn ends(nodes: &[Node], all: u32) -> Result<(Vec<End>, Vec<End>), String> {
    let (mut sends, mut receives) = (Vec::new(), Vec::new());
    let count = nodes.len() as u32;
    for (node, own) in (0..).zip(nodes) {
        for (position, one) in (0..).zip(&own.operations) {
            let (ends, src, dst) = match one.action {
                Action::Compute { .. } => continue,
                Action::Send(message) => (&mut sends, node, message.peer),
                Action::Receive(message) => (&mut receives, message.peer, node),
            };
            let message = one.action.message();
            let message = message.expect("what is sent or received is a message");
            check_peer(message, all).map_err(|why| {
                let name = one.named(node as usize, position as usize);
                format!("{name}: {why}")
            })?;
            let turn = src - src % count;
            ends.push(End {
                src: src - turn,
                dst: (dst + all - turn) % all,
                tag: message.tag,
                position,
            });
        }
    }
    Ok((sends, receives))
}

fn check_peer(message: Message, ranks: u32) -> Result<(), String> {
    match message.peer < ranks {
        true => Ok(()),
        false => Err(format!("there are {ranks} ranks, counted from 0")),
    }
}

/// What messages call an operation of a node; of the one that is like it, where the node is none of the first.
fn named(nodes: &[Node], node: u32, position: u32) -> String {
    let (node, position) = (node as usize, position as usize);
    nodes[node % nodes.len()].operations[position].named(node, position)
}

/// Says which end is without another one, if one is.
fn lone_end(nodes: &[Node], sends: &[End], receives: &[End]) -> Option<String> {
    let mut pairs = sends.iter().zip(receives);
    let (send, receive) = match pairs.position(|(send, receive)| !send.meets(*receive)) {
        Some(at) => (Some(sends[at]), Some(receives[at])),
        None => {
            let both = sends.len().min(receives.len());
            (sends.get(both).copied(), receives.get(both).copied())
        }
    };
    match (send, receive) {
        (None, None) => None,
        (Some(send), Some(receive)) if send > receive => Some(unsent(nodes, receive)),
        (Some(send), _) => Some(format!(
            "{}: that rank has no receive for it",
            send.name_as_send(nodes)
        )),
        (None, Some(receive)) => Some(unsent(nodes, receive)),
    }
}

fn unsent(nodes: &[Node], receive: End) -> String {
    let name = receive.name_as_receive(nodes);
    format!("{name}: that rank has no send for it")
}

fn check_lengths(nodes: &[Node], send: End, receive: End) -> Result<(), String> {
    let bytes = |node: u32, end: End| match nodes[node as usize % nodes.len()].operations
        [end.position as usize]
        .action
    {
        Action::Send(message) | Action::Receive(message) => message.bytes,
        Action::Compute { .. } => 0,
    };
    if bytes(send.src, send) <= bytes(receive.dst, receive) {
        return Ok(());
    }
    Err(format!(
        "{}: longer than what it meets, {}",
        send.name_as_send(nodes),
        receive.name_as_receive(nodes)
    ))
}
