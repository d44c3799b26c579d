//! Whether a pair talks one way or both ways at once.

use crate::error::Result;
use crate::phase::Transfer;
use crate::reading::Section;

json_enum! {
    /// One way, or both ways at once.
    pub enum Duplex {
        Half = "half",
        Full = "full",
    }
}

impl Duplex {
    pub(super) fn read(step: &Section) -> Result<Option<Self>> {
        step.choice("duplex", &Duplex::NAMED)
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
