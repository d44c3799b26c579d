//! A grid of processes, and which part of a matrix each has: blocks are dealt in turn (block-cyclic).

use serde::{Deserialize, Serialize};

/// Rows and columns of processes; they are numbered row by row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grid {
    pub rows: u32,
    pub columns: u32,
}

impl Grid {
    /// How many processes there are.
    pub fn ranks(self) -> u32 {
        self.rows.saturating_mul(self.columns)
    }

    /// The number of a process.
    pub fn rank(self, row: u32, column: u32) -> u32 {
        row * self.columns + column
    }

    /// The processes of a row, from a column on, round and round.
    pub fn row_from(self, row: u32, column: u32) -> Vec<u32> {
        let columns = (0..self.columns).map(|one| (column + one) % self.columns);
        columns.map(|column| self.rank(row, column)).collect()
    }

    /// The processes of a column, from a row on, round and round.
    pub fn column_from(self, column: u32, row: u32) -> Vec<u32> {
        let rows = (0..self.rows).map(|one| (row + one) % self.rows);
        rows.map(|row| self.rank(row, column)).collect()
    }

    /// The one of so many processes that is nearest to a square, with no more rows than columns, as HPL advises.
    pub fn squarest(ranks: u32) -> Self {
        let most = ranks.isqrt().max(1);
        let rows = (1..=most).rev().find(|rows| ranks % rows == 0);
        let rows = rows.unwrap_or(1);
        Self {
            rows,
            columns: ranks / rows,
        }
    }

    /// Reads `PxQ`; the error says what would be right.
    pub fn parse(text: &str) -> Result<Self, String> {
        let side = |text: &str| text.trim().parse().ok().filter(|side: &u32| *side > 0);
        let sides = text.split_once(['x', 'X']);
        let found = sides.and_then(|(rows, columns)| Some((side(rows)?, side(columns)?)));
        let (rows, columns) =
            found.ok_or("must be rows and columns of processes, such as \"8x8\"")?;
        Ok(Self { rows, columns })
    }
}

impl std::fmt::Display for Grid {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(to, "{}x{}", self.rows, self.columns)
    }
}

/// How many of `count` rows or columns from `first` on are of the process `at` among `of`: HPL_numrocI, the first block
/// being of process 0.
pub fn local(count: u64, first: u64, block: u64, at: u32, of: u32) -> u64 {
    before(first + count, block, at, of) - before(first, block, at, of)
}

/// The same of the first `end`: HPL_numroc.
fn before(end: u64, block: u64, at: u32, of: u32) -> u64 {
    let turn = block * u64::from(of);
    let rest = (end % turn).saturating_sub(block * u64::from(at));
    end / turn * block + rest.min(block)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_dealt_in_turn() {
        // Ten rows in blocks of 2 over 3 processes: 0 0 1 1 2 2 0 0 1 1.
        let of_each = |first, count| [0, 1, 2].map(|at| local(count, first, 2, at, 3));
        assert_eq!(of_each(0, 10), [4, 4, 2]);
        assert_eq!(of_each(0, 9), [4, 3, 2]);
        assert_eq!(of_each(3, 4), [1, 1, 2]);
        assert_eq!(local(1000, 0, 80, 0, 1), 1000);
    }

    #[test]
    fn every_row_is_of_one_process() {
        for (count, first, block, of) in [(1000, 0, 80, 4), (997, 160, 80, 3), (5, 3, 7, 5)] {
            let all: u64 = (0..of).map(|at| local(count, first, block, at, of)).sum();
            assert_eq!(all, count);
        }
    }

    #[test]
    fn the_squarest_grid_has_no_more_rows_than_columns() {
        let grid = |ranks| Grid::squarest(ranks).to_string();
        assert_eq!(
            [16, 12, 7, 1, 2].map(grid),
            ["4x4", "3x4", "1x7", "1x1", "1x2"]
        );
        assert_eq!(
            Grid::parse("2X3").map(|grid| grid.to_string()),
            Ok("2x3".to_owned())
        );
        Grid::parse("0x3").unwrap_err();
        Grid::parse("9").unwrap_err();
    }
}
