//! A phase without the hosts that take no part.

use std::borrow::Cow;
use std::collections::HashSet;

use weft_plan::{Phase, Transfer, Work};

/// The transfers of a phase between the hosts that are left; a chain closes up behind those that are not.
pub fn without<'a>(phase: &'a Phase, lost: &HashSet<u32>) -> Cow<'a, [Transfer]> {
    let is_left = |one: &Transfer| !lost.contains(&one.src) && !lost.contains(&one.dst);
    if phase.transfers.iter().all(is_left) {
        return Cow::Borrowed(&phase.transfers);
    }
    match phase.work {
        Work::Cast => Cow::Owned(closed_chains(&phase.transfers, lost)),
        _ => Cow::Owned(
            phase
                .transfers
                .iter()
                .filter(|one| is_left(one))
                .copied()
                .collect(),
        ),
    }
}

/// The links of each network's chain, in order.
pub fn chains(links: &[Transfer]) -> Vec<Vec<Transfer>> {
    let last = links.iter().map(|link| link.network).max();
    let of = |network| {
        let own = links.iter().filter(|link| link.network == network);
        own.copied().collect::<Vec<_>>()
    };
    let all = (0..=last.unwrap_or(0)).map(of);
    all.filter(|chain| !chain.is_empty()).collect()
}

fn closed_chains(links: &[Transfer], lost: &HashSet<u32>) -> Vec<Transfer> {
    let closed = |own: Vec<Transfer>| {
        let nodes = own.first().map(|link| link.src).into_iter();
        let nodes = nodes.chain(own.iter().map(|link| link.dst));
        let left: Vec<_> = nodes.filter(|node| !lost.contains(node)).collect();
        let link = |ends: &[u32]| Transfer {
            src: ends[0],
            dst: ends[1],
            ..own[0]
        };
        left.windows(2).map(link).collect::<Vec<_>>()
    };
    chains(links).into_iter().flat_map(closed).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn phase(work: Work, ends: &[(u32, u32)]) -> Phase {
        let transfer = |(src, dst): &(u32, u32)| Transfer::new(*src, *dst, 8);
        Phase {
            index: 0,
            size_bytes: 8,
            work,
            transfers: ends.iter().map(transfer).collect(),
            arrangement: None,
        }
    }

    fn ends(phase: &Phase, lost: u32) -> Vec<(u32, u32)> {
        let left = without(phase, &HashSet::from([lost]));
        left.iter().map(|one| (one.src, one.dst)).collect()
    }

    #[test]
    fn a_chain_closes_and_transfers_are_left_out() {
        let links = [(0, 1), (1, 2), (2, 3)];
        assert_eq!(ends(&phase(Work::Cast, &links), 1), [(0, 2), (2, 3)]);
        assert_eq!(ends(&phase(Work::Cast, &links), 3), [(0, 1), (1, 2)]);
        assert_eq!(ends(&phase(Work::Stream, &links), 1), [(2, 3)]);
        assert_eq!(ends(&phase(Work::Stream, &links), 9), links);
    }
}
