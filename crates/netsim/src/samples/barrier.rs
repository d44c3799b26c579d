//! What synchronises the hosts before a phase: dissemination, in ceil(log2 n) rounds (D. Hensgen, R. Finkel and U.
//! Manber, International Journal of Parallel Programming 17(1), 1988).

use weft_plan::Transfer;

use super::setup::{Barrier, Setup};

/// What the barrier before these transfers takes.
pub fn barrier_s(setup: &mut Setup<'_>, transfers: &[Transfer]) -> f64 {
    let Some(first) = transfers.first() else {
        return 0.0;
    };
    if let Some(barrier_s) = setup.parameters.barrier_s {
        return barrier_s;
    }
    let ends = transfers.iter().flat_map(|one| [one.src, one.dst]);
    let members = setup.members(ends);
    if members != setup.barrier.members || first.network != setup.barrier.network {
        setup.barrier = Barrier {
            seconds: disseminated_s(setup, &members, first.network),
            members,
            network: first.network,
        };
    }
    setup.barrier.seconds
}

/// In round k the member i sends to i + 2^k, and goes on when the message of i - 2^k is there. Takes O(n log n).
fn disseminated_s(setup: &mut Setup<'_>, members: &[u32], network: u32) -> f64 {
    let count = members.len();
    let mut done_s = vec![0.0_f64; count];
    for round in 0..count.next_power_of_two().ilog2() {
        let before_s = done_s.clone();
        for (at, &src) in members.iter().enumerate() {
            let to = (at + (1 << round)) % count;
            let message = Transfer {
                network,
                ..Transfer::new(src, members[to], 1)
            };
            // A host without a path is missed when transfers fail.
            let took_s = setup.isolated_between_s(&message, 1).unwrap_or(0.0);
            done_s[to] = done_s[to].max(before_s[at] + took_s);
        }
    }
    done_s.into_iter().fold(0.0, f64::max)
}
