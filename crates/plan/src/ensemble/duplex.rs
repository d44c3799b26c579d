//! Whether a pair talks one way or both ways at once.

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::phase::Transfer;
use crate::reading::Section;

/// One way, or both ways at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Duplex {
    Half,
    Full,
}

const KNOWN: [(&str, Duplex); 2] = [("half", Duplex::Half), ("full", Duplex::Full)];

impl Duplex {
    pub(super) fn read(step: &Section) -> Result<Option<Self>> {
        step.choice("duplex", &KNOWN)
    }

    /// The transfers of all pairs at once.
    pub(super) fn transfers(
        self,
        pairs: impl IntoIterator<Item = (u32, u32)>,
        bytes: u64,
    ) -> Vec<Transfer> {
        let both = |(src, dst)| {
            let back = (self == Self::Full).then(|| Transfer::new(dst, src, bytes));
            [Transfer::new(src, dst, bytes)].into_iter().chain(back)
        };
        pairs.into_iter().flat_map(both).collect()
    }
}
