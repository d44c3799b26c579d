//! Moves of slots between nodes, round by round, and the program that they make.

use std::ops::Range;

use crate::program::{Action, Message, Program, Rounds};

/// Some of a node's slots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slots {
    /// So many from the first on, round and round.
    Range { first: u32, count: u32 },
    /// Those whose number has this bit.
    WithBit(u32),
}

/// Slots that go from a node to the same slots of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    pub src: u32,
    pub dst: u32,
    pub slots: Slots,
    /// Whether they are added to what is there, or take its place.
    pub adds: bool,
}

/// What takes moves.
pub trait Mover {
    /// How many nodes there are, and slots of each.
    fn nodes(&self) -> u32;

    /// How many bytes all slots of a node have together.
    fn bytes(&self) -> u64;

    /// Makes moves that begin when what their nodes did before has ended: all send what they had before the round.
    fn round(&mut self, moves: &[Move]);
}

impl Slots {
    /// All of so many.
    pub fn all(nodes: u32) -> Self {
        Self::Range {
            first: 0,
            count: nodes,
        }
    }

    /// One of them.
    pub fn one(slot: u32) -> Self {
        Self::Range {
            first: slot,
            count: 1,
        }
    }

    /// Their numbers, of so many.
    pub fn numbers(self, nodes: u32) -> Vec<u32> {
        match self {
            Self::Range { first, count } => (0..count).map(|one| (first + one) % nodes).collect(),
            Self::WithBit(bit) => (0..nodes).filter(|slot| slot >> bit & 1 == 1).collect(),
        }
    }

    /// Where their bytes are, one part behind the other, where all slots of a node have so many together.
    pub fn ranges(self, nodes: u32, bytes: u64) -> Vec<Range<u64>> {
        match self {
            Self::Range { first, count } => {
                let first = first % nodes;
                let end = first + count;
                match end <= nodes {
                    true => vec![between(first, end, nodes, bytes)],
                    false => vec![
                        between(first, nodes, nodes, bytes),
                        between(0, end - nodes, nodes, bytes),
                    ],
                }
            }
            Self::WithBit(_) => {
                let slots = self.numbers(nodes).into_iter();
                let each = slots.map(|slot| between(slot, slot + 1, nodes, bytes));
                each.collect()
            }
        }
    }

    /// Where they are as one part: those that do not go round.
    pub fn range(self, nodes: u32, bytes: u64) -> Range<u64> {
        self.ranges(nodes, bytes).swap_remove(0)
    }

    /// How many bytes they have.
    fn bytes(self, nodes: u32, bytes: u64) -> u64 {
        let parts = self.ranges(nodes, bytes).into_iter();
        parts.map(|part| part.end - part.start).sum()
    }
}

/// The bytes of the slots from one to another, of so many slots that have so many bytes.
fn between(from: u32, to: u32, nodes: u32, bytes: u64) -> Range<u64> {
    let before = |slot: u32| (u128::from(bytes) * u128::from(slot) / u128::from(nodes)) as u64;
    before(from)..before(to)
}

/// Moves become messages.
#[derive(Debug)]
pub struct Messages {
    /// Of whose first so many only the messages are made.
    first: u32,
    nodes: u32,
    bytes: u64,
    /// What adding a byte takes.
    reduce_ps: Option<u64>,
    rounds: Rounds,
    actions: Vec<Vec<Action>>,
    /// Slots whose bytes were counted last, which are mostly those of the next move too.
    counted: Option<(Slots, u64)>,
}

impl Messages {
    /// Those of the first of the nodes only; adding a byte takes `reduce_ps`, or nothing.
    pub fn of_first(first: u32, nodes: u32, bytes: u64, reduce_ps: Option<u64>) -> Self {
        Self {
            first,
            nodes,
            bytes,
            reduce_ps,
            rounds: Rounds::new(nodes as usize),
            actions: vec![Vec::new(); nodes as usize],
            counted: None,
        }
    }

    pub fn end(self) -> Program {
        self.rounds.end()
    }

    fn add(&mut self, one: &Move, sends: bool) {
        let bytes = self.bytes_of(one.slots);
        let message = |peer| Message {
            peer,
            bytes,
            tag: 0,
        };
        match sends {
            true => self.actions[one.src as usize].push(Action::Send(message(one.dst))),
            false => self.actions[one.dst as usize].push(Action::Receive(message(one.src))),
        }
    }

    /// Lets a node add what it has received in a round, before the next one.
    fn reduce(&mut self, one: &Move, reduce_ps: u64) {
        let ns = u128::from(self.bytes_of(one.slots)) * u128::from(reduce_ps) / 1000;
        let compute = Action::Compute { ns: ns as u64 };
        self.rounds.add(one.dst, [compute]);
    }

    fn bytes_of(&mut self, slots: Slots) -> u64 {
        match self.counted {
            Some((counted, bytes)) if counted == slots => bytes,
            _ => {
                let bytes = slots.bytes(self.nodes, self.bytes);
                self.counted = Some((slots, bytes));
                bytes
            }
        }
    }
}

impl Mover for Messages {
    fn nodes(&self) -> u32 {
        self.nodes
    }

    fn bytes(&self) -> u64 {
        self.bytes
    }

    fn round(&mut self, moves: &[Move]) {
        let is_first = |one: &&Move| one.src < self.first || one.dst < self.first;
        let moves: Vec<Move> = moves.iter().filter(is_first).copied().collect();
        // First what each sends, so that all nodes of a ring have the same order.
        for sends in [true, false] {
            for one in &moves {
                self.add(one, sends);
            }
        }
        for one in &moves {
            for node in [one.src, one.dst] {
                self.rounds.add(node, self.actions[node as usize].drain(..));
            }
        }
        if let Some(reduce_ps) = self.reduce_ps {
            let adding = moves.iter().filter(|one| one.adds);
            adding.for_each(|one| self.reduce(one, reduce_ps));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bytes_of_slots_are_those_of_the_buffer() {
        let range = |first, count| Slots::Range { first, count };
        assert_eq!(Slots::all(7).bytes(7, 100), 100);
        let each: Vec<_> = (0..7).map(|slot| Slots::one(slot).bytes(7, 100)).collect();
        assert_eq!(each, [14, 14, 14, 15, 14, 14, 15]);
        assert_eq!(range(5, 4).bytes(7, 100), 14 + 15 + 14 + 14);
        assert_eq!(Slots::WithBit(1).bytes(7, 100), 14 + 15 + 15);
        assert_eq!(Slots::WithBit(1).numbers(7), [2, 3, 6]);
    }
}
