//! Caches as one would explain them on a blackboard: lists, searched and sorted each time. Slow, and shares no code with
//! the fast ones.

use weft_node::{Caches, Holds};

/// A line that is there, and when it was used last.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Held {
    line: u64,
    used: u64,
}

#[derive(Debug, Clone)]
struct Plain {
    kind: usize,
    owner: Option<usize>,
    lines: Vec<Held>,
}

/// All caches of some processors. Coherence needs no states here: a writer takes the line from all others.
pub struct PlainCaches<'a> {
    described: &'a Caches,
    all: Vec<Plain>,
    granule_bytes: u64,
    clock: u64,
    /// By processor, cache as described, read or write or instruction: accesses and hits.
    pub counts: Vec<[u64; 2]>,
    pub stall_ps: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Does {
    Read,
    Write,
    Fetch,
}

impl<'a> PlainCaches<'a> {
    pub fn new(processors: usize, described: &'a Caches) -> Self {
        let mut all = Vec::new();
        for (kind, one) in described.all.iter().enumerate() {
            let owners: Vec<_> = match one.shared {
                true => vec![None],
                false => (0..processors).map(Some).collect(),
            };
            all.extend(owners.into_iter().map(|owner| Plain {
                kind,
                owner,
                lines: Vec::new(),
            }));
        }
        let own = described.all.iter().filter(|one| !one.shared);
        Self {
            described,
            all,
            granule_bytes: own.map(|one| one.line_bytes).max().unwrap_or(1),
            clock: 0,
            counts: vec![[0; 2]; processors * described.all.len() * 3],
            stall_ps: 0,
        }
    }

    /// The caches that an access passes, from the inside out.
    fn way(&self, processor: usize, does: Does) -> Vec<usize> {
        let is_mine = |one: &Plain| one.owner.is_none_or(|owner| owner == processor);
        let serves = |one: &Plain| match self.described.all[one.kind].holds {
            Holds::Both => true,
            Holds::Instructions => does == Does::Fetch,
            Holds::Data => does != Does::Fetch,
        };
        let all = 0..self.all.len();
        all.filter(|id| is_mine(&self.all[*id]) && serves(&self.all[*id]))
            .collect()
    }

    fn line(&self, id: usize, address: u64) -> u64 {
        address / self.described.all[self.all[id].kind].line_bytes
    }

    fn find(&mut self, id: usize, address: u64) -> Option<&mut Held> {
        let line = self.line(id, address);
        self.all[id].lines.iter_mut().find(|held| held.line == line)
    }

    /// Uses a line. Gives back whether it is there.
    fn looks(&mut self, processor: usize, id: usize, does: Does, address: u64) -> bool {
        self.clock += 1;
        let clock = self.clock;
        let is_there = match self.find(id, address) {
            Some(held) => {
                held.used = clock;
                true
            }
            None => false,
        };
        let index = (processor * self.described.all.len() + self.all[id].kind) * 3 + does as usize;
        self.counts[index][0] += 1;
        self.counts[index][1] += u64::from(is_there);
        is_there
    }

    pub fn access(&mut self, processor: usize, does: Does, address: u64) {
        match does {
            Does::Write => self.write(processor, address),
            _ => self.bring(processor, does, 0, 0, address),
        }
    }

    fn bring(&mut self, processor: usize, does: Does, from: usize, fill: usize, address: u64) {
        let way = self.way(processor, does);
        let mut level = from;
        while level < way.len() {
            self.stall_ps += self.described.all[self.all[way[level]].kind].read_ps;
            if self.looks(processor, way[level], does, address) {
                break;
            }
            level += 1;
        }
        if level == way.len() {
            self.stall_ps += self.described.latency_ps;
        }
        for id in way[fill..level].iter().rev() {
            self.insert(*id, address);
        }
    }

    fn write(&mut self, processor: usize, address: u64) {
        let way = self.way(processor, Does::Write);
        for (level, id) in way.iter().copied().enumerate() {
            let kind = &self.described.all[self.all[id].kind];
            self.stall_ps += kind.write_ps;
            let is_there = self.looks(processor, id, Does::Write, address);
            if !is_there && kind.allocates {
                self.bring(processor, Does::Read, level + 1, level, address);
            }
            if kind.writes_back && (is_there || kind.allocates) {
                return self.take_from_others(processor, address);
            }
        }
        self.stall_ps += self.described.latency_ps;
        self.take_from_others(processor, address);
    }

    fn insert(&mut self, id: usize, address: u64) {
        let kind = &self.described.all[self.all[id].kind];
        let sets = kind.size_bytes / kind.line_bytes / u64::from(kind.ways);
        let line = self.line(id, address);
        let in_set = |held: &&Held| held.line % sets == line % sets;
        let set: Vec<_> = self.all[id].lines.iter().filter(in_set).cloned().collect();
        if set.len() == kind.ways as usize {
            let oldest = set.iter().min_by_key(|held| held.used).unwrap().line;
            self.remove(id, oldest * kind.line_bytes, kind.line_bytes);
        }
        self.clock += 1;
        let used = self.clock;
        self.all[id].lines.push(Held { line, used });
    }

    /// Some bytes leave a cache and all that are inside of it.
    fn remove(&mut self, id: usize, address: u64, bytes: u64) {
        let line_bytes = self.described.all[self.all[id].kind].line_bytes;
        let meets = |held: &Held| {
            let first = held.line * line_bytes;
            first < address + bytes && address < first + line_bytes
        };
        self.all[id].lines.retain(|held| !meets(held));
        for inner in 0..self.all.len() {
            let (one, outer) = (&self.all[inner], &self.all[id]);
            let is_inside = self.described.all[one.kind].level
                < self.described.all[outer.kind].level
                && (outer.owner.is_none() || outer.owner == one.owner);
            if is_inside {
                self.remove(inner, address, bytes);
            }
        }
    }

    /// Only one has the granule any more.
    fn take_from_others(&mut self, processor: usize, address: u64) {
        let granule = address / self.granule_bytes * self.granule_bytes;
        for id in 0..self.all.len() {
            let owner = self.all[id].owner;
            if owner.is_some_and(|owner| owner != processor) {
                self.remove(id, granule, self.granule_bytes);
            }
        }
    }

    /// The network interface writes: no cache has these bytes any more.
    pub fn transfer(&mut self, address: u64, bytes: u64) {
        for id in 0..self.all.len() {
            let kind = &self.described.all[self.all[id].kind];
            let first = address / kind.line_bytes * kind.line_bytes;
            let last = (address + bytes).next_multiple_of(kind.line_bytes);
            self.remove(id, first, last - first);
        }
    }
}
