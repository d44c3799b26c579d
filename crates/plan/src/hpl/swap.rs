//! How the rows that pivoting moves come to all processes of a column (HPL_pdlaswp00T, HPL_pdlaswp01T).

use super::exchange::Exchange;
use super::line::Line;

json_enum! {
    /// In which way.
    pub enum Swap {
        /// Over a hypercube.
        BinaryExchange = "binary-exchange",
        /// Spread over the column, then rolled around it.
        Long = "long",
        /// Long from more columns than a threshold on.
        Mix = "mix",
    }
}

impl Swap {
    /// What is done for so many columns.
    pub fn is_long(self, columns: u64, threshold: u64) -> bool {
        match self {
            Self::BinaryExchange => false,
            Self::Long => true,
            Self::Mix => columns > threshold,
        }
    }
}

/// Pivots by process of the line, whose rows from the panel on they are: as many for each row, which is what pivots of
/// a random matrix come to.
pub fn pivots(width: u64, rows: &[u64]) -> Vec<u64> {
    let all: u64 = rows.iter().sum();
    let mut before = 0;
    let mut shares = Vec::new();
    for own in rows {
        let from = width * before / all.max(1);
        before += own;
        shares.push(width * before / all.max(1) - from);
    }
    shares
}

/// A line whose first process has a panel's rows of some columns.
pub fn swap(line: &mut Line, is_long: bool, width: u64, columns: u64, pivots: &[u64]) {
    if line.len() < 2 || columns == 0 {
        return;
    }
    if is_long {
        let words: Vec<_> = pivots.iter().map(|rows| rows * columns).collect();
        line.spread(&words);
        line.roll(&words);
        return;
    }
    let whole = width * columns;
    // Each row goes with its place.
    let mut parts: Vec<_> = pivots.iter().map(|rows| rows * (columns + 1)).collect();
    parts[0] = 0;
    let adds = true;
    let (beyond, result) = (whole, whole);
    Exchange {
        beyond,
        whole,
        parts,
        adds,
        result,
    }
    .among(line);
}
