//! How caches stand to each other.

use super::cache::Cache;
use super::count::{Access, Count};
use super::hierarchy::Hierarchy;
use super::member::{Member, Paths};
use crate::machine::{Caches, Holds};

impl Hierarchy {
    /// For so many processors.
    pub fn of(processors: usize, caches: &Caches) -> Self {
        let mut hierarchy = Self {
            members: Vec::new(),
            paths: vec![Paths::default(); processors],
            roots: Vec::new(),
            guards: Vec::new(),
            granule_bytes: 1,
            latency_ps: caches.latency_ps,
            kinds: caches.all.len(),
            counts: vec![Count::default(); processors * caches.all.len() * Access::ALL.len()],
        };
        for (kind, description) in caches.all.iter().enumerate() {
            let owners = match description.shared {
                true => vec![None],
                false => (0..processors).map(Some).collect(),
            };
            for owner in owners {
                hierarchy.add(kind, description, owner);
            }
        }
        let members = &hierarchy.members;
        let has_none = |id: &usize| members[*id].outer.is_none();
        let is_guard = |id: &usize| {
            let outer = members[*id].outer;
            members[*id].owner.is_some() && outer.is_none_or(|outer| members[outer].owner.is_none())
        };
        let roots = (0..members.len()).filter(has_none).collect();
        let guards = (0..members.len()).filter(is_guard).collect();
        (hierarchy.roots, hierarchy.guards) = (roots, guards);
        hierarchy
    }

    fn add(&mut self, kind: usize, description: &crate::machine::Cache, owner: Option<usize>) {
        let id = self.members.len();
        self.members.push(Member {
            cache: Cache::new(
                description.size_bytes,
                description.ways,
                description.line_bytes,
            ),
            kind,
            read_ps: description.read_ps,
            write_ps: description.write_ps,
            writes_back: description.writes_back,
            allocates: description.allocates,
            owner,
            outer: None,
            inner: Vec::new(),
        });
        if owner.is_some() {
            self.granule_bytes = self.granule_bytes.max(description.line_bytes);
        }
        for processor in 0..self.paths.len() {
            if owner.is_none_or(|owner| owner == processor) {
                self.join(processor, id, description.holds);
            }
        }
    }

    /// Puts a cache outside of those that a processor has so far.
    fn join(&mut self, processor: usize, id: usize, holds: Holds) {
        let paths = &mut self.paths[processor];
        for (path, wants) in [
            (&mut paths.instructions, holds.instructions()),
            (&mut paths.data, holds.data()),
        ] {
            if !wants {
                continue;
            }
            if let Some(last) = path.ids().last() {
                self.members[*last].outer = Some(id);
            }
            for inner in path.ids() {
                if !self.members[id].inner.contains(inner) {
                    self.members[id].inner.push(*inner);
                }
            }
            path.push(id);
        }
    }
}
