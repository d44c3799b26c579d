//! Many streams from senders to receivers: traffic into or out of a cluster, incast with a single receiver.

use serde::{Deserialize, Serialize};

use super::{Ensemble, Wrong, check_count, given, union};
use crate::error::Result;
use crate::phase::Transfer;
use crate::positions;
use crate::reading::Section;

/// The keys of a step that are its own.
pub(crate) const KEYS: [&str; 6] = [
    "nodes",
    "senders",
    "receivers",
    "streams_per_sender",
    "sweep",
    "network",
];

const MOST_STREAMS_PER_SENDER: u32 = 1024;

/// Stream j goes from the sender j mod m to the receiver j mod r.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Streams {
    /// All of the testbed's where absent.
    pub nodes: Option<Vec<u32>>,
    /// All that do not receive where absent.
    pub senders: Option<Vec<u32>>,
    /// All that do not send where absent.
    pub receivers: Option<Vec<u32>>,
    pub streams_per_sender: u32,
    /// A phase for each of 1, 2, 4, ... streams and all of them, not only for all of them.
    pub sweep: bool,
}

impl Streams {
    pub(crate) fn read(step: &Section) -> Result<Self> {
        let senders = positions::read(step, "senders")?;
        let receivers = positions::read(step, "receivers")?;
        let both = union(&senders, &receivers);
        if both.is_some() {
            step.only_for("nodes", "streams without `senders` or without `receivers`")?;
        }
        Ok(Self {
            nodes: both.map_or_else(|| positions::read_nodes(step), |both| Ok(Some(both)))?,
            senders,
            receivers,
            streams_per_sender: step
                .count("streams_per_sender", 1..=MOST_STREAMS_PER_SENDER)?
                .unwrap_or(1),
            sweep: step.flag("sweep")?.unwrap_or(false),
        })
    }

    fn sides(&self, members: &[u32]) -> (Vec<u32>, Vec<u32>) {
        let others = |taken: &Option<Vec<u32>>| {
            let taken = taken.as_deref().unwrap_or_default();
            let free = |index: &&u32| !taken.contains(index);
            members.iter().filter(free).copied().collect()
        };
        let senders = self
            .senders
            .clone()
            .unwrap_or_else(|| others(&self.receivers));
        let receivers = self
            .receivers
            .clone()
            .unwrap_or_else(|| others(&self.senders));
        (senders, receivers)
    }
}

impl Ensemble for Streams {
    fn nodes(&self) -> Option<&[u32]> {
        self.nodes.as_deref()
    }

    fn lists(&self) -> Vec<(&'static str, &[u32])> {
        given([("senders", &self.senders), ("receivers", &self.receivers)])
    }

    fn least(&self) -> usize {
        let side = |list: &Option<Vec<u32>>| list.as_ref().map_or(1, Vec::len);
        side(&self.senders) + side(&self.receivers)
    }

    fn check(&self) -> Result<(), Wrong> {
        if self.senders.is_none() && self.receivers.is_none() {
            let right =
                "give `receivers` or `senders`, such as \"1\"; the others take the other part";
            return Err(("receivers", right.to_owned()));
        }
        let each = self.streams_per_sender;
        check_count("streams_per_sender", each, MOST_STREAMS_PER_SENDER)
    }

    fn transfers(&self, members: u64) -> u64 {
        let senders = self
            .senders
            .as_ref()
            .map_or(members, |senders| senders.len() as u64);
        let all = senders * u64::from(self.streams_per_sender);
        // The phases of a sweep have less than all before the last: 1 + 2 + 4 + ...
        if self.sweep { 2 * all } else { all }
    }

    fn rounds(&self, members: &[u32], bytes: u64) -> Vec<Vec<Transfer>> {
        let (senders, receivers) = self.sides(members);
        let all = senders.len() * self.streams_per_sender as usize;
        let amounts = if self.sweep {
            doubling(1, all)
        } else {
            vec![all]
        };
        let phase = |amount| transfers(&senders, &receivers, amount, bytes);
        amounts.into_iter().map(phase).collect()
    }
}

/// So many streams; those of the same two nodes are one transfer.
fn transfers(senders: &[u32], receivers: &[u32], amount: usize, bytes: u64) -> Vec<Transfer> {
    let (m, r) = (senders.len(), receivers.len());
    let period = m / greatest_common_divisor(m, r) * r;
    let transfer = |j: usize| Transfer {
        streams: (amount - j).div_ceil(period) as u32,
        ..Transfer::new(senders[j % m], receivers[j % r], bytes)
    };
    (0..amount.min(period)).map(transfer).collect()
}

pub(crate) fn greatest_common_divisor(a: usize, b: usize) -> usize {
    if b == 0 {
        a
    } else {
        greatest_common_divisor(b, a % b)
    }
}

/// `first`, twice that, and so on below `last`, then `last`.
pub(super) fn doubling(first: usize, last: usize) -> Vec<usize> {
    let below = std::iter::successors(Some(first), |amount| amount.checked_mul(2));
    below
        .take_while(|amount| *amount < last)
        .chain([last])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_of_the_same_two_nodes_are_one_transfer() {
        let made = transfers(&[0, 1], &[2, 3], 5, 8);
        let with = |streams, src, dst| Transfer {
            streams,
            ..Transfer::new(src, dst, 8)
        };
        assert_eq!(made, [with(3, 0, 2), with(2, 1, 3)]);
        let made = transfers(&[0, 1], &[2, 3, 4], 7, 8);
        assert_eq!(made.len(), 6);
        assert_eq!(made[0], with(2, 0, 2));
        assert_eq!(made[4], with(1, 0, 3));
    }

    #[test]
    fn a_sweep_doubles_and_ends_with_all() {
        assert_eq!(doubling(1, 6), [1, 2, 4, 6]);
        assert_eq!(doubling(1, 8), [1, 2, 4, 8]);
        assert_eq!(doubling(2, 2), [2]);
        assert_eq!(doubling(1, 1), [1]);
    }
}
