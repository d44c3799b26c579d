//! Loops over memory, line by line.

use super::buffers::Extent;
use crate::caches::{Cost, Hierarchy};

/// A node's caches, and how long the lines are by which its processors go through memory.
#[derive(Debug, Clone)]
pub struct Walker {
    pub hierarchy: Hierarchy,
    data_bytes: u64,
    code_bytes: u64,
}

impl Walker {
    pub fn new(hierarchy: Hierarchy) -> Self {
        let [data_bytes, code_bytes] = hierarchy.steps_bytes();
        Self {
            hierarchy,
            data_bytes,
            code_bytes,
        }
    }

    /// Goes through code once.
    pub fn fetch(&mut self, processor: usize, code: Extent) -> Cost {
        let mut cost = Cost::default();
        for address in lines(code, self.code_bytes) {
            cost += self.hierarchy.fetch(processor, address);
        }
        cost
    }

    /// Spreads accesses evenly over some places; of each line what is read is read first.
    pub fn work_on(
        &mut self,
        processor: usize,
        places: &[Extent],
        reads: u64,
        writes: u64,
    ) -> Cost {
        let step = self.data_bytes;
        let count: u64 = places
            .iter()
            .map(|one| lines(*one, step).len() as u64)
            .sum();
        let (reads, writes) = (Shares::new(reads, count), Shares::new(writes, count));
        let mut cost = Cost::default();
        let addresses = places.iter().flat_map(|one| lines(*one, step));
        for (index, address) in (0..).zip(addresses) {
            cost += self.hierarchy.load(processor, address, reads.of(index));
            cost += self.hierarchy.store(processor, address, writes.of(index));
        }
        cost
    }

    /// Reads so many words from one place and writes so many to another of the same length, line after line.
    pub fn copy(
        &mut self,
        processor: usize,
        from: Extent,
        to: u64,
        reads: u64,
        writes: u64,
    ) -> Cost {
        let step = self.data_bytes;
        let bytes = from.bytes;
        let mut sources = lines(from, step);
        let mut sinks = lines(Extent { address: to, bytes }, step);
        let (read, written) = (sources.len() as u64, sinks.len() as u64);
        let (reads, writes) = (Shares::new(reads, read), Shares::new(writes, written));
        let mut cost = Cost::default();
        for index in 0..read.max(written) {
            if let Some(address) = sources.next() {
                cost += self.hierarchy.load(processor, address, reads.of(index));
            }
            if let Some(address) = sinks.next() {
                cost += self.hierarchy.store(processor, address, writes.of(index));
            }
        }
        cost
    }
}

/// The addresses at which the lines begin that have any of it.
fn lines(place: Extent, line_bytes: u64) -> impl ExactSizeIterator<Item = u64> {
    let first = place.address / line_bytes;
    let last = (place.address + place.bytes).div_ceil(line_bytes);
    let count = if place.bytes == 0 { 0 } else { last - first };
    (0..count as usize).map(move |index| (first + index as u64) * line_bytes)
}

/// A whole number in so many shares that add up to it and differ by one at most, the larger first.
#[derive(Debug, Clone, Copy)]
struct Shares {
    each: u64,
    larger: u64,
}

impl Shares {
    fn new(total: u64, count: u64) -> Self {
        Self {
            each: total / count.max(1),
            larger: total % count.max(1),
        }
    }

    fn of(self, index: u64) -> u64 {
        self.each + u64::from(index < self.larger)
    }
}
