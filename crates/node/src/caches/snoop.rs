//! Which other caches have a line: coherence between processors by MESI (M. S. Papamarcos and J. H. Patel, ISCA 1984), and with
//! transfers of the network interface.

use super::cache::State;
use super::hierarchy::{Cost, Hierarchy};

impl Hierarchy {
    /// A processor will have a line that none of its own caches had. Gives back what it may know of it.
    pub(super) fn share(&mut self, processor: usize, address: u64, cost: &mut Cost) -> State {
        let shared = Some(State::Shared);
        match self.change_others(processor, address, shared, cost) {
            true => State::Shared,
            false => State::Exclusive,
        }
    }

    /// A processor writes: all other copies go. Gives back how many lines crossed the memory bus for that.
    pub(super) fn take_from_others(&mut self, processor: usize, address: u64) -> u64 {
        let mut cost = Cost::default();
        self.change_others(processor, address, None, &mut cost);
        cost.crossings
    }

    /// Gives what all other processors have of a granule another state, or none. Gives back whether they had any.
    fn change_others(
        &mut self,
        processor: usize,
        address: u64,
        next: Option<State>,
        cost: &mut Cost,
    ) -> bool {
        let mut is_there = false;
        for at in 0..self.guards.len() {
            let guard = self.guards[at];
            let is_mine = self.members[guard].owner == Some(processor);
            if is_mine || !self.granule_is_in(guard, address) {
                continue;
            }
            is_there = true;
            // From the inside out, as what was modified goes.
            for inner in 0..=self.members[guard].inner.len() {
                let id = self.members[guard].inner.get(inner).copied();
                let id = id.unwrap_or(guard);
                if self.change_granule(id, address, next) {
                    cost.crossings += self.write_back(id, address);
                }
            }
        }
        is_there
    }

    /// The network interface wrote to memory: no cache has these bytes any more.
    pub fn invalidate(&mut self, address: u64, bytes: u64) {
        for at in 0..self.roots.len() {
            let id = self.roots[at];
            for line in self.lines(id, address, bytes) {
                let cache = &mut self.members[id].cache;
                let first = line << cache.line_bits;
                if cache.remove(line).is_some() {
                    self.drop_inside(id, first);
                }
            }
        }
    }

    /// The network interface read memory: what was modified is written there, and others have it now.
    pub fn clean(&mut self, address: u64, bytes: u64) {
        for at in 0..self.roots.len() {
            let id = self.roots[at];
            for line in self.lines(id, address, bytes) {
                let first = line << self.members[id].cache.line_bits;
                if self.members[id].cache.peek(line).is_some() {
                    self.members[id].cache.set_state(line, State::Shared);
                    self.clean_inside(id, first);
                }
            }
        }
    }

    fn lines(&self, id: usize, address: u64, bytes: u64) -> std::ops::RangeInclusive<u64> {
        let cache = &self.members[id].cache;
        cache.line(address)..=cache.line(address + bytes.max(1) - 1)
    }

    /// A line leaves a cache, so that those inside must not have any of it. Gives back whether one had written to it.
    pub(super) fn drop_inside(&mut self, id: usize, address: u64) -> bool {
        let bytes = 1 << self.members[id].cache.line_bits;
        let mut is_modified = false;
        for at in 0..self.members[id].inner.len() {
            let inner = self.members[id].inner[at];
            for line in self.lines(inner, address, bytes) {
                is_modified |= self.members[inner].cache.remove(line) == Some(State::Modified);
            }
        }
        is_modified
    }

    fn clean_inside(&mut self, id: usize, address: u64) {
        let bytes = 1 << self.members[id].cache.line_bits;
        for at in 0..self.members[id].inner.len() {
            let inner = self.members[id].inner[at];
            for line in self.lines(inner, address, bytes) {
                self.members[inner].cache.set_state(line, State::Shared);
            }
        }
    }

    fn granule_is_in(&self, id: usize, address: u64) -> bool {
        let first = address & !(self.granule_bytes - 1);
        let cache = &self.members[id].cache;
        self.lines(id, first, self.granule_bytes)
            .any(|line| cache.peek(line).is_some())
    }

    /// Gives what a cache has of a granule another state, or none. Gives back whether any of it was modified.
    fn change_granule(&mut self, id: usize, address: u64, next: Option<State>) -> bool {
        let first = address & !(self.granule_bytes - 1);
        let mut is_modified = false;
        for line in self.lines(id, first, self.granule_bytes) {
            let cache = &mut self.members[id].cache;
            let Some(state) = cache.peek(line) else {
                continue;
            };
            is_modified |= state == State::Modified;
            match next {
                Some(next) => cache.set_state(line, next),
                None => {
                    cache.remove(line);
                }
            }
        }
        is_modified
    }
}
