//! The caches of a node's processors: what an access finds, brings in and drives out.

use super::cache::State;
use super::count::{Access, Count};
use super::member::{Member, Path, Paths};
use crate::machine::{Caches, Machine};

/// What accesses cost besides their instructions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Cost {
    pub stall_ps: u64,
    /// What its writes take, which go on beside a processor with a buffer for them.
    pub write_ps: u64,
    /// Lines and words that crossed the memory bus.
    pub crossings: u64,
}

impl std::ops::AddAssign for Cost {
    fn add_assign(&mut self, other: Self) {
        self.stall_ps += other.stall_ps;
        self.write_ps += other.write_ps;
        self.crossings += other.crossings;
    }
}

/// Those of all processors of the host.
#[derive(Debug, Clone)]
pub struct Hierarchy {
    pub(super) members: Vec<Member>,
    pub(super) paths: Vec<Paths>,
    /// Those behind which there is only memory.
    pub(super) roots: Vec<usize>,
    /// The outermost private ones: a line that they do not have is in none inside of them.
    pub(super) guards: Vec<usize>,
    /// Coherence is kept for so many bytes at once: the longest line of caches that are not shared.
    pub(super) granule_bytes: u64,
    pub(super) latency_ps: u64,
    pub(super) kinds: usize,
    pub(super) counts: Vec<Count>,
}

impl Hierarchy {
    pub fn new(machine: &Machine, caches: &Caches) -> Self {
        let hosts = machine.processors.iter().filter(|one| !one.on_nic).count();
        Self::of(hosts, caches)
    }

    /// A processor reads words of one line of its innermost data cache.
    pub fn load(&mut self, processor: usize, address: u64, words: u64) -> Cost {
        self.read(processor, Access::Read, address, words)
    }

    /// A processor fetches instructions of one line.
    pub fn fetch(&mut self, processor: usize, address: u64) -> Cost {
        self.read(processor, Access::Instruction, address, 1)
    }

    fn read(&mut self, processor: usize, access: Access, address: u64, words: u64) -> Cost {
        let mut cost = Cost::default();
        if words == 0 {
            return cost;
        }
        self.bring(processor, access, 0..0, address, &mut cost);
        // The first one brought it here.
        let id = self.path(processor, access).ids[0];
        cost.stall_ps += (words - 1) * self.members[id].read_ps;
        self.count(processor, id, access, words - 1, words - 1);
        cost
    }

    /// Looks for a line from level `levels.end` outwards, and fills the levels from `levels.start` to where it was. Gives
    /// back what a cache of the processor's own may know of it.
    fn bring(
        &mut self,
        processor: usize,
        access: Access,
        levels: std::ops::Range<usize>,
        address: u64,
        cost: &mut Cost,
    ) -> State {
        let path = self.path(processor, access);
        let mut level = levels.end;
        let mut found = None;
        while level < path.depth && found.is_none() {
            let id = path.ids[level];
            let member = &mut self.members[id];
            cost.stall_ps += member.read_ps;
            found = member.cache.touch(member.cache.line(address));
            self.count(processor, id, access, 1, u64::from(found.is_some()));
            level += usize::from(found.is_none());
        }
        if found.is_none() {
            cost.stall_ps += self.latency_ps;
            cost.crossings += 1;
        }
        let missed = &path.ids[levels.start..level];
        let state = match (found, missed.first()) {
            // What is modified further out is exclusive here.
            (Some(state), _) if self.is_own(path.ids[level]) => state.min(State::Exclusive),
            (_, Some(id)) if self.is_own(*id) => self.share(processor, address, cost),
            _ => State::Exclusive,
        };
        for id in missed.iter().rev() {
            self.fill(*id, address, state, cost);
        }
        state
    }

    /// A line comes into a cache; the outer ones have it.
    fn fill(&mut self, id: usize, address: u64, state: State, cost: &mut Cost) {
        let cache = &mut self.members[id].cache;
        let line = cache.line(address);
        if let Some((gone, was)) = cache.insert(line, state) {
            let first = gone << cache.line_bits;
            let is_modified = self.drop_inside(id, first) || was == State::Modified;
            if is_modified {
                cost.crossings += self.write_back(id, first);
            }
        }
    }

    /// What was modified goes outwards. Gives back whether it crossed the memory bus.
    pub(super) fn write_back(&mut self, id: usize, address: u64) -> u64 {
        match self.members[id].outer {
            None => 1,
            Some(outer) => {
                let cache = &mut self.members[outer].cache;
                cache.set_state(cache.line(address), State::Modified);
                0
            }
        }
    }

    /// A processor writes words of one line of its innermost data cache. All that it takes is the writes' time, since what
    /// fetches a line for them is behind a buffer too.
    pub fn store(&mut self, processor: usize, address: u64, words: u64) -> Cost {
        let mut cost = Cost::default();
        if words == 0 {
            return cost;
        }
        let path = self.paths[processor].data;
        let mut is_exclusive = false;
        let mut written = None;
        for (level, id) in path.ids().iter().copied().enumerate() {
            let member = &mut self.members[id];
            let found = member.cache.touch(member.cache.line(address));
            let comes = found.is_none() && member.allocates;
            let stays = member.writes_back && (found.is_some() || comes);
            cost.write_ps += words * member.write_ps;
            is_exclusive |= member.owner.is_some() && found > Some(State::Shared);
            let hits = match (found, comes) {
                (Some(_), _) => words,
                (None, true) => words - 1,
                (None, false) => 0,
            };
            self.count(processor, id, Access::Write, words, hits);
            if stays && found == Some(State::Modified) && is_exclusive {
                return cost;
            }
            if comes {
                let levels = level..level + 1;
                let state = self.bring(processor, Access::Read, levels, address, &mut cost);
                cost.write_ps += std::mem::take(&mut cost.stall_ps);
                is_exclusive |= self.is_own(id) && state == State::Exclusive;
            }
            if stays {
                written = Some(level);
                break;
            }
        }
        if written.is_none() {
            cost.write_ps += words * self.latency_ps;
            cost.crossings += words;
        }
        if !is_exclusive {
            cost.crossings += self.take_from_others(processor, address);
        }
        self.mark_written(path, address, written);
        cost
    }

    /// No other cache has it any more; at one level it is newer than further out.
    fn mark_written(&mut self, path: Path, address: u64, written: Option<usize>) {
        for (level, id) in path.ids().iter().copied().enumerate() {
            let cache = &mut self.members[id].cache;
            let line = cache.line(address);
            match cache.peek(line) {
                Some(_) if Some(level) == written => cache.set_state(line, State::Modified),
                Some(State::Shared) => cache.set_state(line, State::Exclusive),
                _ => (),
            }
        }
    }

    fn path(&self, processor: usize, access: Access) -> Path {
        let paths = &self.paths[processor];
        match access {
            Access::Instruction => paths.instructions,
            Access::Read | Access::Write => paths.data,
        }
    }

    fn is_own(&self, id: usize) -> bool {
        self.members[id].owner.is_some()
    }

    fn count(&mut self, processor: usize, id: usize, access: Access, accesses: u64, hits: u64) {
        let index = processor * self.kinds + self.members[id].kind;
        let count = &mut self.counts[index * Access::ALL.len() + access as usize];
        count.accesses += accesses;
        count.hits += hits;
    }

    /// By processor, then by cache as described, then by access.
    pub fn counts(&self) -> &[Count] {
        &self.counts
    }

    /// How long the innermost lines are: of data, of instructions.
    pub fn steps_bytes(&self) -> [u64; 2] {
        let paths = &self.paths[0];
        let line_bits = |path: Path| self.members[path.ids[0]].cache.line_bits;
        [paths.data, paths.instructions].map(|path| 1 << line_bits(path))
    }
}
