//! What happens next: one slot for each thing that can have one event ahead of it.

/// Times by slot. Of two at the same time the one with the lower slot comes first.
#[derive(Debug, Clone)]
pub struct Calendar {
    at_ps: Vec<u64>,
}

const NEVER: u64 = u64::MAX;

impl Calendar {
    pub fn new(slots: usize) -> Self {
        Self {
            at_ps: vec![NEVER; slots],
        }
    }

    pub fn set(&mut self, slot: usize, at_ps: u64) {
        self.at_ps[slot] = at_ps;
    }

    pub fn clear(&mut self, slot: usize) {
        self.at_ps[slot] = NEVER;
    }

    pub fn is_set(&self, slot: usize) -> bool {
        self.at_ps[slot] != NEVER
    }

    /// Takes out the next event: its time and slot. Linear in the slots, of which there are two dozen: a heap would
    /// have to find and move entries whenever a processor is disturbed.
    pub fn next(&mut self) -> Option<(u64, usize)> {
        let (mut best, mut slot) = (NEVER, 0);
        for (candidate, at_ps) in self.at_ps.iter().enumerate() {
            if *at_ps < best {
                (best, slot) = (*at_ps, candidate);
            }
        }
        if best == NEVER {
            return None;
        }
        self.at_ps[slot] = NEVER;
        Some((best, slot))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_earliest_comes_first_and_ties_go_by_slot() {
        let mut calendar = Calendar::new(3);
        calendar.set(2, 5);
        calendar.set(1, 7);
        calendar.set(0, 7);
        assert_eq!(calendar.next(), Some((5, 2)));
        assert_eq!(calendar.next(), Some((7, 0)));
        calendar.clear(1);
        assert_eq!(calendar.next(), None);
    }
}
