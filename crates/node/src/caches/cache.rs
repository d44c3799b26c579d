//! One cache: sets of lines, the last used one first.

/// What is known of a line that is here; one that is not here is invalid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum State {
    Shared = 1,
    Exclusive = 2,
    Modified = 3,
}

const STATE_BITS: u32 = 2;

/// Lines are numbered: an address without the bits inside of a line.
#[derive(Debug, Clone)]
pub struct Cache {
    pub line_bits: u32,
    sets: u64,
    ways: usize,
    /// Set after set, in each the last used first: line + 1, and the state below it. 0 is nothing.
    entries: Vec<u64>,
}

impl Cache {
    pub fn new(size_bytes: u64, ways: u32, line_bytes: u64) -> Self {
        let lines = size_bytes / line_bytes;
        Self {
            line_bits: line_bytes.trailing_zeros(),
            sets: lines / u64::from(ways),
            ways: ways as usize,
            entries: vec![0; lines as usize],
        }
    }

    /// The number of the line that holds an address.
    pub fn line(&self, address: u64) -> u64 {
        address >> self.line_bits
    }

    /// A line is used: it becomes its set's first. Nothing if it is not here.
    pub fn touch(&mut self, line: u64) -> Option<State> {
        let set = self.set_mut(line);
        let at = place(set, line)?;
        set[..=at].rotate_right(1);
        Some(state_of(set[0]))
    }

    /// Its state; looking does not count as use.
    pub fn peek(&self, line: u64) -> Option<State> {
        let set = self.set(line);
        place(set, line).map(|at| state_of(set[at]))
    }

    pub fn set_state(&mut self, line: u64, state: State) {
        let set = self.set_mut(line);
        if let Some(at) = place(set, line) {
            set[at] = entry(line, state);
        }
    }

    /// Takes in a line that is not here. Gives back the one that had to go.
    pub fn insert(&mut self, line: u64, state: State) -> Option<(u64, State)> {
        let set = self.set_mut(line);
        set.rotate_right(1);
        let gone = std::mem::replace(&mut set[0], entry(line, state));
        (gone != 0).then(|| ((gone >> STATE_BITS) - 1, state_of(gone)))
    }

    pub fn remove(&mut self, line: u64) -> Option<State> {
        let set = self.set_mut(line);
        let at = place(set, line)?;
        let state = state_of(set[at]);
        set[at..].rotate_left(1);
        set[set.len() - 1] = 0;
        Some(state)
    }

    /// The lines that are here, with their states.
    #[cfg(test)]
    pub fn lines(&self) -> impl Iterator<Item = (u64, State)> {
        let held = self.entries.iter().filter(|entry| **entry != 0);
        held.map(|entry| ((entry >> STATE_BITS) - 1, state_of(*entry)))
    }

    fn range(&self, line: u64) -> std::ops::Range<usize> {
        let set = match self.sets.is_power_of_two() {
            true => line & (self.sets - 1),
            false => line % self.sets,
        };
        let begin = set as usize * self.ways;
        begin..begin + self.ways
    }

    fn set(&self, line: u64) -> &[u64] {
        &self.entries[self.range(line)]
    }

    fn set_mut(&mut self, line: u64) -> &mut [u64] {
        let range = self.range(line);
        &mut self.entries[range]
    }
}

fn entry(line: u64, state: State) -> u64 {
    (line + 1) << STATE_BITS | state as u64
}

fn state_of(entry: u64) -> State {
    match entry & ((1 << STATE_BITS) - 1) {
        1 => State::Shared,
        2 => State::Exclusive,
        _ => State::Modified,
    }
}

fn place(set: &[u64], line: u64) -> Option<usize> {
    set.iter().position(|entry| entry >> STATE_BITS == line + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_recently_used_goes() {
        let mut cache = Cache::new(128, 2, 64);
        assert_eq!(cache.insert(0, State::Shared), None);
        assert_eq!(cache.insert(7, State::Exclusive), None);
        assert_eq!(cache.touch(0), Some(State::Shared));
        assert_eq!(cache.peek(7), Some(State::Exclusive), "looking is no use");
        assert_eq!(
            cache.insert(9, State::Modified),
            Some((7, State::Exclusive))
        );
        assert_eq!(cache.remove(0), Some(State::Shared));
        assert_eq!(cache.touch(0), None);
        assert_eq!(cache.lines().collect::<Vec<_>>(), [(9, State::Modified)]);
    }

    #[test]
    fn a_number_of_sets_need_be_no_power_of_two() {
        let mut cache = Cache::new(3 * 64, 1, 64);
        (0..3).for_each(|line| assert_eq!(cache.insert(line, State::Shared), None));
        assert_eq!(cache.insert(5, State::Shared), Some((2, State::Shared)));
    }
}
