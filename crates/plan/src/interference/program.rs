//! Victim and congestor as one program: the congestor begins, the victim repeats what it does, and stops the congestor.

use std::collections::HashSet;

use super::{Interference, Roles};
use crate::program::{Action, Message, Program, Rounds, check_amount};

/// Messages that one node of a congestor has under way, so that its link is never idle.
const WINDOW: u32 = 2;
/// What a message carries that only says that something is so.
const TOKEN_BYTES: u64 = 1;
/// Of messages between a congestor and a victim; among themselves they have others.
const TOKEN_TAG: u32 = 0;

impl Interference {
    /// What each of so many nodes does in a phase of a step of these sizes.
    pub fn program(&self, phase: u32, sizes: &[u64], nodes: usize) -> Result<Program, String> {
        let (bytes, congestor) = self.trial(phase, sizes)?;
        let roles = self.roles(nodes);
        let count = roles.victims.len() as u32;
        let once = self.victim.program(self.algorithm, count, bytes)?;
        let targets = congestor.map(|one| one.targets(&roles.congestors));
        let targets = targets.unwrap_or_default();
        let load = u64::from(self.messages) * 2 * targets.len() as u64;
        let repeated = once.operations() as u64 * (u64::from(self.repeats) + 1);
        check_amount(nodes as u64, repeated + load)?;
        let mut program = self.repeated(&once, &roles, nodes, &targets);
        if !targets.is_empty() {
            self.congest(&mut program, &roles, &targets, self.congestor_bytes(bytes));
        }
        Ok(program)
    }

    /// The victim, which waits until what each of the congestor's nodes sends first has come, and tells them when it has
    /// ended. What it does first is not timed: connections are new.
    fn repeated(
        &self,
        once: &Program,
        roles: &Roles,
        nodes: usize,
        targets: &[Vec<u32>],
    ) -> Program {
        let (victims, root) = (&roles.victims[..], roles.victims[0]);
        let mut rounds = Rounds::new(nodes);
        let receivers = receivers(roles, targets).into_iter();
        rounds.add(root, receivers.map(|node| Action::Receive(token(node))));
        for lap in 0..=self.repeats {
            rounds.add_barrier(victims);
            let begins: Vec<u32> = victims.iter().map(|node| rounds.add_join(*node)).collect();
            rounds.add_program(once, victims);
            for (node, begin) in victims.iter().zip(begins) {
                let end = rounds.add_join(*node);
                if lap > 0 {
                    rounds.add_lap(*node, begin, end);
                }
            }
        }
        if !targets.is_empty() {
            rounds.add_barrier(victims);
            let told = roles.congestors.iter();
            rounds.add(root, told.map(|node| Action::Send(token(*node))));
        }
        rounds.end()
    }

    fn congest(&self, program: &mut Program, roles: &Roles, targets: &[Vec<u32>], bytes: u64) {
        let root = roles.victims[0];
        for (node, targets) in roles.congestors.iter().zip(targets) {
            self.add_sends(program, *node, targets, bytes);
        }
        let mut firsts = vec![Vec::new(); program.nodes.len()];
        for (node, targets) in roles.congestors.iter().zip(targets) {
            self.add_receives(program, *node, targets, bytes, &mut firsts);
        }
        for node in &roles.congestors {
            let own = &mut program.nodes[*node as usize];
            let firsts = &firsts[*node as usize];
            if !firsts.is_empty() {
                let begun = own.add(Action::Send(token(root)));
                firsts.iter().for_each(|first| own.after(begun, *first));
            }
            own.stop = Some(own.add(Action::Receive(token(root))));
        }
    }

    fn add_sends(&self, program: &mut Program, node: u32, targets: &[u32], bytes: u64) {
        let own = &mut program.nodes[node as usize];
        for (number, peer) in (0..self.messages).zip(targets.iter().cycle()) {
            let send = own.add(Action::Send(message(*peer, bytes)));
            if send >= WINDOW {
                own.after(send, send - WINDOW);
            }
            debug_assert_eq!(send, number, "nothing stands before them");
        }
    }

    /// The other ends of them; notes by node those of what another sends first.
    fn add_receives(
        &self,
        program: &mut Program,
        node: u32,
        targets: &[u32],
        bytes: u64,
        firsts: &mut [Vec<u32>],
    ) {
        for (number, peer) in (0..self.messages).zip(targets.iter().cycle()) {
            let receive = program.nodes[*peer as usize].add(Action::Receive(message(node, bytes)));
            if number == 0 {
                firsts[*peer as usize].push(receive);
            }
        }
    }
}

/// The congestor's nodes that receive what others send first.
fn receivers(roles: &Roles, targets: &[Vec<u32>]) -> Vec<u32> {
    let first: HashSet<_> = targets
        .iter()
        .filter_map(|targets| targets.first())
        .collect();
    let all = roles.congestors.iter().copied();
    all.filter(|node| first.contains(node)).collect()
}

fn token(peer: u32) -> Message {
    Message {
        peer,
        bytes: TOKEN_BYTES,
        tag: TOKEN_TAG,
    }
}

fn message(peer: u32, bytes: u64) -> Message {
    let tag = 0;
    Message { peer, bytes, tag }
}

#[cfg(test)]
mod tests {
    use super::super::{Congestor, Placement, Victim};
    use super::*;
    use crate::program::Schedule;

    fn interference(victim: Victim) -> Interference {
        Interference {
            nodes: None,
            rendezvous_bytes: 65_535,
            victim,
            algorithm: None,
            congestors: Congestor::ALL.to_vec(),
            share: 0.5,
            placement: Placement::Interleaved,
            seed: 1,
            repeats: 2,
            rounds: 2,
            congestor_bytes: None,
            messages: 5,
        }
    }

    #[test]
    fn every_victim_ends_beside_every_congestor() {
        for victim in [Victim::Allreduce, Victim::Bcast, Victim::Halo, Victim::Ring] {
            let tried = interference(victim);
            for (phase, nodes) in (0..12).flat_map(|phase| [4, 7, 8].map(|nodes| (phase, nodes))) {
                let program = tried.program(phase, &[100_000], nodes).unwrap();
                Schedule::of(&program, 65_535).unwrap();
                let roles = tried.roles(nodes);
                for node in &roles.victims {
                    assert_eq!(program.nodes[*node as usize].laps.len(), 2);
                }
                let beside = tried.trial(phase, &[100_000]).unwrap().1;
                for node in &roles.congestors {
                    let own = &program.nodes[*node as usize];
                    assert_eq!(own.stop.is_some(), beside.is_some());
                    assert_eq!(own.operations.is_empty(), beside.is_none());
                }
            }
        }
    }

    #[test]
    fn every_second_round_goes_the_other_way() {
        let tried = interference(Victim::Ring);
        let beside = |phase| tried.trial(phase, &[8, 64]).unwrap();
        let names: Vec<_> = (0..12)
            .map(|phase| beside(phase).1.map_or("alone", Congestor::name))
            .collect();
        let order = [
            "alone",
            "incast",
            "alltoall",
            "broadcast",
            "permutation",
            "mixed",
        ];
        assert_eq!(names[..6], order);
        assert!(names[6..].iter().rev().eq(&order));
        assert_eq!((beside(11).0, beside(12).0), (8, 64));
        assert!(tried.trial(24, &[8, 64]).is_err());
    }

    #[test]
    fn congestors_send_as_their_names_say() {
        let sent = |congestor: Congestor| congestor.targets(&[1, 3, 5, 7]);
        assert_eq!(sent(Congestor::Incast), [vec![], vec![1], vec![1], vec![1]]);
        assert_eq!(
            sent(Congestor::Broadcast),
            [vec![3, 5, 7], vec![], vec![], vec![]]
        );
        assert_eq!(sent(Congestor::Permutation), [[5], [7], [1], [3]]);
        assert_eq!(sent(Congestor::Alltoall)[1], [5, 7, 1]);
        // Incast on the first and third, all-to-all on the second and fourth.
        assert_eq!(sent(Congestor::Mixed), [vec![], vec![7], vec![1], vec![3]]);
    }
}
