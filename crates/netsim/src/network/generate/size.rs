//! The largest networks that are generated.

/// More hosts than any cluster has; a slip of the finger is refused before memory is allocated.
const MOST_HOSTS: u64 = 1 << 20;
/// Memory for each constraint: capacity, and what the solver keeps.
const BYTES_PER_CONSTRAINT: u64 = 64;
const MOST_CONSTRAINTS: u64 = 1 << 25;

/// Refuses what would not fit, before anything of it is there.
pub fn check_size(hosts: u64, constraints: u64) -> Result<(), String> {
    if hosts < 2 {
        return Err("there must be two hosts at least".to_owned());
    }
    if hosts <= MOST_HOSTS && constraints <= MOST_CONSTRAINTS {
        return Ok(());
    }
    let gigabytes = constraints.saturating_mul(BYTES_PER_CONSTRAINT) as f64 / 1e9;
    Err(format!(
        "{hosts} hosts and {constraints} directions of links, about {gigabytes:.1} GB; at most {MOST_HOSTS} \
         hosts and {MOST_CONSTRAINTS} directions are simulated"
    ))
}
