//! Programs: their check, and GOAL as text and binary.

mod binary;
mod checked;
mod text;

use weft_plan::program::{Program, goal_text};

/// The program of these lines behind `num_ranks`.
fn program(ranks: usize, text: &str) -> Program {
    goal_text::parse(&format!("num_ranks {ranks}\n{text}")).unwrap()
}
