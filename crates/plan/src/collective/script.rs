//! What one node does in a collective, with the parts of its buffer that its messages are from and for.

use std::ops::Range;

use super::contents::{Content, Stretch, after, before, bytes_of, joined, weights_of};
use super::moves::{Move, Mover, Slots};
use super::{Algorithm, Collective, Operation};
use crate::program::{Action, Message, Node, Rounds};

/// The part of a node in a collective.
#[derive(Debug)]
pub struct Script {
    pub node: Node,
    /// By operation of the node: what it moves; nothing where it only joins others.
    pub pieces: Vec<Option<Piece>>,
    operation: Operation,
    rank: u32,
    nodes: u32,
    bytes: u64,
}

/// What a message of the node carries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Parts of the buffer, in the order in which their bytes stand in the message.
    pub ranges: Vec<Range<u64>>,
    /// Whether a receive adds to what is there, or takes its place.
    pub adds: bool,
    /// The operations of a round begin together, and all have ended before the next one.
    pub round: u32,
}

/// A byte of a buffer that is not what it should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WrongByte {
    pub at: u64,
    pub found: u8,
    pub right: u8,
}

impl Collective {
    /// What one of so many nodes does for a buffer of so many bytes.
    pub fn script(&self, algorithm: Algorithm, rank: u32, nodes: u32, bytes: u64) -> Script {
        let mut to = Own {
            rank,
            nodes,
            bytes,
            rounds: Rounds::new(nodes as usize),
            pieces: Vec::new(),
            round: 0,
        };
        self.move_all(algorithm, &mut to);
        let mut program = to.rounds.end();
        Script {
            node: program.nodes.swap_remove(rank as usize),
            pieces: to.pieces,
            operation: self.operation,
            rank,
            nodes,
            bytes,
        }
    }

    /// The same in a phase of a step of these sizes.
    pub fn script_of(
        &self,
        phase: u32,
        sizes: &[u64],
        rank: u32,
        nodes: u32,
    ) -> Result<Script, String> {
        let (algorithm, bytes) = self.way_of(phase, sizes, nodes as usize)?;
        self.check_known(algorithm)?;
        Ok(self.script(algorithm, rank, nodes, bytes))
    }
}

impl Script {
    /// The bytes of the node's buffer.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// How many bytes the node adds to others.
    pub fn added_bytes(&self) -> u64 {
        let operations = self.node.operations.iter().zip(&self.pieces);
        let added = operations.filter_map(|(one, piece)| {
            let message = one.action.message()?;
            let adds = piece.as_ref().is_some_and(|piece| piece.adds);
            (adds && matches!(one.action, Action::Receive(_))).then_some(message.bytes)
        });
        added.sum()
    }

    /// By operation: where its message lies while it is on its way, in a memory that begins with the buffer; and the bytes of
    /// that memory. Operations of different rounds share places.
    pub fn places(&self) -> (Vec<u64>, u64) {
        let (mut round, mut at, mut most) = (0, self.bytes, self.bytes);
        let mut places = Vec::with_capacity(self.pieces.len());
        for piece in &self.pieces {
            let moved = piece.as_ref().filter(|piece| piece.round != round);
            if let Some(piece) = moved {
                (round, at) = (piece.round, self.bytes);
            }
            places.push(at);
            let ranges = piece.iter().flat_map(|piece| &piece.ranges);
            at += ranges.map(|one| one.end - one.start).sum::<u64>();
            most = most.max(at);
        }
        (places, most)
    }

    /// What the node has in the beginning.
    pub fn before(&self) -> Vec<Stretch> {
        self.stretches(|slot| Some(before(self.operation, self.nodes, self.rank, slot)))
    }

    /// What it must have in the end, where that matters.
    pub fn after(&self) -> Vec<Stretch> {
        self.stretches(|slot| after(self.operation, self.nodes, self.rank, slot))
    }

    fn stretches(&self, content: impl Fn(u32) -> Option<Content>) -> Vec<Stretch> {
        joined((0..self.nodes).filter_map(|slot| {
            Some(Stretch {
                range: Slots::one(slot).range(self.nodes, self.bytes),
                weights: weights_of(&content(slot)?),
            })
        }))
    }

    /// Write what the node has in the beginning; what it has not is zero.
    pub fn fill(&self, buffer: &mut [u8]) {
        for slot in 0..self.nodes {
            let range = Slots::one(slot).range(self.nodes, self.bytes);
            let content = before(self.operation, self.nodes, self.rank, slot);
            let part = &mut buffer[range.start as usize..range.end as usize];
            let bytes = bytes_of(&content, range.start);
            part.iter_mut().zip(bytes).for_each(|(to, byte)| *to = byte);
        }
    }

    /// The first byte that is wrong in the end.
    pub fn check(&self, buffer: &[u8]) -> Result<(), WrongByte> {
        for slot in 0..self.nodes {
            let Some(content) = after(self.operation, self.nodes, self.rank, slot) else {
                continue;
            };
            let range = Slots::one(slot).range(self.nodes, self.bytes);
            let right = bytes_of(&content, range.start);
            for ((at, found), right) in range
                .clone()
                .zip(&buffer[range.start as usize..])
                .zip(right)
            {
                if *found != right {
                    return Err(WrongByte {
                        at,
                        found: *found,
                        right,
                    });
                }
            }
        }
        Ok(())
    }
}

/// Takes the moves of one node.
struct Own {
    rank: u32,
    nodes: u32,
    bytes: u64,
    rounds: Rounds,
    pieces: Vec<Option<Piece>>,
    round: u32,
}

impl Mover for Own {
    fn nodes(&self) -> u32 {
        self.nodes
    }

    fn bytes(&self) -> u64 {
        self.bytes
    }

    fn round(&mut self, moves: &[Move]) {
        let is_mine = |one: &&Move| one.src == self.rank || one.dst == self.rank;
        let mut mine: Vec<&Move> = moves.iter().filter(is_mine).collect();
        // In the order of the program of all nodes.
        mine.sort_by_key(|one| one.src != self.rank);
        if mine.is_empty() {
            return;
        }
        let ranges = |one: &Move| one.slots.ranges(self.nodes, self.bytes);
        let pieces: Vec<_> = mine.iter().map(|one| (ranges(one), one.adds)).collect();
        let actions = mine.iter().zip(&pieces).map(|(one, (ranges, _))| {
            let bytes = ranges.iter().map(|part| part.end - part.start).sum();
            let message = |peer| Message {
                peer,
                bytes,
                tag: 0,
            };
            match one.src == self.rank {
                true => Action::Send(message(one.dst)),
                false => Action::Receive(message(one.src)),
            }
        });
        self.rounds.add(self.rank, actions);
        let round = self.round;
        let piece = |(ranges, adds)| {
            Some(Piece {
                ranges,
                adds,
                round,
            })
        };
        self.pieces.extend(pieces.into_iter().map(piece));
        // The round may have an operation more, which joins the others.
        self.pieces.resize(self.rounds.count(self.rank), None);
        self.round += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    /// Plays the scripts of all nodes with real bytes, round by round: all of these take part in each.
    fn play(scripts: &[Script]) -> Vec<Vec<u8>> {
        let mut buffers: Vec<_> = scripts.iter().map(filled).collect();
        let pieces = scripts[0].pieces.iter().flatten();
        for round in 0..=pieces.map(|one| one.round).max().unwrap() {
            let mut sent = HashMap::new();
            for ((rank, script), buffer) in (0..).zip(scripts).zip(&buffers) {
                for (action, piece) in of_round(script, round) {
                    if let Action::Send(message) = action {
                        let parts = piece.ranges.iter().cloned().flatten();
                        let bytes: Vec<u8> = parts.map(|at| buffer[at as usize]).collect();
                        sent.insert((rank, message.peer), bytes);
                    }
                }
            }
            for ((rank, script), buffer) in (0..).zip(scripts).zip(&mut buffers) {
                for (action, piece) in of_round(script, round) {
                    if let Action::Receive(message) = action {
                        apply(piece, &sent[&(message.peer, rank)], buffer);
                    }
                }
            }
        }
        buffers
    }

    fn apply(piece: &Piece, bytes: &[u8], buffer: &mut [u8]) {
        let mut bytes = bytes.iter();
        for at in piece.ranges.iter().cloned().flatten() {
            let byte = *bytes.next().unwrap();
            let there = &mut buffer[at as usize];
            *there = if piece.adds {
                there.wrapping_add(byte)
            } else {
                byte
            };
        }
        assert_eq!(bytes.next(), None);
    }

    fn filled(script: &Script) -> Vec<u8> {
        let mut buffer = vec![0; script.bytes() as usize];
        script.fill(&mut buffer);
        buffer
    }

    fn of_round(script: &Script, round: u32) -> impl Iterator<Item = (Action, &Piece)> {
        let operations = script.node.operations.iter().zip(&script.pieces);
        operations.filter_map(move |(one, piece)| {
            let piece = piece.as_ref().filter(|piece| piece.round == round)?;
            Some((one.action, piece))
        })
    }

    fn scripts(operation: Operation, algorithm: Algorithm, nodes: u32, bytes: u64) -> Vec<Script> {
        let script = |rank| collective(operation).script(algorithm, rank, nodes, bytes);
        (0..nodes).map(script).collect()
    }

    fn collective(operation: Operation) -> Collective {
        Collective {
            group: 3,
            ..Collective::of(operation)
        }
    }

    #[test]
    fn buffers_are_right_in_the_end_and_a_wrong_byte_is_named() {
        use Algorithm::{Bruck, Pairwise, RecursiveDoubling, RecursiveHalving, Ring};
        let ways = [
            (Operation::Allreduce, Ring),
            (Operation::Allreduce, RecursiveDoubling),
            (Operation::Allgather, Bruck),
            (Operation::ReduceScatter, RecursiveHalving),
            (Operation::ReduceScatter, Pairwise),
            (Operation::Alltoall, Bruck),
            (Operation::Alltoall, Pairwise),
        ];
        for (operation, algorithm) in ways {
            for bytes in [5, 800, 1003] {
                let scripts = scripts(operation, algorithm, 8, bytes);
                let mut buffers = play(&scripts);
                for (script, buffer) in scripts.iter().zip(&mut buffers) {
                    assert_eq!(
                        script.check(buffer),
                        Ok(()),
                        "{operation:?} {algorithm:?} {bytes}"
                    );
                    if (operation, algorithm) == (Operation::Allreduce, RecursiveDoubling) {
                        assert_eq!(script.added_bytes(), 3 * bytes);
                    }
                    // The end of a node's own slot, which matters in all of them.
                    let own = Slots::one(script.rank).range(8, bytes);
                    if !own.is_empty() {
                        buffer[own.end as usize - 1] ^= 1;
                        assert_eq!(script.check(buffer).unwrap_err().at, own.end - 1);
                    }
                }
            }
        }
    }

    /// The node's own part is that of the program that simulators play.
    #[test]
    fn a_script_is_the_node_s_part_of_the_program() {
        for operation in Operation::ALL {
            for nodes in [2, 7, 8, 17] {
                let collective = collective(operation);
                for algorithm in collective.ways(nodes) {
                    let program = collective
                        .program(algorithm, nodes as u32, 100_000)
                        .unwrap();
                    for (rank, node) in (0..).zip(&program.nodes) {
                        let script = collective.script(algorithm, rank, nodes as u32, 100_000);
                        assert_eq!(&script.node, node);
                        assert_eq!(script.pieces.len(), node.operations.len());
                    }
                }
            }
        }
    }
}
