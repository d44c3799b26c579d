//! What processes do from the first panel to the solution (HPL_pdgesv0, HPL_pdgesvK2 with one panel of look-ahead).

use super::broadcast::Broadcast;
use super::exchange::Exchange;
use super::layout::{Grid, local};
use super::line::Line;
use super::solve::Solve;
use super::swap::{self, Swap};
use super::work::{Rates, below_flops, block_flops, solve_flops, span_ns, update_flops};
use crate::program::{Action, Program, Rounds};

/// What is solved, and how.
#[derive(Clone, Copy, Debug)]
pub struct Problem {
    pub n: u64,
    pub block: u64,
    pub grid: Grid,
    pub broadcast: Broadcast,
    pub looks_ahead: bool,
    pub swap: Swap,
    /// Where `mix` changes from one to the other.
    pub swap_threshold: u64,
    /// So many columns of a panel seek their pivots in one exchange; HPL does each by itself.
    pub pivots: u64,
}

/// A panel, and the process that has its first rows.
#[derive(Clone, Copy)]
struct Panel {
    first: u64,
    width: u64,
    row: u32,
    column: u32,
}

impl Panel {
    fn end(self) -> u64 {
        self.first + self.width
    }
}

/// The program while it grows.
struct Skeleton {
    problem: Problem,
    rates: Rates,
    rounds: Rounds,
}

/// What each process of the grid does.
pub fn program(problem: Problem, rates: Rates) -> Program {
    let rounds = Rounds::new(problem.grid.ranks() as usize);
    let mut all = Skeleton {
        problem,
        rates,
        rounds,
    };
    match problem.looks_ahead {
        true => all.factorise_ahead(),
        false => all.factorise(),
    }
    let Problem { grid, n, block, .. } = problem;
    let rounds = &mut all.rounds;
    Solve {
        rounds,
        grid,
        n,
        block,
        rates,
    }
    .run();
    all.rounds.end()
}

impl Skeleton {
    /// Panel by panel.
    fn factorise(&mut self) {
        for panel in self.panels() {
            self.factor(panel);
            self.broadcast(panel);
            for column in 0..self.problem.grid.columns {
                let columns = self.columns_behind(panel, column);
                self.update(panel, column, columns, columns);
            }
        }
    }

    /// The next panel is made ready and sent before the others are updated.
    fn factorise_ahead(&mut self) {
        let panels = self.panels();
        self.factor(panels[0]);
        self.broadcast(panels[0]);
        for pair in panels.windows(2) {
            let (panel, next) = (pair[0], pair[1]);
            self.update(panel, next.column, next.width, next.width);
            self.factor(next);
            self.begin_broadcast(next);
            for column in 0..self.problem.grid.columns {
                let ready = if column == next.column { next.width } else { 0 };
                let columns = self.columns_behind(panel, column) - ready;
                self.update(panel, column, columns, self.problem.block);
            }
            (0..self.problem.grid.ranks()).for_each(|rank| self.rounds.join(rank));
        }
        let last = panels[panels.len() - 1];
        for column in 0..self.problem.grid.columns {
            let columns = self.columns_behind(last, column);
            self.update(last, column, columns, columns);
        }
    }

    fn panels(&self) -> Vec<Panel> {
        let Problem { n, block, grid, .. } = self.problem;
        let panel = |number: u64| Panel {
            first: number * block,
            width: block.min(n - number * block),
            row: (number % u64::from(grid.rows)) as u32,
            column: (number % u64::from(grid.columns)) as u32,
        };
        (0..n.div_ceil(block)).map(panel).collect()
    }

    /// Columns that a column of processes has behind a panel; the right side is the last.
    fn columns_behind(&self, panel: Panel, column: u32) -> u64 {
        let Problem { n, block, grid, .. } = self.problem;
        local(
            n + 1 - panel.end(),
            panel.end(),
            block,
            column,
            grid.columns,
        )
    }

    fn rows_below(&self, panel: Panel, row: u32) -> u64 {
        let Problem { n, block, grid, .. } = self.problem;
        local(n - panel.end(), panel.end(), block, row, grid.rows)
    }

    fn compute(&mut self, rank: u32, ns: u64) {
        if ns > 0 {
            self.rounds.add(rank, [Action::Compute { ns }]);
        }
    }

    /// The processes of a panel's column factorise it: its columns seek their pivots among all of them.
    fn factor(&mut self, panel: Panel) {
        let grid = self.problem.grid;
        let at_once = match grid.rows {
            1 => panel.width,
            _ => self.problem.pivots.min(panel.width),
        };
        let all_ns: Vec<_> = (0..grid.rows)
            .map(|row| {
                let below = below_flops(self.rows_below(panel, row), panel.width);
                span_ns(below + block_flops(panel.width), self.rates.panel)
            })
            .collect();
        for first in (0..panel.width).step_by(at_once as usize) {
            let end = panel.width.min(first + at_once);
            for (row, ns) in (0..).zip(&all_ns) {
                let until = |column| ns * column / panel.width;
                self.compute(grid.rank(row, panel.column), until(end) - until(first));
            }
            self.seek_pivots(panel, end - first);
        }
    }

    /// HPL_pdmxswp: the largest of a column, with its row, and the panel's own row (four words of head each).
    fn seek_pivots(&mut self, panel: Panel, columns: u64) {
        let ranks = self.problem.grid.column_from(panel.column, panel.row);
        if ranks.len() < 2 {
            return;
        }
        let found = (panel.width + 4) * columns;
        let beyond = panel.width * columns;
        let exchange = Exchange {
            beyond,
            whole: found + beyond,
            parts: vec![found; ranks.len()],
            adds: false,
            result: found,
        };
        let rounds = &mut self.rounds;
        exchange.among(&mut Line { rounds, ranks });
    }

    /// Each row of processes gets its part of a panel: its rows below the block, the block, its pivots and a flag.
    fn words(&self, panel: Panel, row: u32) -> u64 {
        let own = self.rows_below(panel, row) + panel.width + 1;
        own * panel.width + 1
    }

    fn broadcast(&mut self, panel: Panel) {
        for row in 0..self.problem.grid.rows {
            let words = self.words(panel, row);
            let ranks = self.problem.grid.row_from(row, panel.column);
            let rounds = &mut self.rounds;
            self.problem
                .broadcast
                .along(&mut Line { rounds, ranks }, words);
        }
    }

    /// The same, but that a panel which is passed on comes in while its receivers update.
    fn begin_broadcast(&mut self, panel: Panel) {
        let broadcast = self.problem.broadcast;
        if !broadcast.is_passed_on() {
            return self.broadcast(panel);
        }
        for row in 0..self.problem.grid.rows {
            let words = self.words(panel, row);
            let ranks = self.problem.grid.row_from(row, panel.column);
            let rounds = &mut self.rounds;
            let line = &mut Line { rounds, ranks };
            broadcast.pass(line, 0, words);
            (1..line.len()).for_each(|at| broadcast.pass_beside(line, at, words));
        }
    }

    /// A column of processes updates some of its columns with a panel, so many at a time: HPL looks for the next panel
    /// between them.
    fn update(&mut self, panel: Panel, column: u32, columns: u64, at_once: u64) {
        let Problem {
            grid,
            swap,
            swap_threshold,
            n,
            block,
            ..
        } = self.problem;
        let ranks = grid.column_from(column, panel.row);
        let rows = (0..grid.rows).map(|at| (panel.row + at) % grid.rows);
        let from_panel = rows.map(|row| local(n - panel.first, panel.first, block, row, grid.rows));
        let pivots = swap::pivots(panel.width, &from_panel.collect::<Vec<_>>());
        let is_long = swap.is_long(columns, swap_threshold);
        let rounds = &mut self.rounds;
        let line = &mut Line { rounds, ranks };
        swap::swap(line, is_long, panel.width, columns, &pivots);
        for row in 0..grid.rows {
            let below = self.rows_below(panel, row);
            for first in (0..columns).step_by(at_once.max(1) as usize) {
                let some = at_once.min(columns - first);
                let solved = solve_flops(panel.width, some);
                let flops = solved + update_flops(below, panel.width, some);
                self.compute(grid.rank(row, column), span_ns(flops, self.rates.dgemm));
            }
        }
    }
}
