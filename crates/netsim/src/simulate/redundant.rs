//! Constraints that can be left out: each transfer that crosses one also crosses another that is no wider.
//!
//! In a fat tree routed by destination every link down serves one host, whose own link is as wide; a third of all
//! crossings is of that kind. Transfers only become fewer while a phase lasts, so what is redundant once stays so.

use super::local::Local;

/// Fewer transfers than these are solved sooner than looked through.
const FEWEST_TRANSFERS: usize = 64;

/// Which constraints of a component can be left out. One that stands for another is never left out in favour of that
/// other. Takes little more than a look at each constraint: most lose all candidates with their second transfer.
pub fn redundant(local: &Local) -> Option<Vec<bool>> {
    if local.len() < FEWEST_TRANSFERS {
        return None;
    }
    let mut redundant = vec![false; local.capacity.len()];
    let mut candidates = Vec::new();
    for constraint in 0..local.capacity.len() as u32 {
        find_wrappers(local, constraint, &redundant, &mut candidates);
        redundant[constraint as usize] = !candidates.is_empty();
    }
    redundant.contains(&true).then_some(redundant)
}

/// The constraints that all transfers over one of them cross at least as often, and that are no wider.
fn find_wrappers(local: &Local, constraint: u32, redundant: &[bool], candidates: &mut Vec<u32>) {
    candidates.clear();
    let capacity = |at: u32| local.capacity[at as usize];
    let (start, end) = local.members_of(constraint);
    let members = &local.members[start..end];
    let Some(first) = members.first() else {
        return;
    };
    let is_candidate = |at: &u32| {
        *at != constraint && !redundant[*at as usize] && capacity(*at) <= capacity(constraint)
    };
    candidates.extend(local.route(*first).iter().copied().filter(is_candidate));
    for &member in members {
        if candidates.is_empty() {
            return;
        }
        let route = local.route(member);
        let times = |at: u32| route.iter().filter(|one| **one == at).count();
        let needed = times(constraint);
        candidates.retain(|at| times(*at) >= needed);
    }
}

impl Local {
    /// Leaves constraints out that others stand for.
    pub fn leave_out_redundant(&mut self) {
        let Some(redundant) = redundant(self) else {
            return;
        };
        let mut numbers = Vec::with_capacity(redundant.len());
        let mut kept = 0;
        for (at, is_redundant) in redundant.iter().enumerate() {
            numbers.push(kept as u32);
            if !is_redundant {
                self.capacity[kept] = self.capacity[at];
                self.constraint_ids[kept] = self.constraint_ids[at];
                kept += 1;
            }
        }
        self.capacity.truncate(kept);
        self.constraint_ids.truncate(kept);
        self.renumber(&redundant, &numbers);
        self.list_members();
    }

    fn renumber(&mut self, redundant: &[bool], numbers: &[u32]) {
        let (mut read, mut written) = (0, 0);
        for end in &mut self.route_ends {
            while read < *end as usize {
                let at = self.route[read] as usize;
                if !redundant[at] {
                    self.route[written] = numbers[at];
                    written += 1;
                }
                read += 1;
            }
            *end = written as u32;
        }
        self.route.truncate(written);
    }
}
