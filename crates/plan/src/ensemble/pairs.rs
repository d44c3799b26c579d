//! Disjoint pairs that talk all at once: at a stride, or as they are listed.

use serde::{Deserialize, Serialize};

use super::{Duplex, Ensemble, Wrong, given, union};
use crate::error::Result;
use crate::limits::MOST_NODES;
use crate::phase::Transfer;
use crate::positions;
use crate::reading::Section;

/// The keys of a step that are its own.
pub(crate) const KEYS: [&str; 6] = ["nodes", "network", "stride", "from", "to", "duplex"];

/// Pairs at a stride, or pairs of `from` and `to` in order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pairs {
    /// All of the testbed's where absent.
    pub nodes: Option<Vec<u32>>,
    /// Distance of a pair in the members' order. Blocks of so many talk to the next block, so that pairs are
    /// disjoint; a node without a partner sits out.
    pub stride: Option<u32>,
    pub from: Option<Vec<u32>>,
    pub to: Option<Vec<u32>>,
    pub duplex: Duplex,
}

impl Pairs {
    pub(crate) fn read(step: &Section) -> Result<Self> {
        let from = positions::read(step, "from")?;
        let to = positions::read(step, "to")?;
        let listed = from.is_some() || to.is_some();
        if listed {
            for name in ["nodes", "stride"] {
                step.only_for(name, "pairs without `from` and `to`")?;
            }
        }
        let stride = step.count("stride", 1..=MOST_NODES)?;
        let members = if listed {
            union(&from, &to)
        } else {
            positions::read_nodes(step)?
        };
        Ok(Self {
            nodes: members,
            stride: if listed { None } else { stride.or(Some(1)) },
            from,
            to,
            duplex: Duplex::read(step)?.unwrap_or(Duplex::Full),
        })
    }

    fn pairs(&self, members: &[u32]) -> Vec<(u32, u32)> {
        match (&self.from, &self.to) {
            (Some(from), Some(to)) => from.iter().copied().zip(to.iter().copied()).collect(),
            _ => at_stride(members, self.stride.unwrap_or(1).max(1) as usize),
        }
    }
}

/// Each member of an even block with the one a stride further.
fn at_stride(members: &[u32], stride: usize) -> Vec<(u32, u32)> {
    let starts = (0..members.len().saturating_sub(stride)).filter(|i| (i / stride) % 2 == 0);
    starts.map(|i| (members[i], members[i + stride])).collect()
}

impl Ensemble for Pairs {
    fn nodes(&self) -> Option<&[u32]> {
        self.nodes.as_deref()
    }

    fn lists(&self) -> Vec<(&'static str, &[u32])> {
        given([("from", &self.from), ("to", &self.to)])
    }

    fn least(&self) -> usize {
        match (&self.from, self.stride) {
            (Some(from), _) => 2 * from.len(),
            (None, stride) => stride.unwrap_or(1) as usize + 1,
        }
    }

    fn check(&self) -> Result<(), Wrong> {
        match (&self.from, &self.to, self.stride) {
            (Some(from), Some(to), None) if from.len() != to.len() => Err((
                "to",
                format!(
                    "{} positions, `from` has {}; each needs a partner",
                    to.len(),
                    from.len()
                ),
            )),
            (Some(_), None, _) => Err(("to", "give the partners of `from`".to_owned())),
            (None, Some(_), _) => Err(("from", "give the partners of `to`".to_owned())),
            (Some(_), Some(_), Some(_)) | (None, None, None | Some(0)) => Err((
                "stride",
                "give either a stride from 1 or `from` and `to`".to_owned(),
            )),
            _ => Ok(()),
        }
    }

    fn transfers(&self, members: u64) -> u64 {
        members
    }

    fn rounds(&self, members: &[u32], bytes: u64) -> Vec<Vec<Transfer>> {
        vec![self.duplex.transfers(self.pairs(members), bytes)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strides_make_disjoint_pairs() {
        let members: Vec<u32> = (0..9).collect();
        assert_eq!(at_stride(&members, 1), [(0, 1), (2, 3), (4, 5), (6, 7)]);
        assert_eq!(at_stride(&members, 2), [(0, 2), (1, 3), (4, 6), (5, 7)]);
        assert_eq!(at_stride(&members, 4), [(0, 4), (1, 5), (2, 6), (3, 7)]);
        assert_eq!(at_stride(&members, 8), [(0, 8)]);
        assert_eq!(at_stride(&members, 9), []);
    }

    #[test]
    fn listed_pairs_are_paired_in_order_one_way_or_both() {
        let pairs = |duplex| Pairs {
            nodes: None,
            stride: None,
            from: Some(vec![3, 1]),
            to: Some(vec![0, 2]),
            duplex,
        };
        let there = [Transfer::new(3, 0, 8), Transfer::new(1, 2, 8)];
        let both = [
            there[0],
            Transfer::new(0, 3, 8),
            there[1],
            Transfer::new(2, 1, 8),
        ];
        assert_eq!(pairs(Duplex::Half).rounds(&[], 8), [there.to_vec()]);
        assert_eq!(pairs(Duplex::Full).rounds(&[], 8), [both.to_vec()]);
    }
}
