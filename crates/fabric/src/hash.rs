//! A hash for equal-cost multi-path.

pub use weft_plan::mixed;

/// What a pair of hosts hashes to.
pub fn of_pair(seed: u64, src: u64, dst: u64) -> u64 {
    mixed(mixed(seed ^ src) ^ dst)
}
