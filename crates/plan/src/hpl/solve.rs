//! The triangular system in the end, from its last block to its first (HPL_pdtrsv).

use super::layout::{Grid, local};
use super::line::Line;
use super::work::{Rates, span_ns, update_flops};
use crate::program::{Action, Rounds};

/// A block of the solution, and the processes that have it.
#[derive(Clone, Copy)]
struct Block {
    width: u64,
    row: u32,
    column: u32,
}

/// The system while it is solved.
pub struct Solve<'a> {
    pub rounds: &'a mut Rounds,
    pub grid: Grid,
    pub n: u64,
    pub block: u64,
    pub rates: Rates,
}

impl Solve<'_> {
    /// Makes all processes solve it.
    pub fn run(mut self) {
        let blocks = self.n.div_ceil(self.block);
        self.move_right_side((blocks - 1) as u32 % self.grid.columns);
        for number in (0..blocks).rev() {
            let one = self.block_at(number);
            let own = (one.width * one.width) as f64;
            self.compute(self.grid.rank(one.row, one.column), own);
            if number > 0 {
                self.take_out(number, one, self.block_at(number - 1));
            }
        }
        let first = self.block_at(0);
        self.line(self.grid.column_from(0, 0))
            .broadcast(first.width);
    }

    fn block_at(&self, number: u64) -> Block {
        let of = |count: u32| (number % u64::from(count)) as u32;
        Block {
            width: self.block.min(self.n - number * self.block),
            row: of(self.grid.rows),
            column: of(self.grid.columns),
        }
    }

    fn line(&mut self, ranks: Vec<u32>) -> Line<'_> {
        let rounds = &mut *self.rounds;
        Line { rounds, ranks }
    }

    fn compute(&mut self, rank: u32, flops: f64) {
        let ns = span_ns(flops, self.rates.panel);
        if ns > 0 {
            self.rounds.add(rank, [Action::Compute { ns }]);
        }
    }

    /// The column of the right side goes to the processes that have the last block.
    fn move_right_side(&mut self, last: u32) {
        let now = (self.n / self.block % u64::from(self.grid.columns)) as u32;
        if now == last {
            return;
        }
        for row in 0..self.grid.rows {
            let rows = local(self.n, 0, self.block, row, self.grid.rows);
            let ranks = [now, last].map(|column| self.grid.rank(row, column));
            self.line(ranks.to_vec()).send(0, 1, rows);
        }
    }

    /// What a block means for those before it. What the next blocks need comes first, and goes to those that have them.
    fn take_out(&mut self, number: u64, one: Block, next: Block) {
        let above = number * self.block;
        let near = above.min(self.block * u64::from(self.grid.columns - 1).max(1));
        let rows = self.grid.rows;
        // The block goes up the column; a process passes it on when it has handed on what it made of it.
        for step in 0..rows {
            let row = (one.row + rows - step) % rows;
            let below = [row, (row + 1) % rows].map(|row| self.grid.rank(row, one.column));
            let up = [row, (row + rows - 1) % rows].map(|row| self.grid.rank(row, one.column));
            match step {
                0 if rows > 1 => self.half_send(up, one.width),
                0 => {}
                _ => self.half_receive(below, one.width),
            }
            let early = local(near, above - near, self.block, row, rows);
            self.compute(below[0], update_flops(early, one.width, 1));
            if next.column != one.column {
                let ranks = [below[0], self.grid.rank(row, next.column)];
                self.line(ranks.to_vec()).send(0, 1, early);
            }
            if step > 0 && step + 1 < rows {
                self.half_send(up, one.width);
            }
        }
        for row in 0..rows {
            let late = local(above - near, 0, self.block, row, rows);
            let flops = update_flops(late, one.width, 1);
            self.compute(self.grid.rank(row, one.column), flops);
        }
    }

    fn half_send(&mut self, [from, to]: [u32; 2], words: u64) {
        let line = self.line(vec![from, to]);
        let sent = line.ends(0, 1, words).map(|ends| ends.0);
        line.rounds.add(from, sent);
    }

    fn half_receive(&mut self, [at, from]: [u32; 2], words: u64) {
        let line = self.line(vec![from, at]);
        let received = line.ends(0, 1, words).map(|ends| ends.1);
        line.rounds.add(at, received);
    }
}
