//! What patterns have in common whose phases are chosen during the run.

use super::Wrong;
use crate::stop::StopRule;

/// Refuses sizes and a stop rule that such a pattern, by its name, cannot use.
pub(super) fn suits(name: &str, sizes: &[u64], stop: &StopRule) -> Result<(), Wrong> {
    if sizes.len() != 1 {
        return Err(("sizes", format!("give exactly one size for {name}")));
    }
    match stop {
        StopRule::Time { .. } => Ok(()),
        StopRule::Count { .. } => {
            let right = "{ rule = \"time\", trial = \"250 ms\", trials = 1 }";
            Err(("stop", format!("{name} stops by time: {right}")))
        }
    }
}
