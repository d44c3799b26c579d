//! A cache in its place, and those of a processor from the inside out.

use super::cache::Cache;
use crate::machine::MOST_LEVELS;

/// One cache, and where it stands.
#[derive(Debug, Clone)]
pub(super) struct Member {
    pub cache: Cache,
    /// The description's index.
    pub kind: usize,
    pub read_ps: u64,
    pub write_ps: u64,
    pub writes_back: bool,
    pub allocates: bool,
    /// The processor it belongs to, unless it is shared.
    pub owner: Option<usize>,
    /// The next one outwards.
    pub outer: Option<usize>,
    /// All those inside, whose lines it has too.
    pub inner: Vec<usize>,
}

/// Caches from the inside out.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Path {
    pub ids: [usize; MOST_LEVELS],
    pub depth: usize,
}

impl Path {
    pub fn ids(&self) -> &[usize] {
        &self.ids[..self.depth]
    }

    pub fn push(&mut self, id: usize) {
        self.ids[self.depth] = id;
        self.depth += 1;
    }
}

/// Of one processor.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Paths {
    pub instructions: Path,
    pub data: Path,
}
