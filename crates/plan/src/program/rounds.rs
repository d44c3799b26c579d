//! Programs that go from round to round: what a node does in one begins when all it did in the one before has ended.

use super::{Action, Lap, Message, Need, Node, Program, Until};
use crate::phase::{Phase, Transfer, Work};

/// More operations than these are joined into one that does nothing, on which the next round waits.
const MOST_WAITED_FOR: usize = 4;
/// What a message of a barrier carries.
const TOKEN_BYTES: u64 = 1;

/// A program while rounds are added to it.
#[derive(Debug)]
pub struct Rounds {
    program: Program,
    /// By node: what its next round waits for.
    last: Vec<Vec<u32>>,
    /// By node: the ends of what goes on beside its rounds.
    beside: Vec<Vec<u32>>,
}

impl Rounds {
    /// None yet.
    pub fn new(nodes: usize) -> Self {
        Self {
            program: Program::idle(nodes),
            last: vec![Vec::new(); nodes],
            beside: vec![Vec::new(); nodes],
        }
    }

    /// Adds a node's next round.
    pub fn add(&mut self, node: u32, actions: impl IntoIterator<Item = Action>) {
        let (own, last) = (
            &mut self.program.nodes[node as usize],
            &mut self.last[node as usize],
        );
        let first = own.operations.len() as u32;
        for action in actions {
            let operation = own.add(action);
            last.iter().for_each(|before| own.after(operation, *before));
        }
        let end = own.operations.len() as u32;
        if end > first {
            *last = (first..end).collect();
        }
        self.join_many(node);
    }

    fn join_many(&mut self, node: u32) {
        let (own, last) = (
            &mut self.program.nodes[node as usize],
            &mut self.last[node as usize],
        );
        if last.len() > MOST_WAITED_FOR {
            let join = own.add(Action::Compute { ns: 0 });
            last.iter().for_each(|before| own.after(join, *before));
            *last = vec![join];
        }
    }

    /// Adds what a node does one after the other, once its last round has ended; the next ones do not wait for it.
    pub fn add_beside(&mut self, node: u32, actions: impl IntoIterator<Item = Action>) {
        let own = &mut self.program.nodes[node as usize];
        let mut before = self.last[node as usize].clone();
        for action in actions {
            let operation = own.add(action);
            before.iter().for_each(|one| own.after(operation, *one));
            before = vec![operation];
        }
        self.beside[node as usize].extend(before);
    }

    /// Lets a node's next round wait for what was added beside, too.
    pub fn join(&mut self, node: u32) {
        let beside = std::mem::take(&mut self.beside[node as usize]);
        let last = &mut self.last[node as usize];
        let new = beside.into_iter().filter(|one| !last.contains(one));
        let new: Vec<_> = new.collect();
        last.extend(new);
    }

    /// Adds a round that takes no time and ends when all before it have; gives its position.
    pub fn add_join(&mut self, node: u32) -> u32 {
        self.add(node, [Action::Compute { ns: 0 }]);
        self.last[node as usize][0]
    }

    /// Times a node from the end of one operation to the end of another.
    pub fn add_lap(&mut self, node: u32, begin: u32, end: u32) {
        let laps = &mut self.program.nodes[node as usize].laps;
        laps.push(Lap { begin, end });
    }

    /// Adds all that a program does as one round, whose nodes are these.
    pub fn add_program(&mut self, program: &Program, members: &[u32]) {
        for (own, node) in program.nodes.iter().zip(members) {
            self.add_part(own, *node, members);
        }
    }

    fn add_part(&mut self, part: &Node, node: u32, members: &[u32]) {
        let (own, last) = (
            &mut self.program.nodes[node as usize],
            &mut self.last[node as usize],
        );
        let first = own.operations.len() as u32;
        own.operations
            .extend(part.operations.iter().map(|one| one.among(members)));
        let (mut waits, mut awaited) = (
            vec![false; part.operations.len()],
            vec![false; part.operations.len()],
        );
        for need in &part.needs {
            waits[need.operation as usize] = true;
            awaited[need.on as usize] |= need.until == Until::Ended;
            own.needs.push(Need {
                operation: first + need.operation,
                on: first + need.on,
                ..*need
            });
        }
        for (operation, _) in (first..).zip(waits).filter(|(_, waits)| !waits) {
            last.iter().for_each(|before| own.after(operation, *before));
        }
        let ends = (first..).zip(awaited).filter(|(_, awaited)| !awaited);
        let ends: Vec<u32> = ends.map(|(operation, _)| operation).collect();
        if !ends.is_empty() {
            *last = ends;
            self.join_many(node);
        }
    }

    /// How many operations a node has so far.
    pub fn count(&self, node: u32) -> usize {
        self.program.nodes[node as usize].operations.len()
    }

    /// Lets nodes wait for each other: in round k each tells the 2^k-th after it (a dissemination barrier; D. Hensgen et
    /// al., Int. J. of Parallel Programming 17(1), 1988).
    pub fn add_barrier(&mut self, members: &[u32]) {
        let count = members.len();
        let mut distance = 1;
        while distance < count {
            for (position, node) in members.iter().enumerate() {
                let message = |peer: usize| Message {
                    peer: members[peer % count],
                    bytes: TOKEN_BYTES,
                    tag: 0,
                };
                let next = Action::Send(message(position + distance));
                let before = Action::Receive(message(position + count - distance));
                self.add(*node, [next, before]);
            }
            distance *= 2;
        }
    }

    /// The program.
    pub fn end(self) -> Program {
        self.program
    }
}

/// What phases make nodes do: each transfer is one message, and a barrier among all that take part is before each phase
/// but the first. The error says which phases cannot be had as messages.
pub fn of_phases(phases: &[Phase], nodes: usize) -> Result<Program, String> {
    let mut rounds = Rounds::new(nodes);
    let all: Vec<u32> = (0..nodes as u32).collect();
    for (number, phase) in phases.iter().enumerate() {
        if phase.work == Work::Cast {
            return Err("a cast goes on while it comes in, which whole messages do not".to_owned());
        }
        if number > 0 {
            rounds.add_barrier(&all);
        }
        add_transfers(&mut rounds, &phase.transfers, nodes);
        if phase.work == Work::Pingpong {
            let back = phase.transfers.iter().map(|there| Transfer {
                src: there.dst,
                dst: there.src,
                ..*there
            });
            add_transfers(&mut rounds, &back.collect::<Vec<_>>(), nodes);
        }
    }
    Ok(rounds.end())
}

fn add_transfers(rounds: &mut Rounds, transfers: &[Transfer], nodes: usize) {
    let mut actions = vec![Vec::new(); nodes];
    for one in transfers {
        let message = |peer| Message {
            peer,
            bytes: one.bytes,
            tag: 0,
        };
        actions[one.src as usize].push(Action::Send(message(one.dst)));
        actions[one.dst as usize].push(Action::Receive(message(one.src)));
    }
    for (node, actions) in (0..).zip(actions) {
        rounds.add(node, actions);
    }
}
