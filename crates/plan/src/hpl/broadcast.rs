//! The six broadcasts of a panel along a row of processes (HPL's src/comm), by distance from the one that has it.

use super::line::{Line, parts};
use crate::program::Action;

json_enum! {
    /// In which way.
    pub enum Broadcast {
        /// Each passes it on to the next.
        Ring = "1ring",
        /// The next gets it and need not pass it on.
        RingModified = "1ringM",
        /// Two halves of a ring.
        TwoRings = "2ring",
        TwoRingsModified = "2ringM",
        /// Each gets a part, then all exchange parts.
        Long = "long",
        LongModified = "longM",
    }
}

/// The names that HPL.dat has for them.
pub(crate) const SHORT_NAMES: [(&str, Broadcast); 6] = [
    ("1rg", Broadcast::Ring),
    ("1rM", Broadcast::RingModified),
    ("2rg", Broadcast::TwoRings),
    ("2rM", Broadcast::TwoRingsModified),
    ("Lng", Broadcast::Long),
    ("LnM", Broadcast::LongModified),
];

/// Where a position gets all of the panel from, and where it then sends it, one after the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passing {
    pub from: Option<usize>,
    pub to: Vec<usize>,
}

impl Broadcast {
    /// Whether positions pass on the panel as a whole, for which HPL looks while it updates.
    pub fn is_passed_on(self) -> bool {
        !matches!(self, Self::Long | Self::LongModified)
    }

    /// What a position of so many does where panels are passed on whole.
    pub fn passing(self, at: usize, of: usize) -> Passing {
        let second = match self {
            Self::TwoRings | Self::TwoRingsModified => of.div_ceil(2),
            _ => of,
        };
        let skips = matches!(self, Self::RingModified | Self::TwoRingsModified);
        if at == 0 {
            let own = [1, 2, second];
            let is_sent = |to: &usize| *to < of && (*to != 2 || skips || second == 2);
            let mut to: Vec<_> = own.into_iter().filter(is_sent).collect();
            to.dedup();
            return Passing { from: None, to };
        }
        let is_first = at == 1 || at == second || (skips && at == 2);
        let passes = !(skips && at == 1) && at + 1 != second && at + 1 < of;
        Passing {
            from: Some(if is_first { 0 } else { at - 1 }),
            to: passes.then_some(at + 1).into_iter().collect(),
        }
    }

    /// Sends a panel of so many words along a line, nothing else going on meanwhile.
    pub fn along(self, line: &mut Line, words: u64) {
        match self {
            _ if line.len() < 2 => {}
            Self::Long => in_parts(line, words),
            Self::LongModified => {
                line.send(0, 1, words);
                if line.len() > 2 {
                    let ranks = line.ranks[..1].iter().chain(&line.ranks[2..]);
                    let ranks = ranks.copied().collect();
                    let rounds = &mut *line.rounds;
                    in_parts(&mut Line { rounds, ranks }, words);
                }
            }
            _ => (0..line.len()).for_each(|at| self.pass(line, at, words)),
        }
    }

    /// What a position does, in its turn.
    pub fn pass(self, line: &mut Line, at: usize, words: u64) {
        for action in self.actions(line, at, words) {
            line.rounds.add(line.ranks[at], [action]);
        }
    }

    /// The same beside what its rank does until it is joined.
    pub fn pass_beside(self, line: &mut Line, at: usize, words: u64) {
        let actions = self.actions(line, at, words);
        line.rounds.add_beside(line.ranks[at], actions);
    }

    fn actions(self, line: &Line, at: usize, words: u64) -> Vec<Action> {
        let passing = self.passing(at, line.len());
        let received = passing.from.and_then(|from| line.ends(from, at, words));
        let sent = passing.to.iter().filter_map(|to| line.ends(at, *to, words));
        let received = received.map(|ends| ends.1).into_iter();
        received.chain(sent.map(|ends| ends.0)).collect()
    }
}

fn in_parts(line: &mut Line, words: u64) {
    let parts = parts(words, line.len());
    line.spread(&parts);
    line.roll(&parts);
}
