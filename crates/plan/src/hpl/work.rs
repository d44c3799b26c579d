//! How many floating-point operations each part of the factorisation has, and how long they take a process.

/// How fast a process computes, in floating-point operations per second.
#[derive(Clone, Copy, Debug)]
pub struct Rates {
    /// Products of matrices whose common side is a block.
    pub dgemm: u64,
    /// The factorisation of a panel of a block's width.
    pub panel: u64,
}

/// Of the whole solution, as HPL counts: 2/3 n^3 + 3/2 n^2.
#[cfg(test)]
pub fn solution_flops(n: u64) -> f64 {
    let n = n as f64;
    (2.0 / 3.0 * n + 1.5) * n * n
}

/// Of a panel's own block, which all processes of its column factorise.
pub fn block_flops(width: u64) -> f64 {
    let width = width as f64;
    2.0 / 3.0 * width.powi(3) - width.powi(2) / 2.0 - width / 6.0
}

/// Of a panel's rows below its block.
pub fn below_flops(rows: u64, width: u64) -> f64 {
    rows as f64 * (width as f64).powi(2)
}

/// Of solving for a panel's rows in some columns, which all processes of a column do: the block's diagonal is ones.
pub fn solve_flops(width: u64, columns: u64) -> f64 {
    width as f64 * (width as f64 - 1.0) * columns as f64
}

/// Of updating what is below them.
pub fn update_flops(rows: u64, width: u64, columns: u64) -> f64 {
    2.0 * rows as f64 * width as f64 * columns as f64
}

/// What so many operations take at a rate.
pub fn span_ns(flops: f64, per_s: u64) -> u64 {
    (flops * 1e9 / per_s as f64).round() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The matrix and one column of right-hand sides, each part counted once, and the triangular system in the end.
    fn counted(n: u64, block: u64) -> f64 {
        let panels = (0..n).step_by(block as usize);
        let of_panel = |first: u64| {
            let width = block.min(n - first);
            let left = n - first - width;
            let columns = left + 1;
            let own = block_flops(width) + below_flops(left, width);
            own + solve_flops(width, columns) + update_flops(left, width, columns)
        };
        panels.map(of_panel).sum::<f64>() + (n * n) as f64
    }

    #[test]
    fn all_parts_together_are_what_hpl_counts_but_for_what_is_linear_in_n() {
        for (n, block) in [(1000, 80), (977, 64), (12, 5)] {
            let linear = 7.0 / 6.0 * n as f64;
            let off = counted(n, block) - (solution_flops(n) - linear);
            assert!(off.abs() < 1e-9 * solution_flops(n), "{n} {block} {off}");
        }
        // By hand: 2 unknowns. a/b, one update of the matrix and of the right side (2 each), 4 in the end.
        assert_eq!(counted(2, 1), 1.0 + 2.0 + 2.0 + 4.0);
    }

    #[test]
    fn a_billion_operations_take_a_second_at_a_billion_a_second() {
        assert_eq!(span_ns(1e9, 1_000_000_000), 1_000_000_000);
    }
}
