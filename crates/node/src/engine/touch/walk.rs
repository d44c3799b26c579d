//! Loops over memory, line by line.

use super::buffers::Extent;
use crate::caches::{Cost, Hierarchy, WriteBuffer};
use crate::machine::{Caches, Machine};

/// A node's caches, and how long the lines are by which its processors go through memory.
#[derive(Debug, Clone)]
pub struct Walker {
    pub hierarchy: Hierarchy,
    write_buffer: u32,
    /// By processor.
    periods_ps: Vec<f64>,
    data_bytes: u64,
    code_bytes: u64,
}

/// A processor on its way through memory.
struct Pass<'a> {
    hierarchy: &'a mut Hierarchy,
    processor: usize,
    buffer: WriteBuffer,
    /// From one access to the next, what they wait for left out.
    pace_ps: u64,
    cost: Cost,
}

impl Pass<'_> {
    fn load(&mut self, address: u64, words: u64) {
        let one = self.hierarchy.load(self.processor, address, words);
        self.buffer.pass(one.stall_ps + words * self.pace_ps);
        self.cost += one;
    }

    fn store(&mut self, address: u64, words: u64) {
        let one = self.hierarchy.store(self.processor, address, words);
        self.cost.stall_ps += self.buffer.take(words, one.write_ps, self.pace_ps);
        self.cost += one;
    }
}

impl Walker {
    pub fn new(machine: &Machine, caches: &Caches) -> Self {
        let hierarchy = Hierarchy::new(machine, caches);
        let [data_bytes, code_bytes] = hierarchy.steps_bytes();
        let clocks = machine.processors.iter().map(|one| one.clock_hz);
        Self {
            hierarchy,
            write_buffer: caches.write_buffer,
            periods_ps: clocks.map(|hz| 1e12 / hz as f64).collect(),
            data_bytes,
            code_bytes,
        }
    }

    /// Begins with nothing in the buffer: what a job leaves there is done before the next one writes.
    fn pass(&mut self, processor: usize, cycles: f64) -> Pass<'_> {
        Pass {
            processor,
            buffer: WriteBuffer::new(self.write_buffer),
            pace_ps: (self.periods_ps[processor] * cycles).round() as u64,
            hierarchy: &mut self.hierarchy,
            cost: Cost::default(),
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

    /// Spreads accesses evenly over some places, one each so many cycles; of each line what is read is read first.
    pub fn work_on(
        &mut self,
        processor: usize,
        places: &[Extent],
        reads: u64,
        writes: u64,
        cycles: f64,
    ) -> Cost {
        let step = self.data_bytes;
        let count: u64 = places
            .iter()
            .map(|one| lines(*one, step).len() as u64)
            .sum();
        let (reads, writes) = (Shares::new(reads, count), Shares::new(writes, count));
        let mut pass = self.pass(processor, cycles);
        let addresses = places.iter().flat_map(|one| lines(*one, step));
        for (index, address) in (0..).zip(addresses) {
            pass.load(address, reads.of(index));
            pass.store(address, writes.of(index));
        }
        pass.cost
    }

    /// Reads so many words from one place and writes so many to another of the same length, line after line, one access a
    /// cycle.
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
        let mut pass = self.pass(processor, 1.0);
        for index in 0..read.max(written) {
            if let Some(address) = sources.next() {
                pass.load(address, reads.of(index));
            }
            if let Some(address) = sinks.next() {
                pass.store(address, writes.of(index));
            }
        }
        pass.cost
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
