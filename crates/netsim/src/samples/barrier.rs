//! What synchronises the hosts before a phase.

use weft_plan::Transfer;

use super::setup::Setup;

/// What the barrier before these transfers takes.
pub fn barrier_s(setup: &mut Setup<'_>, transfers: &[Transfer]) -> f64 {
    let Some(first) = transfers.first() else {
        return 0.0;
    };
    if let Some(barrier_s) = setup.parameters.barrier_s {
        return barrier_s;
    }
    let ends = transfers.iter().flat_map(|one| [one.src, one.dst]);
    let nodes = setup.count_hosts(ends);
    let rounds = f64::from(nodes.next_power_of_two().ilog2());
    let path = setup.find_path(first);
    path.map_or(0.0, |path| rounds * setup.isolated_s(&path, 1))
}
