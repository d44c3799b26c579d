//! Patterns between many nodes: which node sends to which in which phase, and what is refused.

use weft_plan::{Limits, Step, load};

mod phases;
mod refused;
#[path = "../support/table.rs"]
mod table;

const LIMITS: Limits = Limits {
    max_message_bytes: 1 << 30,
};
const COUNT: &str = r#"{ rule = "count", repeats = 1, trials = 1 }"#;
const TIME: &str = r#"{ rule = "time", trial = "1 s", trials = 1 }"#;

/// The step with these keys, or why it is refused.
fn step_with(keys: &str, sizes: &str, stop: &str) -> Result<Step, String> {
    let text = format!("name = \"x\"\n[[steps]]\n{keys}\nsizes = {sizes}\nstop = {stop}\n");
    let plan = load(&text, "x.toml", &[], &LIMITS).map_err(|error| error.to_string())?;
    Ok(plan.steps[0].clone())
}

fn step(keys: &str) -> Step {
    step_with(keys, r#"["8 B"]"#, COUNT).unwrap()
}

fn refusal(keys: &str) -> String {
    step_with(keys, r#"["8 B"]"#, COUNT).unwrap_err()
}
