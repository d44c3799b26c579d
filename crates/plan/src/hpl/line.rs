//! What processes in a line do together, the first of which has something: messages between positions in that line.

use crate::program::{Action, Message, Rounds};

/// HPL computes with double precision.
pub const WORD_BYTES: u64 = 8;

/// Ranks in an order, and the program that they make.
pub struct Line<'a> {
    pub rounds: &'a mut Rounds,
    pub ranks: Vec<u32>,
}

impl Line<'_> {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.ranks.len()
    }

    /// A message is sent and received, each when its rank has ended what it did.
    pub fn send(&mut self, from: usize, to: usize, words: u64) {
        self.exchange(from, to, words, 0);
    }

    /// Two send to each other at the same time; of nothing there is no message.
    pub fn exchange(&mut self, one: usize, other: usize, words: u64, back: u64) {
        let there = self.ends(one, other, words);
        let return_ = self.ends(other, one, back);
        let [sent, received] = [there, return_].map(|ends| ends.unzip());
        let of_one = sent.0.into_iter().chain(received.1);
        let of_other = sent.1.into_iter().chain(received.0);
        self.rounds.add(self.ranks[one], of_one);
        self.rounds.add(self.ranks[other], of_other);
    }

    /// A send and its receive.
    pub fn ends(&self, from: usize, to: usize, words: u64) -> Option<(Action, Action)> {
        let message = |peer: usize| Message {
            peer: self.ranks[peer],
            bytes: words * WORD_BYTES,
            tag: 0,
        };
        let ends = (Action::Send(message(to)), Action::Receive(message(from)));
        (words > 0).then_some(ends)
    }

    /// All get the same from the first, over a binomial tree whose longest steps come first.
    pub fn broadcast(&mut self, words: u64) {
        self.descend(|_, _| words);
    }

    /// The first has a part for each position, and each gets its own: what is for those behind goes by way of them
    /// (HPL_spreadT, HPL_blong).
    pub fn spread(&mut self, words: &[u64]) {
        self.descend(|from, to| words[from..to].iter().sum());
    }

    /// A tree whose steps halve; `words` says what is sent to those from a position to another.
    fn descend(&mut self, words: impl Fn(usize, usize) -> u64) {
        let mut step = self.len().next_power_of_two() / 2;
        while step > 0 {
            for holder in (0..self.len() - step).step_by(2 * step) {
                let to = holder + step;
                let end = self.len().min(to + step);
                self.send(holder, to, words(to, end));
            }
            step /= 2;
        }
    }

    /// Each has its part, and all get all: in turn they exchange with the next and the one before (HPL_rollT,
    /// HPL_blong).
    pub fn roll(&mut self, words: &[u64]) {
        let count = self.len();
        for turn in 0..count - 1 {
            let half = turn / 2;
            for at in 0..count {
                let forward = (at + turn) % 2 == 0;
                let (part, to) = match forward {
                    true => ((at + count - half) % count, (at + 1) % count),
                    false => ((at + half) % count, (at + count - 1) % count),
                };
                let awaited = match forward {
                    true => (at + half + 1) % count,
                    false => (at + count - half - 1) % count,
                };
                let sent = self.ends(at, to, words[part]).map(|ends| ends.0);
                let received = self.ends(to, at, words[awaited]).map(|ends| ends.1);
                self.rounds
                    .add(self.ranks[at], sent.into_iter().chain(received));
            }
        }
    }
}

/// So many words in nearly equal parts; the last has what is left over, as in HPL_blong.
pub fn parts(words: u64, count: usize) -> Vec<u64> {
    let each = (words / count as u64).max(1);
    let before = |position: usize| match position == count {
        true => words,
        false => words.min(each * position as u64),
    };
    (0..count).map(|at| before(at + 1) - before(at)).collect()
}
