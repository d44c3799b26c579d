//! The processors of a rank while it computes, one thing at a time each.
//!
//! The agent has one thread, which looks after messages as well. So processors that sleep or spin only pass the time, side by side;
//! where real work is done, they take turns.

use std::collections::VecDeque;

use weft_plan::Compute;

use crate::application::work;

/// Between two looks at messages.
const SLICE_NS: u64 = 20_000;

/// What a processor is about.
#[derive(Clone, Copy, Debug)]
struct Job {
    operation: u32,
    begun_ns: u64,
    /// When it ends, or the iterations that are left of it.
    left: u64,
}

#[derive(Debug, Default)]
struct Processor {
    current: Option<Job>,
    /// Operations and their times.
    waiting: VecDeque<(u32, u64)>,
}

/// An operation that computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Computed {
    pub operation: u32,
    pub begun_ns: u64,
    pub ended_ns: u64,
}

#[derive(Debug)]
pub struct Processors {
    how: Compute,
    iteration_ps: u64,
    all: Vec<Processor>,
}

impl Processors {
    /// So many, all idle; `iteration_ps` is what a piece of real work takes.
    pub fn new(how: Compute, iteration_ps: u64, count: usize) -> Processors {
        let count = if how == Compute::Work { 1 } else { count };
        Processors {
            how,
            iteration_ps: iteration_ps.max(1),
            all: (0..count.max(1)).map(|_| Processor::default()).collect(),
        }
    }

    /// Compute for a time, at once or when the processor is free.
    pub fn ask(&mut self, processor: u8, operation: u32, ns: u64) {
        let at = usize::from(processor) % self.all.len();
        self.all[at].waiting.push_back((operation, ns));
    }

    /// Begin what can begin: the next operation that has.
    pub fn next_begun(&mut self, now_ns: u64) -> Option<u32> {
        let idle = |one: &&mut Processor| one.current.is_none() && !one.waiting.is_empty();
        let processor = self.all.iter_mut().find(idle)?;
        let (operation, ns) = processor.waiting.pop_front()?;
        let left = match self.how {
            Compute::Work => (u128::from(ns) * 1000 / u128::from(self.iteration_ps)) as u64,
            Compute::Spin | Compute::Sleep => now_ns + ns,
        };
        processor.current = Some(Job {
            operation,
            begun_ns: now_ns,
            left,
        });
        Some(operation)
    }

    /// The next that has come to its end.
    pub fn next_ended(&mut self, now_ns: u64) -> Option<Computed> {
        let how = self.how;
        let is_over = |job: Job| match how {
            Compute::Work => job.left == 0,
            Compute::Spin | Compute::Sleep => job.left <= now_ns,
        };
        let ended = |one: &mut Processor| one.current.take_if(|job| is_over(*job));
        let job = self.all.iter_mut().find_map(ended)?;
        Some(Computed {
            operation: job.operation,
            begun_ns: job.begun_ns,
            ended_ns: now_ns,
        })
    }

    pub fn are_busy(&self) -> bool {
        self.all.iter().any(|one| one.current.is_some())
    }

    /// When to be woken, where sleeping is how it computes.
    pub fn rings_at_ns(&self) -> Option<u64> {
        let jobs = self.all.iter().filter_map(|one| one.current);
        let first = jobs.map(|job| job.left).min();
        first.filter(|_| self.how == Compute::Sleep)
    }

    /// Whether to look at messages without waiting for them.
    pub fn stay_awake(&self) -> bool {
        self.how != Compute::Sleep && self.are_busy()
    }

    /// Do a slice of real work.
    pub fn work(&mut self) {
        if self.how != Compute::Work {
            return;
        }
        let most = (SLICE_NS * 1000 / self.iteration_ps).max(1);
        if let Some(job) = self.all.iter_mut().find_map(|one| one.current.as_mut()) {
            let count = job.left.min(most);
            work::carry_out(count);
            job.left -= count;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_processor_does_one_thing_after_another_and_two_side_by_side() {
        let mut two = Processors::new(Compute::Sleep, 1, 2);
        two.ask(0, 1, 100);
        two.ask(0, 2, 50);
        two.ask(1, 3, 120);
        assert_eq!(
            [two.next_begun(10), two.next_begun(10), two.next_begun(10)],
            [Some(1), Some(3), None]
        );
        assert_eq!((two.rings_at_ns(), two.next_ended(109)), (Some(110), None));
        let ended = two.next_ended(111).unwrap();
        assert_eq!(
            (ended.operation, ended.begun_ns, ended.ended_ns),
            (1, 10, 111)
        );
        assert_eq!(
            (two.next_begun(111), two.rings_at_ns()),
            (Some(2), Some(130))
        );
    }

    #[test]
    fn work_is_done_in_slices_and_in_turns() {
        let mut one = Processors::new(Compute::Work, 1000, 4);
        one.ask(0, 1, 30_000);
        one.ask(3, 2, 0);
        assert_eq!((one.next_begun(0), one.next_begun(0)), (Some(1), None));
        one.work();
        assert_eq!(one.next_ended(1), None);
        one.work();
        assert_eq!(one.next_ended(2).unwrap().operation, 1);
        assert_eq!(
            (one.next_begun(2), one.next_ended(2).unwrap().operation),
            (Some(2), 2)
        );
    }
}
