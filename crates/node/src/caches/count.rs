//! How often caches were asked, and had what was asked for.

use weft_plan::named_enum;

named_enum! {
    /// What for.
    pub enum Access {
        Read = "read",
        Write = "write",
        Instruction = "instruction",
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Count {
    pub accesses: u64,
    pub hits: u64,
}

impl Count {
    pub fn add(&mut self, later: Self) {
        self.accesses += later.accesses;
        self.hits += later.hits;
    }

    pub fn since(self, earlier: Self) -> Self {
        Self {
            accesses: self.accesses - earlier.accesses,
            hits: self.hits - earlier.hits,
        }
    }
}
