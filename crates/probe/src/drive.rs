//! The driving end of a step: which batches to run, and for how long.

use std::io;

use memmap2::MmapMut;
use weft_plan::{Phase, Step, StopRule};

use crate::batch::{self, Timing};
use crate::channel::Channel;
use crate::clock::now_ns;
use crate::order::Order;
use crate::pattern::Payload;
use crate::samples::Sample;

/// Warm-up before the first phase ends after this time or this many messages.
const WARM_UP_NS: u64 = 1_000_000;
const WARM_UP_MESSAGES: u32 = 20;
/// Samples wait at most this long before they are handed on, always between two phases.
const REPORT_EVERY_NS: u64 = 200_000_000;

/// What a driver is asked to do: the phases of one step, in one launch.
pub struct Job<'a> {
    pub step: &'a Step,
    pub step_index: u32,
    pub launch: u32,
    pub phases: &'a [Phase],
    /// The run's start on CLOCK_MONOTONIC; negative when the run was begun before this machine was.
    pub epoch_ns: i64,
}

/// Runs the phases of a job over one channel.
pub struct Driver<'a, C, P> {
    job: Job<'a>,
    channel: C,
    payload: P,
    memory: MmapMut,
    /// Time and size of one message in the latest phase.
    latest: Option<(u64, u64)>,
}

impl<'a, C: Channel, P: Payload> Driver<'a, C, P> {
    pub fn new(job: Job<'a>, channel: C, payload: P) -> io::Result<Self> {
        let largest = job
            .phases
            .iter()
            .map(|phase| phase.size_bytes)
            .max()
            .unwrap_or(0);
        Ok(Driver {
            job,
            channel,
            payload,
            memory: batch::memory(largest)?,
            latest: None,
        })
    }

    /// Run all phases, handing samples to `report` between phases; returns when the peer has been released.
    pub fn run(mut self, mut report: impl FnMut(&[Sample]) -> io::Result<()>) -> io::Result<()> {
        let mut samples = Vec::with_capacity(64 * 1024);
        let mut reported_ns = now_ns();
        for phase in self.job.phases {
            let message_ns = self.run_phase(phase, &mut samples)?;
            if now_ns() - reported_ns > REPORT_EVERY_NS {
                report(&samples)?;
                samples.clear();
                reported_ns = now_ns();
            }
            if self
                .job
                .step
                .until_ns
                .is_some_and(|until_ns| message_ns >= until_ns)
            {
                break;
            }
        }
        report(&samples)?;
        self.channel.send(&Order::END.to_wire())
    }

    /// Run one phase; returns the best one-way time of one message.
    fn run_phase(&mut self, phase: &Phase, samples: &mut Vec<Sample>) -> io::Result<u64> {
        let messages = self.messages_for(phase.size_bytes)?;
        let order = Order {
            size_bytes: phase.size_bytes,
            messages,
        };
        let phase_start_ns = now_ns();
        let mut best_ns = u64::MAX;
        for number in 0..self.job.step.stop.trials() {
            let timing = self.batch(order)?;
            samples.push(self.sample(phase, number, messages, timing));
            best_ns = best_ns.min(timing.elapsed_ns / u64::from(messages));
            if self.job.step.stop.is_over(now_ns() - phase_start_ns) {
                break;
            }
        }
        self.latest = Some((best_ns, phase.size_bytes));
        Ok(best_ns / batch::crossings(&self.job.step.pattern))
    }

    fn batch(&mut self, order: Order) -> io::Result<Timing> {
        batch::drive(
            &self.job.step.pattern,
            &mut self.channel,
            &mut self.payload,
            &mut self.memory,
            order,
        )
    }

    /// The number of messages of a batch, and the warm-up that the stop rule asks for.
    fn messages_for(&mut self, size_bytes: u64) -> io::Result<u32> {
        match self.job.step.stop {
            StopRule::Count { repeats, .. } => {
                self.batch(Order {
                    size_bytes,
                    messages: (repeats / 10).max(1),
                })?;
                Ok(repeats)
            }
            StopRule::Time {
                trial_ns, at_least, ..
            } => {
                let expected_ns = self.expected_ns(size_bytes)?.max(1);
                let messages = (trial_ns / expected_ns).clamp(u64::from(at_least), i32::MAX as u64);
                Ok(messages as u32)
            }
        }
    }

    /// What one message is expected to take: the latest phase's, grown with the size as NetPIPE grows it.
    fn expected_ns(&mut self, size_bytes: u64) -> io::Result<u64> {
        if let Some((latest_ns, latest_bytes)) = self.latest {
            return Ok(
                (latest_ns as f64 * (size_bytes as f64 / latest_bytes as f64).max(1.0)) as u64,
            );
        }
        let first_ns = self
            .batch(Order {
                size_bytes,
                messages: 1,
            })?
            .elapsed_ns;
        let messages = (WARM_UP_NS / first_ns.max(1)).clamp(1, u64::from(WARM_UP_MESSAGES)) as u32;
        Ok(self
            .batch(Order {
                size_bytes,
                messages,
            })?
            .elapsed_ns
            / u64::from(messages))
    }

    fn sample(&self, phase: &Phase, batch: u32, messages: u32, timing: Timing) -> Sample {
        Sample {
            step: self.job.step_index as i32,
            phase: phase.index as i32,
            launch: self.job.launch as i32,
            batch: batch as i32,
            src: phase.transfers[0].src as i32,
            dst: phase.transfers[0].dst as i32,
            size_bytes: phase.size_bytes as i64,
            messages: messages as i32,
            start_ns: timing.start_ns as i64 - self.job.epoch_ns,
            elapsed_ns: timing.elapsed_ns as i64,
        }
    }
}
