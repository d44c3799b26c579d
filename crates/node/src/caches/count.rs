//! How often caches were asked, and had what was asked for.

/// What for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    Read,
    Write,
    Instruction,
}

impl Access {
    pub const ALL: [Self; 3] = [Self::Read, Self::Write, Self::Instruction];

    /// What tables call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Instruction => "instruction",
        }
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
