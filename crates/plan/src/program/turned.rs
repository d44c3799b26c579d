//! Programs that repeat: each node does what the one so many before it does, with peers that are so many further on.
//!
//! Rings and all-to-alls where each node begins behind itself are of this kind. On a network that looks the same from
//! the one node as from the other, both are always equally far.

use super::{Action, Message, Node, Program};

impl Program {
    /// After how many nodes it repeats: a divisor of their number, which itself is one.
    pub fn period(&self) -> usize {
        let periods = self.periods();
        periods.into_iter().next().unwrap_or(self.nodes.len())
    }

    /// After how many nodes it repeats, from the fewest on, all of them last.
    pub fn periods(&self) -> Vec<usize> {
        let count = self.nodes.len();
        let divisors = (1..=count).filter(|shift| count.is_multiple_of(*shift));
        let mut shifts = divisors.skip_while(|shift| !self.repeats_after(*shift));
        let Some(least) = shifts.next() else {
            return Vec::new();
        };
        let longer = shifts.filter(|shift| shift.is_multiple_of(least));
        std::iter::once(least).chain(longer).collect()
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

    #[test]
    fn a_ring_repeats_after_each_node_and_one_that_differs_does_not() {
        let mut ring = shifted(12, 1);
        assert_eq!(ring.periods(), [1, 2, 3, 4, 6, 12]);
        for node in [2, 8] {
            ring.nodes[node].add(Action::Compute { ns: 5 });
        }
        assert_eq!(ring.periods(), [6, 12]);
        ring.nodes[8].add(Action::Compute { ns: 5 });
        assert_eq!(ring.periods(), [12]);
        assert_eq!(Program::default().period(), 0);
    }

    #[test]
    fn the_first_nodes_of_what_repeats_have_partners_that_stand_for_the_others() {
        let ring = shifted(12, 5);
        let schedule = super::super::Schedule::of_first(&ring, 3, 0).unwrap();
        assert_eq!((schedule.nodes(), schedule.operations()), (3, 6));
        // Node 0 sends to node 5, for which node 2 stands; it receives there from node 0.
        assert_eq!(schedule.partner(0), Some(2 * 2 + 1));
        assert_eq!(schedule.partner(5), Some(0));
        assert_eq!(schedule.messages(), 3);
        ring.check(0).unwrap();
    }
}
