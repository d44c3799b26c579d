//! What is due when. Entries due at the same time leave in the order they came.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A queue by time; adding and taking cost O(log n).
#[derive(Debug)]
pub struct Schedule<T> {
    heap: BinaryHeap<Reverse<Entry<T>>>,
    added: u64,
}

#[derive(Debug)]
struct Entry<T> {
    due_ns: u64,
    number: u64,
    item: T,
}

impl<T> Default for Schedule<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> Schedule<T> {
    /// An empty one.
    pub fn new() -> Self {
        Self {
            heap: BinaryHeap::new(),
            added: 0,
        }
    }

    /// Adds an item that is due at a time.
    pub fn add(&mut self, due_ns: u64, item: T) {
        self.added += 1;
        self.heap.push(Reverse(Entry {
            due_ns,
            number: self.added,
            item,
        }));
    }

    /// When the next item is due.
    pub fn next_due_ns(&self) -> Option<u64> {
        self.heap.peek().map(|Reverse(entry)| entry.due_ns)
    }

    /// Takes the next item if it is due, with the time it was due.
    pub fn take_due(&mut self, now_ns: u64) -> Option<(u64, T)> {
        if self.next_due_ns()? > now_ns {
            return None;
        }
        self.heap
            .pop()
            .map(|Reverse(entry)| (entry.due_ns, entry.item))
    }
}

impl<T> Entry<T> {
    fn key(&self) -> (u64, u64) {
        (self.due_ns, self.number)
    }
}

impl<T> PartialEq for Entry<T> {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl<T> Eq for Entry<T> {}

impl<T> PartialOrd for Entry<T> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> Ord for Entry<T> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.key().cmp(&other.key())
    }
}

#[cfg(test)]
mod tests {
    use super::Schedule;

    #[test]
    fn gives_what_is_due_in_order() {
        let mut schedule = Schedule::new();
        for (due, item) in [(30, 'd'), (10, 'a'), (20, 'b'), (20, 'c')] {
            schedule.add(due, item);
        }
        assert_eq!(schedule.next_due_ns(), Some(10));
        let due: Vec<_> = std::iter::from_fn(|| schedule.take_due(25)).collect();
        assert_eq!(due, [(10, 'a'), (20, 'b'), (20, 'c')]);
        assert_eq!(schedule.next_due_ns(), Some(30));
    }
}
