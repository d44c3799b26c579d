//! Cycles by category, counted while two nodes work: for machines whose costs are given by category.

use crate::engine::{Job, JobCycles, Watch, is_remote};
use crate::machine::{Machine, PER_BYTE};

/// Counts the cycles of all jobs behind the warm-up.
#[derive(Debug, Clone)]
pub struct Census {
    /// By category.
    prices: Vec<JobCycles>,
    /// With the waits for memory of the first processor.
    stretch: f64,
    per_byte: usize,
    byte_in: f64,
    byte_out: f64,
    is_on: bool,
    /// By node and category.
    pub cycles: [Vec<f64>; 2],
}

impl Census {
    /// For a machine whose breakdown is known.
    pub fn new(machine: &Machine) -> Self {
        let (costs, breakdown) = (&machine.costs, &machine.breakdown);
        let clock_hz = machine.processors[0].clock_hz as f64;
        let access_cycles = machine.memory.access_ps() * clock_hz / 1e12;
        let remote_accesses = match is_remote(machine) {
            true => costs.remote.accesses_per_byte,
            false => 0.0,
        };
        let price = |costs| JobCycles::new(machine, costs);
        let mut names = breakdown.categories.iter();
        let none = vec![0.0; breakdown.categories.len()];
        Self {
            prices: breakdown.costs.iter().map(price).collect(),
            stretch: 1.0 + costs.accesses_per_cycle * access_cycles,
            per_byte: names.position(|one| one == PER_BYTE).unwrap_or(0),
            byte_in: (costs.copy_in_accesses_per_byte + remote_accesses) * (1.0 + access_cycles),
            byte_out: costs.copy_accesses_per_byte * (1.0 + access_cycles),
            is_on: false,
            cycles: [none.clone(), none],
        }
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
        let cycles = &mut self.cycles[node];
        for (sum, price) in cycles.iter_mut().zip(&self.prices) {
            *sum += self.stretch * price.of(job);
        }
        match job {
            Job::CopyIn(bytes) => cycles[self.per_byte] += f64::from(bytes) * self.byte_in,
            Job::CopyOut(bytes) => cycles[self.per_byte] += f64::from(bytes) * self.byte_out,
            _ => (),
        }
    }
}
