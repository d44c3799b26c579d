//! Transfers of a phase and what they are to the solver.

use std::ops::Range;

use weft_plan::Transfer;

use crate::network::Path;

use super::amount::Amount;
use super::parameters::Sharing;
use super::setup::{Setup, streams_of};

/// A transfer and its parts among those of the solver.
pub struct Placed<'a> {
    pub transfer: &'a Transfer,
    pub path: Path,
    parts: Range<usize>,
}

impl<'a> Placed<'a> {
    /// Streams that may take different paths are parts of their own, with equal shares of the amount.
    pub fn add(
        setup: &mut Setup<'_>,
        transfer: &'a Transfer,
        amount: Amount,
        size_bytes: u64,
    ) -> Option<Self> {
        let first = setup.transfers.len();
        let is_frame_by_frame = setup.parameters.sharing == Sharing::Reno;
        let path = match setup.network.hashes_ports() && !is_frame_by_frame {
            false => setup.add(transfer, amount, size_bytes)?,
            true => {
                let share = amount.shared(transfer.streams);
                let each = streams_of(setup.network, transfer);
                let paths: Option<Vec<_>> = each
                    .map(|stream| setup.add(&stream, share, size_bytes))
                    .collect();
                *paths?.first()?
            }
        };
        Some(Self {
            transfer,
            path,
            parts: first..setup.transfers.len(),
        })
    }

    /// When the last part ends, and what held it back.
    pub fn end(&self, end_s: &[f64], bottleneck: &[u32]) -> (f64, u32) {
        let later = |one: &usize, other: &usize| end_s[*one].total_cmp(&end_s[*other]);
        let last = self.parts.clone().max_by(later).unwrap_or(self.first());
        (end_s[last], bottleneck[last])
    }

    /// What all parts have together, of what each part has.
    pub fn sum(&self, each: &[f64]) -> f64 {
        each[self.parts.clone()].iter().sum()
    }

    /// The first of its parts.
    pub fn first(&self) -> usize {
        self.parts.start
    }
}
