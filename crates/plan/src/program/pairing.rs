//! Which receive a message meets: of the same ends and tag the first send meets the first receive, and so on.

use super::{Action, Message, Program};

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

    fn name_as_send(self, program: &Program) -> String {
        program.named(self.src as usize, self.position as usize)
    }

    fn name_as_receive(self, program: &Program) -> String {
        program.named(self.dst as usize, self.position as usize)
    }
}

/// No partner: what an operation has that is neither a send nor a receive.
pub const NONE: u32 = u32::MAX;

/// By operation of the first nodes, after which a program repeats, those of a node from `first` on: the one at the other
/// end of its message, or the one that is like it. The error names a message without another end, or one that is longer
/// than its receive.
pub fn partners(program: &Program, first: &[u32]) -> Result<Vec<u32>, String> {
    let count = first.len() as u32 - 1;
    let (mut sends, mut receives) = ends(program, count)?;
    sends.sort_unstable();
    receives.sort_unstable();
    if let Some(lone) = lone_end(program, &sends, &receives) {
        return Err(lone);
    }
    let mut partners = vec![NONE; first[count as usize] as usize];
    for (send, receive) in sends.iter().zip(&receives) {
        check_lengths(program, *send, *receive)?;
        let sent = first[send.src as usize] + send.position;
        let received = first[(receive.dst % count) as usize] + receive.position;
        partners[sent as usize] = received;
        partners[received as usize] = sent;
    }
    Ok(partners)
}

/// What the first nodes send, and what they receive.
fn ends(program: &Program, count: u32) -> Result<(Vec<End>, Vec<End>), String> {
    let (mut sends, mut receives) = (Vec::new(), Vec::new());
    let all = program.nodes.len() as u32;
    for (node, own) in (0..count).zip(&program.nodes) {
        for (position, one) in (0..).zip(&own.operations) {
            let (ends, src, dst) = match one.action {
                Action::Compute { .. } => continue,
                Action::Send(message) => (&mut sends, node, message.peer),
                Action::Receive(message) => (&mut receives, message.peer, node),
            };
            let message = one.action.message();
            let message = message.expect("what is sent or received is a message");
            check_peer(program, node, position, message)?;
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

fn check_peer(program: &Program, node: u32, position: u32, message: Message) -> Result<(), String> {
    let ranks = program.nodes.len();
    if (message.peer as usize) < ranks {
        return Ok(());
    }
    let name = program.named(node as usize, position as usize);
    Err(format!("{name}: there are {ranks} ranks, counted from 0"))
}

/// Says which end is without another one, if one is.
fn lone_end(program: &Program, sends: &[End], receives: &[End]) -> Option<String> {
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
        (Some(send), Some(receive)) if send > receive => Some(unsent(program, receive)),
        (Some(send), _) => Some(format!(
            "{}: that rank has no receive for it",
            send.name_as_send(program)
        )),
        (None, Some(receive)) => Some(unsent(program, receive)),
    }
}

fn unsent(program: &Program, receive: End) -> String {
    let name = receive.name_as_receive(program);
    format!("{name}: that rank has no send for it")
}

fn check_lengths(program: &Program, send: End, receive: End) -> Result<(), String> {
    let bytes = |node: u32, end: End| match program.nodes[node as usize].operations
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
        send.name_as_send(program),
        receive.name_as_receive(program)
    ))
}
