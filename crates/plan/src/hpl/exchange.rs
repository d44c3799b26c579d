//! Exchanges in a column in which all end with what the first has, and the first with what of theirs it needs.
//!
//! They go over a hypercube of the largest power of two of ranks; those beyond it give theirs to a partner before, and get
//! the result behind (HPL_pdmxswp, HPL_pdlaswp00T).

use super::line::Line;

/// How long the messages are, in words.
pub struct Exchange {
    /// What the first sends to the one beyond the cube that is its partner.
    pub beyond: u64,
    /// What those send that have the first's already.
    pub whole: u64,
    /// What all others send, by position; that of the first is never sent.
    pub parts: Vec<u64>,
    /// Whether parts that came together are sent on together.
    pub adds: bool,
    /// What those beyond the cube get in the end.
    pub result: u64,
}

impl Exchange {
    /// Lets a line exchange.
    pub fn among(mut self, line: &mut Line) {
        let cube = 1 << line.len().ilog2();
        self.fold(line, cube);
        let mut step = 1;
        while step < cube {
            self.cross(line, cube, step);
            step *= 2;
        }
        let beyond = line.len() - cube;
        if beyond > 1 {
            let ranks = line.ranks[cube..].to_vec();
            let rounds = &mut *line.rounds;
            Line { rounds, ranks }.broadcast(self.beyond);
        }
        for partner in 0..beyond {
            line.send(partner, partner + cube, self.result);
        }
    }

    /// Those beyond the cube give what they have.
    fn fold(&mut self, line: &mut Line, cube: usize) {
        for partner in 0..line.len() - cube {
            let part = self.parts[partner + cube];
            if partner == 0 {
                line.exchange(0, cube, self.beyond, part);
                continue;
            }
            line.send(partner + cube, partner, part);
            if self.adds {
                self.parts[partner] += part;
            }
        }
    }

    fn cross(&mut self, line: &mut Line, cube: usize, step: usize) {
        for lower in (0..cube).filter(|at| at & step == 0) {
            let upper = lower + step;
            let there = match lower < step {
                true => self.whole,
                false => self.parts[lower],
            };
            line.exchange(lower, upper, there, self.parts[upper]);
        }
        if !self.adds {
            return;
        }
        for lower in (0..cube).filter(|at| at & step == 0) {
            let sum = self.parts[lower] + self.parts[lower + step];
            self.parts[lower] = sum;
            self.parts[lower + step] = sum;
        }
    }
}
