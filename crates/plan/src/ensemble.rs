//! Patterns between many nodes: which take part, in which rounds, and which requests are refused.

pub(crate) mod alltoall;
pub(crate) mod cast;
mod cast_file;
mod duplex;
pub(crate) mod halo;
pub(crate) mod health;
pub(crate) mod matrix;
pub(crate) mod pairs;
pub(crate) mod paths;
pub(crate) mod random;
pub(crate) mod replay;
pub(crate) mod ring;
mod searched;
pub(crate) mod streams;
pub(crate) mod traffic;
pub(crate) mod xray;

pub use alltoall::{AllToAll, Mode};
pub use cast::Cast;
pub use cast_file::{CastFile, Compression};
pub use duplex::Duplex;
pub use halo::Halo;
pub use health::Health;
pub use matrix::{Matrix, Measure};
pub use pairs::Pairs;
pub use paths::Paths;
pub(crate) use random::shuffled;
pub use random::{Random, Shape, mixed};
pub use replay::{Compute, Replay};
pub(crate) use replay::{read_compute, read_rendezvous};
pub use ring::Ring;
pub use streams::Streams;
pub(crate) use streams::greatest_common_divisor;
pub use traffic::{Demand, Traffic};
pub use xray::Xray;

use std::collections::HashSet;
use std::ops::Range;

use crate::limits::{MOST_NODES, Reach};
use crate::phase::{Phase, Transfer, Work};
use crate::stop::StopRule;

/// A key of the step whose value is wrong, and what would be right.
pub(crate) type Wrong = (&'static str, String);

/// A pattern between many nodes. `members` are the testbed's indices of the nodes that take part.
pub(crate) trait Ensemble {
    fn work(&self) -> Work {
        Work::Stream
    }

    /// The positions of those that take part, where they are given.
    fn nodes(&self) -> Option<&[u32]>;

    /// Every other list of positions that is given, with its key.
    fn lists(&self) -> Vec<(&'static str, &[u32])> {
        Vec::new()
    }

    /// The fewest members that it works with.
    fn least(&self) -> usize {
        2
    }

    /// Refuses keys that are wrong together; each list is checked elsewhere.
    fn check(&self) -> Result<(), Wrong> {
        Ok(())
    }

    /// Refuses a number of members.
    fn fits(&self, _members: usize) -> Result<(), String> {
        Ok(())
    }

    /// Refuses sizes and a stop rule that mean nothing here.
    fn suits(&self, _sizes: &[u64], _stop: &StopRule) -> Result<(), Wrong> {
        Ok(())
    }

    /// No fewer transfers than `rounds` makes over so many members; none where a program says what goes.
    fn transfers(&self, _members: u64) -> u64 {
        0
    }

    /// The transfers of one message of this size, phase by phase; none where phases are chosen during the run.
    fn rounds(&self, _members: &[u32], _bytes: u64) -> Vec<Vec<Transfer>> {
        Vec::new()
    }

    /// How many phases a size has.
    fn round_count(&self, members: &[u32]) -> usize {
        self.rounds(members, 1).len()
    }

    /// The transfers of one of them.
    fn round(&self, members: &[u32], bytes: u64, number: usize) -> Vec<Transfer> {
        self.rounds(members, bytes).swap_remove(number)
    }
}

/// The fewest nodes that a testbed must have.
pub(crate) fn nodes_needed(pattern: &dyn Ensemble) -> u32 {
    let lists = pattern.lists().into_iter().map(|(_, list)| list);
    let listed = pattern.nodes().into_iter().chain(lists).flatten();
    let last = listed.map(|index| index.saturating_add(1)).max();
    let least = u32::try_from(pattern.least()).unwrap_or(u32::MAX);
    last.unwrap_or(0).max(least)
}

/// Refuses what no testbed could run.
pub(crate) fn check(pattern: &dyn Ensemble) -> Result<(), Wrong> {
    let (nodes, parts) = (pattern.nodes(), pattern.lists());
    nodes.map_or(Ok(()), |nodes| check_list("nodes", nodes))?;
    for (key, list) in &parts {
        check_list(key, list)?;
    }
    check_disjoint(&parts)?;
    pattern.check()?;
    match nodes {
        Some(nodes) => check_members(nodes, &parts, pattern.least()),
        None => Ok(()),
    }
}

fn check_list(key: &'static str, list: &[u32]) -> Result<(), Wrong> {
    if list.is_empty() || list.len() > MOST_NODES as usize {
        return Err((key, format!("must be 1 to {MOST_NODES} positions")));
    }
    let mut seen = HashSet::new();
    match list.iter().find(|index| !seen.insert(**index)) {
        Some(twice) => Err((
            key,
            format!("position {} stands there twice", position(*twice)),
        )),
        None => Ok(()),
    }
}

/// No node can be on both sides.
fn check_disjoint(parts: &[(&'static str, &[u32])]) -> Result<(), Wrong> {
    let [(one, first), (other, second)] = parts else {
        return Ok(());
    };
    let first: HashSet<_> = first.iter().collect();
    match second.iter().find(|index| first.contains(index)) {
        Some(both) => Err((
            other,
            format!(
                "position {} is in `{one}` too; a node is on one side only",
                position(*both)
            ),
        )),
        None => Ok(()),
    }
}

fn check_members(
    nodes: &[u32],
    parts: &[(&'static str, &[u32])],
    least: usize,
) -> Result<(), Wrong> {
    let members: HashSet<_> = nodes.iter().collect();
    for (key, list) in parts {
        if let Some(other) = list.iter().find(|index| !members.contains(index)) {
            return Err((
                key,
                format!("position {} is not among `nodes`", position(*other)),
            ));
        }
    }
    if nodes.len() < least {
        return Err((
            "nodes",
            format!("must be at least {least} nodes for this pattern"),
        ));
    }
    Ok(())
}

/// Refuses a count that is not from 1 to `most`.
fn check_count(key: &'static str, count: u32, most: u32) -> Result<(), Wrong> {
    match (1..=most).contains(&count) {
        true => Ok(()),
        false => Err((key, format!("must be a whole number from 1 to {most}"))),
    }
}

/// As people count, whatever the index.
fn position(index: u32) -> u64 {
    u64::from(index) + 1
}

/// How many phases a checked pattern has.
pub(crate) fn phase_count(
    pattern: &dyn Ensemble,
    sizes: &[u64],
    testbed_nodes: u32,
    reach: Reach,
) -> Result<usize, String> {
    let members = members(pattern, testbed_nodes, reach)?;
    Ok(sizes.len() * pattern.round_count(&members))
}

/// All phases of a checked pattern: those of the first size, then those of the next.
pub(crate) fn phases(
    pattern: &dyn Ensemble,
    sizes: &[u64],
    testbed_nodes: u32,
    reach: Reach,
) -> Result<Vec<Phase>, String> {
    let members = members(pattern, testbed_nodes, reach)?;
    let transfers = pattern.transfers(members.len() as u64);
    check_amount(
        transfers.saturating_mul(sizes.len() as u64),
        &members,
        reach,
    )?;
    let rounds = sizes.iter().flat_map(|bytes| {
        let rounds = pattern.rounds(&members, *bytes);
        rounds.into_iter().map(|transfers| (*bytes, transfers))
    });
    let phase = |(index, (size_bytes, transfers))| Phase {
        index,
        size_bytes,
        work: pattern.work(),
        transfers,
        arrangement: None,
    };
    Ok((0..).zip(rounds).map(phase).collect())
}

/// Some of the phases. Each is found by itself, which for some patterns takes as long as all of a size.
pub(crate) fn some_phases(
    pattern: &dyn Ensemble,
    sizes: &[u64],
    testbed_nodes: u32,
    reach: Reach,
    range: Range<usize>,
) -> Result<Vec<Phase>, String> {
    let members = members(pattern, testbed_nodes, reach)?;
    let rounds = pattern.round_count(&members).max(1);
    let each = pattern.transfers(members.len() as u64) / rounds as u64;
    check_amount(each.saturating_mul(range.len() as u64), &members, reach)?;
    let phase = |index: usize| {
        let size_bytes = sizes[index / rounds];
        Phase {
            index: index as u32,
            size_bytes,
            work: pattern.work(),
            transfers: pattern.round(&members, size_bytes, index % rounds),
            arrangement: None,
        }
    };
    Ok(range.map(phase).collect())
}

fn members(pattern: &dyn Ensemble, testbed_nodes: u32, reach: Reach) -> Result<Vec<u32>, String> {
    let most = reach.most_nodes;
    match pattern.nodes() {
        Some(nodes) => pattern.fits(nodes.len()).map(|()| nodes.to_vec()),
        None if testbed_nodes > most => Err(format!(
            "a step has at most {most} nodes, the testbed has {testbed_nodes}; choose some with `nodes`"
        )),
        None => pattern
            .fits(testbed_nodes as usize)
            .map(|()| (0..testbed_nodes).collect()),
    }
}

fn check_amount(transfers: u64, members: &[u32], reach: Reach) -> Result<(), String> {
    let (most, members) = (reach.most_transfers, members.len());
    if transfers <= most {
        return Ok(());
    }
    Err(format!(
        "{transfers} transfers over {members} nodes, a step has at most {most}; take fewer nodes or sizes"
    ))
}

/// The lists that are given.
fn given<'a, const N: usize>(
    lists: [(&'static str, &'a Option<Vec<u32>>); N],
) -> Vec<(&'static str, &'a [u32])> {
    let given = |(key, list): (&'static str, &'a Option<Vec<u32>>)| Some((key, list.as_deref()?));
    lists.into_iter().filter_map(given).collect()
}

/// Both lists as one, in the testbed's order; `None` unless both are given.
fn union(one: &Option<Vec<u32>>, other: &Option<Vec<u32>>) -> Option<Vec<u32>> {
    let mut all = [one.as_deref()?, other.as_deref()?].concat();
    all.sort_unstable();
    all.dedup();
    Some(all)
}
