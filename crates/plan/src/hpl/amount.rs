//! How large a skeleton gets, before it is made.

use super::skeleton::Problem;

/// No fewer operations than all processes have.
pub fn operations(problem: &Problem) -> u64 {
    let (rows, columns) = (problem.grid.rows, problem.grid.columns);
    let ranks = u64::from(problem.grid.ranks());
    let panels = problem.n.div_ceil(problem.block);
    let pieces = match problem.looks_ahead {
        true => panels.div_ceil(u64::from(columns)) / 2 + 3,
        false => 1,
    };
    let of_panel = factoring(problem)
        + ranks * (broadcasting(problem, columns) + swapping(problem, rows) + pieces + 1);
    let solving = 2 * u64::from(rows) * 4 + 2;
    panels
        .saturating_mul(of_panel + solving)
        .saturating_add(4 * ranks)
}

fn factoring(problem: &Problem) -> u64 {
    let rows = u64::from(problem.grid.rows);
    if rows == 1 {
        return 1;
    }
    let seeks = problem.block.div_ceil(problem.pivots.min(problem.block));
    seeks * rows * (1 + crossings(rows))
}

/// Sends and receives of each process where a line exchanges over a cube.
fn crossings(line: u64) -> u64 {
    let beyond = if line.is_power_of_two() { 0 } else { 4 };
    2 * u64::from(line.ilog2()) + beyond
}

/// Sends and receives of each process where a line spreads and rolls.
fn rolling(line: u64) -> u64 {
    2 * (line - 1) + 2
}

fn broadcasting(problem: &Problem, columns: u32) -> u64 {
    match problem.broadcast.is_passed_on() {
        true => 2,
        false => rolling(columns.into()) + 2,
    }
}

fn swapping(problem: &Problem, rows: u32) -> u64 {
    let times = if problem.looks_ahead { 2 } else { 1 };
    let is_long = problem.swap.is_long(u64::MAX, problem.swap_threshold);
    times
        * match rows {
            1 => 0,
            _ if is_long => rolling(rows.into()).max(crossings(rows.into())),
            _ => crossings(rows.into()),
        }
}
