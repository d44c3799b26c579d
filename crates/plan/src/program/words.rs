//! A node's part of a program as plain numbers, for players that have no JSON: python/weft/measure/execute/mpi/source/program.c reads it.
//!
//! One line, of whole numbers between single spaces:
//!
//! - how many operations, needs, laps, contents before and contents after; the operation that stops the node or -1; the
//!   bytes of the buffer, and of the memory with all that is on its way (0 where messages carry nothing in particular);
//! - each operation: 0 (computes), NANOSECONDS, CPU; or 1 (sends) or 2 (receives), PEER, BYTES, NAME, PLACE, ADDS, RANGES and
//!   for each range FROM and TO in the buffer;
//! - each need: OPERATION, ON, and 1 where it waits for an end, else 0; each lap: BEGIN, END;
//! - each content: FROM, TO, and the weights of its bytes.
//!
//! Messages from one node to another are numbered from 0, at both ends alike: that is their NAME.

use std::collections::HashMap;
use std::fmt::{Display, Write};

use super::{Action, Need, Node, Operation, Own, Until};
use crate::collective::Script;

/// The part of a node whose peers are called by these numbers; `script` where its messages carry the bytes of a buffer.
pub fn words_of(node: &Node, script: Option<&Script>, peers: &[u32]) -> String {
    let mut line = Line::default();
    let (places, memory_bytes) = script.map(Script::places).unwrap_or_default();
    let [before, after] = script.map_or([vec![], vec![]], |one| [one.before(), one.after()]);
    let counts = [
        node.operations.len(),
        node.needs.len(),
        node.laps.len(),
        before.len(),
        after.len(),
    ];
    line.put_all(counts);
    line.put(node.stop.map_or(-1, i64::from));
    line.put_all([script.map_or(0, Script::bytes), memory_bytes]);
    for (at, (operation, name)) in node.operations.iter().zip(names(node)).enumerate() {
        put_operation(&mut line, operation, name, peers);
        if operation.action.message().is_some() {
            put_piece(&mut line, script, &places, at);
        }
    }
    for Need {
        operation,
        on,
        until,
    } in &node.needs
    {
        line.put_all([*operation, *on, u32::from(*until == Until::Ended)]);
    }
    for lap in &node.laps {
        line.put_all([lap.begin, lap.end]);
    }
    for stretch in before.iter().chain(&after) {
        line.put_all([stretch.range.start, stretch.range.end]);
        line.put_all(stretch.weights);
    }
    line.0
}

fn put_operation(line: &mut Line, operation: &Operation, name: u32, peers: &[u32]) {
    let (kind, message) = match operation.action {
        Action::Compute { ns } => {
            line.put_all([0, ns, u64::from(operation.cpu)]);
            return;
        }
        Action::Send(message) => (1, message),
        Action::Receive(message) => (2, message),
    };
    line.put_all([kind, peers[message.peer as usize]]);
    line.put(message.bytes);
    line.put(name);
}

/// Where the bytes of a message lie while it is on its way, and where they are from or for.
fn put_piece(line: &mut Line, script: Option<&Script>, places: &[u64], operation: usize) {
    let piece = script.and_then(|one| one.pieces[operation].as_ref());
    line.put(places.get(operation).unwrap_or(&0));
    line.put(u32::from(piece.is_some_and(|one| one.adds)));
    let ranges = piece.map_or(&[][..], |one| &one.ranges);
    line.put(ranges.len());
    for range in ranges {
        line.put_all([range.start, range.end]);
    }
}

/// By operation: the number of its message among those from the same source to the same destination; of what computes 0.
/// Both ends have the same messages with the same tags, so that they come out alike.
fn names(node: &Node) -> Vec<u32> {
    let own = Own::of(node.clone());
    let mut between: HashMap<(bool, u32), Vec<u32>> = HashMap::new();
    for (at, operation) in (0..).zip(&node.operations) {
        if let Some(message) = operation.action.message() {
            let sends = matches!(operation.action, Action::Send(_));
            between.entry((sends, message.peer)).or_default().push(at);
        }
    }
    let mut names = vec![0; node.operations.len()];
    for mut messages in between.into_values() {
        messages.sort_by_key(|at| own.tag(*at));
        for (name, at) in (0..).zip(messages) {
            names[at as usize] = name;
        }
    }
    names
}

#[derive(Default)]
struct Line(String);

impl Line {
    fn put(&mut self, number: impl Display) {
        if !self.0.is_empty() {
            self.0.push(' ');
        }
        write!(self.0, "{number}").expect("writing to a string does not fail");
    }

    fn put_all(&mut self, numbers: impl IntoIterator<Item = impl Display>) {
        numbers.into_iter().for_each(|one| self.put(one));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collective::{Algorithm, Collective};
    use crate::program::Message;

    #[test]
    fn messages_have_the_same_names_at_both_ends_in_whichever_order_they_stand() {
        let message = |peer, tag| Message {
            peer,
            bytes: 8,
            tag,
        };
        let (mut source, mut destination) = (Node::default(), Node::default());
        for tag in [7, 5, 7] {
            source.add(Action::Send(message(1, tag)));
        }
        for tag in [5, 7, 7] {
            destination.add(Action::Receive(message(0, tag)));
        }
        assert_eq!(
            (names(&source), names(&destination)),
            (vec![1, 0, 2], vec![0, 1, 2])
        );
        assert_eq!(
            words_of(&source, None, &[4, 9]),
            "3 0 0 0 0 -1 0 0 1 9 8 1 0 0 0 1 9 8 0 0 0 0 1 9 8 2 0 0 0"
        );
    }

    #[test]
    fn a_collective_says_where_its_bytes_are_from_and_what_they_are() {
        let collective = Collective::of(crate::collective::Operation::Allreduce);
        let script = collective.script(Algorithm::RecursiveDoubling, 0, 2, 100);
        let words = words_of(&script.node, Some(&script), &[0, 1]);
        // Sends all of it, from behind the buffer, and adds what comes, which lies behind that.
        assert!(
            words.starts_with(
                "2 0 0 1 1 -1 100 300 1 1 100 0 100 1 1 0 100 2 1 100 0 200 1 1 0 100 0 100 "
            ),
            "{words}"
        );
    }
}
