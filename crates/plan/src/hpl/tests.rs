use super::*;
use crate::program::{Action, Node, Schedule};

const GIGA: u64 = 1_000_000_000;

fn hpl(n: u32, nb: u32, grid: &str) -> Hpl {
    Hpl {
        nodes: None,
        rendezvous_bytes: 65_535,
        compute: None,
        n,
        budget_ns: None,
        nb,
        grid: Some(Grid::parse(grid).unwrap()),
        bcast: Broadcast::RingModified,
        depth: 0,
        swap: Swap::Mix,
        threshold: 64,
        pfact: Factor::Right,
        nbmin: 4,
        ndiv: 2,
        pivots: 1,
        dgemm_flops: Some(GIGA),
        panel_flops: Some(GIGA),
        program: None,
    }
}

fn made(hpl: &Hpl) -> Program {
    hpl.program(4096).unwrap()
}

fn sent(node: &Node) -> Vec<(u32, u64)> {
    let sends = node.operations.iter().filter_map(|one| match one.action {
        Action::Send(message) => Some((message.peer, message.bytes)),
        _ => None,
    });
    sends.collect()
}

fn computed_ns(program: &Program) -> u64 {
    let all = program.nodes.iter().flat_map(|node| &node.operations);
    let spans = all.map(|one| match one.action {
        Action::Compute { ns } => ns,
        _ => 0,
    });
    spans.sum()
}

#[test]
fn every_way_ends_and_is_no_larger_than_was_said() {
    for grid in [
        "1x1", "1x2", "2x1", "2x2", "1x5", "3x4", "5x3", "7x2", "2x6",
    ] {
        for bcast in Broadcast::ALL {
            for swap in Swap::ALL {
                for depth in [0, 1] {
                    let one = Hpl {
                        bcast,
                        swap,
                        depth,
                        ..hpl(72, 8, grid)
                    };
                    let program = made(&one);
                    let most = amount::operations(&one.problem(4096).unwrap());
                    let have = program.operations() as u64;
                    assert!(
                        have <= most,
                        "{grid} {bcast:?} {swap:?} {depth}: {have} of {most}"
                    );
                    for rendezvous in [0, 65_535] {
                        Schedule::of(&program, rendezvous).unwrap();
                    }
                }
            }
        }
    }
}

/// What all processes of a column do each is counted as often; all else adds up to HPL's own formula.
#[test]
fn processes_compute_what_hpl_counts() {
    for (grid, depth) in [("1x1", 0), ("1x4", 0), ("3x2", 0), ("2x2", 1)] {
        let one = Hpl {
            depth,
            ..hpl(600, 32, grid)
        };
        let rows = one.grid.unwrap().rows;
        let n = 600;
        let often = (0..n).step_by(32).map(|first: u64| {
            let width = (n - first).min(32);
            work::block_flops(width) + work::solve_flops(width, n + 1 - first - width)
        });
        let again = f64::from(rows - 1) * often.sum::<f64>();
        let counted = work::solution_flops(n) - 7.0 / 6.0 * n as f64 + again;
        let off = computed_ns(&made(&one)) as f64 / counted - 1.0;
        assert!(off.abs() < 1e-4, "{grid} {depth}: {off}");
    }
}

/// By hand: 4 unknowns in blocks of 2 over 1x2 processes. The first panel has 2 rows below its block of 2x2, 2 pivots and
/// a flag, 9 words in all; then process 1 sends the second, whose block is all there is, 7 words. The right side is column
/// 4 and process 0's, the last block process 1's: 4 words. The solution of block 2 makes 2 words for block 1.
#[test]
fn a_small_system_sends_what_hpl_sends() {
    let program = made(&hpl(4, 2, "1x2"));
    assert_eq!(sent(&program.nodes[0]), [(1, 11 * 8), (1, 4 * 8)]);
    assert_eq!(sent(&program.nodes[1]), [(0, 7 * 8), (0, 2 * 8)]);
}

#[test]
fn all_processes_of_a_row_get_the_whole_panel() {
    for bcast in Broadcast::ALL {
        for columns in 2..9usize {
            let words = 1000;
            let mut rounds = crate::program::Rounds::new(columns);
            let ranks = (0..columns as u32).collect();
            bcast.along(
                &mut line::Line {
                    rounds: &mut rounds,
                    ranks,
                },
                words,
            );
            let got: Vec<u64> = rounds.end().nodes.iter().map(received_words).collect();
            let most = if bcast.is_passed_on() {
                words
            } else {
                2 * words
            };
            for (at, got) in got.iter().enumerate().skip(1) {
                assert!(
                    (words..=most).contains(got),
                    "{bcast:?} of {columns}, {at}: {got}"
                );
            }
        }
    }
}

fn received_words(node: &Node) -> u64 {
    let bytes = node.operations.iter().map(|one| match one.action {
        Action::Receive(message) => message.bytes,
        _ => 0,
    });
    bytes.sum::<u64>() / 8
}

#[test]
fn broadcasts_take_the_ways_of_hpl() {
    let to = |bcast: Broadcast, of| {
        let ways = (0..of).map(|at| bcast.passing(at, of).to);
        ways.collect::<Vec<_>>()
    };
    assert_eq!(to(Broadcast::Ring, 4), [vec![1], vec![2], vec![3], vec![]]);
    assert_eq!(
        to(Broadcast::RingModified, 4),
        [vec![1, 2], vec![], vec![3], vec![]]
    );
    assert_eq!(
        to(Broadcast::TwoRings, 5),
        [vec![1, 3], vec![2], vec![], vec![4], vec![]]
    );
    let modified = to(Broadcast::TwoRingsModified, 6);
    assert_eq!(
        modified,
        [vec![1, 2, 3], vec![], vec![], vec![4], vec![5], vec![]]
    );
    assert_eq!(to(Broadcast::TwoRings, 2), [vec![1], vec![]]);
}

/// In each column the pivots of 4 rows of processes go over a square: both exchanges of the first have its own row, too.
#[test]
fn a_panel_seeks_each_pivot_over_a_cube() {
    let one = hpl(64, 16, "4x1");
    let program = made(&one);
    let first: Vec<u64> = sent(&program.nodes[0])
        .into_iter()
        .map(|(_, bytes)| bytes)
        .collect();
    assert_eq!(first[..4], [(2 * 16 + 4) * 8; 4]);
    let second: Vec<u64> = sent(&program.nodes[1])
        .into_iter()
        .map(|(_, bytes)| bytes)
        .collect();
    assert_eq!(second[..2], [(16 + 4) * 8, (2 * 16 + 4) * 8]);
    let lumped = made(&Hpl { pivots: 8, ..one });
    assert_eq!(sent(&lumped.nodes[0])[0], (1, 8 * (2 * 16 + 4) * 8));
    assert_eq!(computed_ns(&lumped), computed_ns(&program));
}

/// A hundred thousand unknowns over a thousand processes: too much column by column, not sixteen at once.
#[test]
fn what_would_not_fit_is_refused_with_what_it_takes() {
    let large = hpl(100_000, 200, "32x32");
    let refused = large.program(1024).unwrap_err();
    assert!(refused.contains("GB of memory"), "{refused}");
    let swap = Swap::BinaryExchange;
    let lumped = Hpl {
        pivots: 16,
        swap,
        ..large
    };
    let operations = amount::operations(&lumped.problem(1024).unwrap());
    check_amount(1024, operations).unwrap();
}

#[test]
fn a_grid_that_does_not_fit_is_refused_with_those_that_do() {
    let one = hpl(1000, 32, "4x8");
    assert_eq!(
        one.grid_of(16).unwrap_err(),
        "grid 4x8 has 32 processes, and there are 16 nodes for them; of 16 these fit: 1x16, 2x8, 4x4"
    );
    assert!(
        one.grid_of(7)
            .unwrap_err()
            .ends_with("1x7, and without the last node 1x6, 2x3")
    );
    assert_eq!(one.grid_of(40).unwrap().to_string(), "4x8");
    assert_eq!(
        Hpl { grid: None, ..one }.grid_of(12).unwrap().to_string(),
        "3x4"
    );
}
