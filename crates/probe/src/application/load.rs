//! How much an application computes with what it receives.

use std::cell::Cell;
use std::rc::Rc;

use weft_plan::{Grain, Pattern};

use super::work;
use crate::system::clock::now_ns;
use crate::transport::order::Order;
use crate::wire::setup::Setup;

/// A processor that was idle is given so long to reach its speed, and as long for the first measurement of it.
const SETTLE_NS: u64 = 30_000_000;
/// After each batch, while nothing is timed.
const CHECK_NS: u64 = 4_000_000;

/// What is done with bytes that came in.
pub trait Application {
    /// Whether it computes with what each read gave back, while the rest of the message comes in.
    fn takes_reads(&self) -> bool {
        false
    }

    /// A batch is announced.
    fn begin(&mut self, _order: Order) {}

    fn compute(&mut self, _bytes: usize) {}

    /// The batch is over, and nothing is timed until the next is announced.
    fn end(&mut self) {}
}

/// None that computes: costs nothing in the timed loop.
pub struct Idle;

impl Application for Idle {}

/// What was computed so far, and how fast.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub iterations: u64,
    /// By the clock: what interrupts took from the application meanwhile is in it.
    pub elapsed_ns: u64,
    /// What an iteration takes, measured after the latest batch.
    pub iteration_ps: u64,
}

/// Computes for each byte as long as the batch's gamma says.
pub struct Load {
    pattern: Pattern,
    grain: Grain,
    /// What receiving a byte costs, in picoseconds, by message size.
    costs: Vec<(u64, u64)>,
    iterations_per_byte: f64,
    /// The part of an iteration that bytes so far have yet to get.
    rest: f64,
    counts: Rc<Cell<Counts>>,
}

impl Load {
    /// That of a step's receiver, calibrated on this thread's processor; none where it does not compute.
    pub fn of(setup: &Setup) -> Option<Load> {
        let pattern = setup.step.pattern.clone();
        let Pattern::Stream {
            compute, ref gamma, ..
        } = pattern
        else {
            return None;
        };
        if gamma.is_empty() {
            return None;
        }
        work::iteration_ps(SETTLE_NS);
        let counts = Counts {
            iteration_ps: work::iteration_ps(SETTLE_NS),
            ..Counts::default()
        };
        Some(Load {
            pattern,
            grain: compute,
            costs: setup.costs_ps.clone(),
            iterations_per_byte: 0.0,
            rest: 0.0,
            counts: Rc::new(Cell::new(counts)),
        })
    }

    /// What it has computed, for others to read.
    pub fn counts(&self) -> Rc<Cell<Counts>> {
        self.counts.clone()
    }

    /// Picoseconds of work for a byte of a batch; one that belongs to no phase comes without work.
    fn byte_ps(&self, order: Order) -> Option<f64> {
        let is_of_phase = order.phase != Order::NO_PHASE;
        let gamma = is_of_phase.then(|| self.pattern.load_of(order.phase))??;
        let (_, cost_ps) = self.costs.iter().find(|one| one.0 == order.size_bytes)?;
        Some(gamma * *cost_ps as f64)
    }
}

impl Application for Load {
    #[inline]
    fn takes_reads(&self) -> bool {
        self.grain == Grain::Read
    }

    fn begin(&mut self, order: Order) {
        let byte_ps = self.byte_ps(order).unwrap_or(0.0);
        self.iterations_per_byte = byte_ps / self.counts.get().iteration_ps as f64;
        self.rest = 0.0;
    }

    #[inline]
    fn compute(&mut self, bytes: usize) {
        let wanted = self.rest + bytes as f64 * self.iterations_per_byte;
        let iterations = wanted as u64;
        self.rest = wanted - iterations as f64;
        if iterations == 0 {
            return;
        }
        let start_ns = now_ns();
        work::carry_out(iterations);
        let mut counts = self.counts.get();
        counts.iterations += iterations;
        counts.elapsed_ns += now_ns() - start_ns;
        self.counts.set(counts);
    }

    /// The work's speed is measured again.
    fn end(&mut self) {
        self.counts.set(Counts {
            iteration_ps: work::iteration_ps(CHECK_NS),
            ..self.counts.get()
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(iteration_ps: u64) -> Load {
        let counts = Counts {
            iteration_ps,
            ..Counts::default()
        };
        Load {
            pattern: Pattern::Stream {
                window: 1,
                gamma: vec![0.0, 2.0],
                compute: Grain::Read,
            },
            grain: Grain::Read,
            costs: vec![(1000, 300)],
            iterations_per_byte: 0.0,
            rest: 0.0,
            counts: Rc::new(Cell::new(counts)),
        }
    }

    fn computed(phase: u32, size_bytes: u64, reads: &[usize]) -> u64 {
        let mut load = load(1000);
        load.begin(Order::unrecorded(phase, size_bytes, 1));
        reads.iter().for_each(|bytes| load.compute(*bytes));
        load.counts().get().iterations
    }

    #[test]
    fn a_byte_gets_gamma_times_what_it_costs_however_it_comes_in() {
        assert_eq!(computed(1, 1000, &[1000]), 600);
        assert!(computed(1, 1000, &[1; 1000]).abs_diff(600) <= 1);
        assert_eq!(computed(0, 1000, &[1000]), 0);
    }

    #[test]
    fn what_belongs_to_no_phase_or_has_no_known_cost_comes_without_work() {
        assert_eq!(computed(Order::NO_PHASE, 1000, &[1000]), 0);
        assert_eq!(computed(1, 2000, &[2000]), 0);
    }
}
