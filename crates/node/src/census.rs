//! Cycles by category, counted while two nodes work: for machines whose costs are given by category.

use crate::engine::{Job, JobParts, Watch, remote};
use crate::machine::{Machine, PER_BYTE};

/// Counts all jobs behind the warm-up.
#[derive(Debug, Clone)]
pub struct Census {
    /// By category.
    prices: Vec<JobParts>,
    /// With the waits for memory of the first processor.
    stretch: f64,
    per_byte: usize,
    byte_in: f64,
    byte_out: f64,
    splits: bool,
    is_on: bool,
    /// By node.
    counts: [JobParts; 2],
    bytes_in: [f64; 2],
    bytes_out: [f64; 2],
}

impl Census {
    /// For a machine whose breakdown is known.
    pub fn new(machine: &Machine) -> Self {
        let (costs, breakdown) = (&machine.costs, &machine.breakdown);
        let clock_hz = machine.processors[0].clock_hz as f64;
        let access_cycles = machine.memory.access_ps() * clock_hz / 1e12;
        let copy_in_accesses =
            costs.copy_in_accesses_per_byte + remote(machine, costs).accesses_per_byte;
        let price = |costs| JobParts::cycles(machine, costs);
        let mut names = breakdown.categories.iter();
        Self {
            prices: breakdown.costs.iter().map(price).collect(),
            stretch: 1.0 + costs.accesses_per_cycle * access_cycles,
            per_byte: names.position(|one| one == PER_BYTE).unwrap_or(0),
            byte_in: copy_in_accesses * (1.0 + access_cycles),
            byte_out: costs.copy_accesses_per_byte * (1.0 + access_cycles),
            splits: machine.nic.header_split,
            is_on: false,
            counts: [JobParts::default(); 2],
            bytes_in: [0.0; 2],
            bytes_out: [0.0; 2],
        }
    }

    /// By node and category.
    pub fn cycles(&self) -> [Vec<f64>; 2] {
        [0, 1].map(|node| {
            let prices = self.prices.iter();
            let of_code = prices.map(|price| self.stretch * price.times(&self.counts[node]));
            let mut cycles: Vec<_> = of_code.collect();
            cycles[self.per_byte] +=
                self.bytes_in[node] * self.byte_in + self.bytes_out[node] * self.byte_out;
            cycles
        })
    }
}

impl Watch for Census {
    fn batch_begins(&mut self, _now_ps: u64) {
        self.is_on = true;
    }

    fn posted(&mut self, node: usize, job: Job) {
        if !self.is_on {
            return;
        }
        self.counts[node].count(job, self.splits);
        match job {
            Job::CopyIn(bytes) => self.bytes_in[node] += f64::from(bytes),
            Job::CopyOut(bytes) => self.bytes_out[node] += f64::from(bytes),
            _ => (),
        }
    }
}
