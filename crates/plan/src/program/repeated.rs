//! Programs that repeat: each node does what the one so many before it does, with peers that are so many further on.
//!
//! Rings and all-to-alls where each node begins behind itself are of this kind. On a network that looks the same from
//! the one node as from the other, both are always equally far.

use std::borrow::Cow;

use super::{Action, Message, Node, Program};

/// The first nodes of a program, and how many it has in all: a multiple of theirs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repeated<'a> {
    pub nodes: Cow<'a, [Node]>,
    pub ranks: usize,
}

impl<'a> Repeated<'a> {
    /// A program, by as few nodes as it takes.
    pub fn of(program: &'a Program) -> Self {
        Self {
            nodes: Cow::Borrowed(&program.nodes[..program.period()]),
            ranks: program.nodes.len(),
        }
    }

    /// After how many nodes it repeats, from the fewest on, all of them last.
    pub fn periods(&self) -> impl DoubleEndedIterator<Item = usize> + Clone + use<> {
        let (period, ranks) = (self.nodes.len(), self.ranks);
        let times = (1..=ranks / period.max(1)).map(move |times| times * period);
        times.filter(move |shift| ranks % shift == 0)
    }

    /// The first nodes, as many as a period.
    pub fn first(&self, count: usize) -> Cow<'_, [Node]> {
        if count == self.nodes.len() {
            return Cow::Borrowed(&self.nodes);
        }
        (0..count).map(|node| self.node(node)).collect()
    }

    /// How many messages there are.
    pub fn messages(&self) -> u64 {
        let operations = self.nodes.iter().flat_map(|node| &node.operations);
        let sends = operations.filter(|one| matches!(one.action, Action::Send(_)));
        (sends.count() * (self.ranks / self.nodes.len().max(1))) as u64
    }

    fn node(&self, number: usize) -> Node {
        let like = number % self.nodes.len();
        let mut node = self.nodes[like].clone();
        for one in &mut node.operations {
            one.action = turned(one.action, (number - like) as u32, self.ranks as u32);
        }
        node
    }
}

impl From<Program> for Repeated<'static> {
    fn from(mut program: Program) -> Self {
        let (period, ranks) = (program.period(), program.nodes.len());
        program.nodes.truncate(period);
        Self {
            nodes: program.nodes.into(),
            ranks,
        }
    }
}

impl Program {
    /// After how many nodes it repeats: the least divisor of their number after which each does what the one so many
    /// before it does; all where one is timed or stopped.
    pub fn period(&self) -> usize {
        let count = self.nodes.len();
        let is_own = |node: &Node| !node.laps.is_empty() || node.stop.is_some();
        if self.nodes.iter().any(is_own) {
            return count;
        }
        let mut divisors = (1..count).filter(|shift| count % *shift == 0);
        divisors
            .find(|shift| self.repeats_after(*shift))
            .unwrap_or(count)
    }

    fn repeats_after(&self, shift: usize) -> bool {
        let count = self.nodes.len();
        (0..count - shift).all(|node| self.is_turned(node, node + shift))
            && (count - shift..count).all(|node| self.is_turned(node, node + shift - count))
    }

    /// Whether a node does what another does, with peers that are as far from it.
    fn is_turned(&self, node: usize, other: usize) -> bool {
        let ([one, two], all) = ([node, other].map(|at| &self.nodes[at]), self.nodes.len());
        let by = (other + all - node) % all;
        one.operations.len() == two.operations.len()
            && same_actions(one, two, by as u32, all as u32)
            && one.needs == two.needs
    }
}

fn same_actions(one: &Node, two: &Node, by: u32, all: u32) -> bool {
    let mut both = one.operations.iter().zip(&two.operations);
    both.all(|(one, two)| {
        (one.cpu, one.nic) == (two.cpu, two.nic) && turned(one.action, by, all) == two.action
    })
}

fn turned(action: Action, by: u32, all: u32) -> Action {
    let turned = |message: Message| Message {
        peer: match u64::from(message.peer) + u64::from(by) {
            peer if peer >= u64::from(all) => (peer - u64::from(all)) as u32,
            peer => peer as u32,
        },
        ..message
    };
    match action {
        Action::Compute { .. } => action,
        Action::Send(message) => Action::Send(turned(message)),
        Action::Receive(message) => Action::Receive(turned(message)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Schedule;
    use super::*;

    /// Each of so many nodes sends to that so many behind it, the others computing meanwhile.
    fn shifted(nodes: u32, by: u32) -> Program {
        let mut program = Program::idle(nodes as usize);
        for node in 0..nodes {
            let message = |peer: u32| Message {
                peer: peer % nodes,
                bytes: 8,
                tag: 0,
            };
            let own = &mut program.nodes[node as usize];
            own.add(Action::Send(message(node + by)));
            own.add(Action::Receive(message(node + nodes - by)));
        }
        program
    }

    fn periods(program: &Program) -> Vec<usize> {
        Repeated::of(program).periods().collect()
    }

    #[test]
    fn a_ring_repeats_after_each_node_and_one_that_differs_does_not() {
        let mut ring = shifted(12, 1);
        assert_eq!(periods(&ring), [1, 2, 3, 4, 6, 12]);
        for node in [2, 8] {
            ring.nodes[node].add(Action::Compute { ns: 5 });
        }
        assert_eq!(periods(&ring), [6, 12]);
        ring.nodes[8].add(Action::Compute { ns: 5 });
        assert_eq!(periods(&ring), [12]);
        assert_eq!(Program::default().period(), 0);
    }

    #[test]
    fn the_first_nodes_of_what_repeats_have_partners_that_stand_for_the_others() {
        let ring = shifted(12, 5);
        let repeated = Repeated::of(&ring);
        assert_eq!((repeated.nodes.len(), repeated.messages()), (1, 12));
        assert_eq!(repeated.first(12), ring.nodes);
        let schedule = Schedule::of_first(&repeated.first(3), 12, 0).unwrap();
        assert_eq!((schedule.nodes(), schedule.operations()), (3, 6));
        // Node 0 sends to node 5, for which node 2 stands; it receives there from node 0.
        assert_eq!(schedule.partner(0), Some(2 * 2 + 1));
        assert_eq!(schedule.partner(5), Some(0));
        assert_eq!(schedule.messages(), 3);
        ring.check(0).unwrap();
    }
}
