//! The driving end of a step: which batches to run, and for how long.

use std::io;
use std::sync::mpsc::Receiver;

use serde::Deserialize;
use weft_plan::{Phase, Step, StopRule, Transfer, Work};

use crate::evidence::Recorder;
use crate::pair::batch;
use crate::pair::synchronised::{next, wrong};
use crate::system::clock::now_ns;
use crate::transport::batches::{Batches, Outcome};
use crate::transport::delivery::DeliveryRow;
use crate::transport::order::Order;
use crate::wire::samples::{REPORT_EVERY_NS, Sample};

/// Messages that tell how long one takes end after this time or this many of them.
const WARM_UP_NS: u64 = 1_000_000;
const WARM_UP_MESSAGES: u32 = 20;
/// A trial has at most so many times the messages that were tried before it: the first messages of a connection may be
/// acknowledged at once, and later ones with a delay of 40 ms each.
const GROWTH: u32 = 16;

/// So long a new connection is used at most before its first phase: its first messages do not take what later ones do.
const CONNECTION_NS: u64 = 50_000_000;
/// And for no more than one part in so many of what one trial of each phase takes.
const CONNECTION_SHARE: u64 = 8;

/// How to measure a phase whose message time is known.
#[derive(Clone, Copy, Debug, Deserialize)]
pub struct Known {
    /// Its index.
    pub phase: u32,
    /// Of each batch.
    pub messages: u32,
    pub batches: u32,
    /// So many messages go first that are not timed: where sizes come in any order, they find cold caches and small
    /// windows.
    pub warm_up: u32,
}

/// A batch of a phase that the coordinator chose by the samples so far.
#[derive(Clone, Copy, Debug, Deserialize)]
pub struct Wanted {
    pub phase: u32,
    pub batch: u32,
    pub size_bytes: u64,
    pub messages: u32,
}

/// What the coordinator says once the phases of a job are over.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Next {
    /// These, one after the other.
    Batches {
        batches: Vec<Wanted>,
    },
    Over,
}

/// What a driver is asked to do: the phases of one step, in one launch.
pub struct Job<'a> {
    pub step: &'a Step,
    pub step_index: u32,
    pub launch: u32,
    pub phases: &'a [Phase],
    /// The order and the amount of the phases where earlier launches tell; else they come as they are.
    pub known: &'a [Known],
    /// The node that serves.
    pub peer: u32,
    /// Where further batches are asked for when the phases are over.
    pub orders: Option<&'a Receiver<Vec<u8>>>,
    /// The run's start on CLOCK_MONOTONIC; negative when the run was begun before this machine was.
    pub epoch_ns: i64,
}

impl<'a> Job<'a> {
    /// Bytes of the largest message.
    pub fn largest_bytes(&self) -> u64 {
        if self.orders.is_some() {
            return self.step.sizes.sizes().into_iter().max().unwrap_or(0);
        }
        let sizes = self.phases.iter().map(|phase| phase.size_bytes);
        sizes.max().unwrap_or(0)
    }

    /// The phases in the order in which they run.
    fn in_order(&self) -> Vec<(&'a Phase, Option<Known>)> {
        let phases = self.phases;
        if self.known.is_empty() {
            return phases.iter().map(|phase| (phase, None)).collect();
        }
        let of = |known: &Known| phases.iter().find(|phase| phase.index == known.phase);
        let known = self.known.iter();
        known
            .filter_map(|one| Some((of(one)?, Some(*one))))
            .collect()
    }
}

/// What a driver found since it last handed something on.
#[derive(Default)]
pub struct Report {
    pub samples: Vec<Sample>,
    pub deliveries: Vec<DeliveryRow>,
}

/// Runs the phases of a job over one connection.
pub struct Driver<'a, B> {
    job: Job<'a>,
    batches: B,
    recorder: Recorder,
    /// Time and size of one message in the latest phase.
    latest: Option<(u64, u64)>,
}

impl<'a, B: Batches> Driver<'a, B> {
    pub fn new(job: Job<'a>, batches: B, recorder: Recorder) -> Self {
        Driver {
            job,
            batches,
            recorder,
            latest: None,
        }
    }

    /// Run all phases, handing what was found to `hand_on` between phases.
    pub fn run(
        &mut self,
        mut hand_on: impl FnMut(&Report, &mut Recorder) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut report = Report {
            samples: Vec::with_capacity(64 * 1024),
            deliveries: Vec::new(),
        };
        let mut reported_ns = now_ns();
        let mut first_ns = None;
        for (phase, known) in self.job.in_order() {
            let message_ns = self.run_phase(phase, known, &mut report)?;
            if now_ns() - reported_ns > REPORT_EVERY_NS {
                hand_on(&report, &mut self.recorder)?;
                report.samples.clear();
                report.deliveries.clear();
                reported_ns = now_ns();
            }
            let first_ns = *first_ns.get_or_insert(message_ns);
            let base_ns = self.job.step.goal.map_or(0, |_| first_ns);
            let is_enough = |until_ns| known.is_none() && message_ns >= base_ns + until_ns;
            if self.job.step.until_ns.is_some_and(is_enough) {
                break;
            }
        }
        hand_on(&report, &mut self.recorder)
    }

    /// Run batches as they are asked for; `hand_on` takes what was found, and has the next ones asked for.
    pub fn follow(
        &mut self,
        orders: &Receiver<Vec<u8>>,
        mut hand_on: impl FnMut(&Report, &mut Recorder) -> io::Result<()>,
    ) -> io::Result<()> {
        let largest_bytes = self.job.largest_bytes();
        hand_on(&Report::default(), &mut self.recorder)?;
        while let Next::Batches { batches } = next(orders)? {
            let mut report = Report::default();
            for one in batches {
                let Wanted { size_bytes, .. } = one;
                if size_bytes == 0 || size_bytes > largest_bytes || one.messages == 0 {
                    return Err(wrong("a batch that the step does not have"));
                }
                let phase = Phase {
                    index: one.phase,
                    size_bytes,
                    work: Work::Pingpong,
                    transfers: vec![Transfer::new(0, self.job.peer, size_bytes)],
                    arrangement: None,
                };
                // Reading the counters beside each would take longer than a search can wait.
                let is_recorded = self.recorder.has_rested();
                let order = Order {
                    size_bytes,
                    messages: one.messages,
                    phase: one.phase,
                    batch: is_recorded.then_some(one.batch),
                };
                self.recorder.before(order);
                let outcome = self.batches.batch(order)?;
                self.recorder.after();
                self.recorder.finish();
                self.note(&phase, one.batch, outcome, &mut report);
            }
            hand_on(&report, &mut self.recorder)?;
        }
        Ok(())
    }

    /// Release the peer.
    pub fn end(mut self) -> io::Result<()> {
        self.batches.end()
    }

    /// Run one phase; returns the best one-way time of one message.
    fn run_phase(
        &mut self,
        phase: &Phase,
        known: Option<Known>,
        report: &mut Report,
    ) -> io::Result<u64> {
        let known_ns = self.batches.begin_phase(phase.size_bytes)?;
        let stop = self.job.step.stop;
        let (mut messages, batches) = match known {
            Some(known) => (known.messages, known.batches),
            None => (self.messages_for(phase, known_ns)?, stop.trials()),
        };
        if let Some(warm_up @ 1..) = known.map(|known| known.warm_up) {
            self.warm_up(phase, warm_up)?;
        }
        let phase_start_ns = now_ns();
        let mut best_ns = u64::MAX;
        for number in 0..batches {
            let order = Order {
                size_bytes: phase.size_bytes,
                messages,
                phase: phase.index,
                batch: Some(number),
            };
            self.recorder.before(order);
            let outcome = self.batches.batch(order)?;
            self.recorder.after();
            self.note(phase, number, outcome, report);
            best_ns = best_ns.min(message_ns(&outcome));
            if known.is_none() {
                if stop.is_over(now_ns() - phase_start_ns) {
                    break;
                }
                messages = stop.messages_after(messages, outcome.timing.elapsed_ns);
            }
        }
        self.recorder.finish();
        self.latest = Some((best_ns, phase.size_bytes));
        Ok(best_ns / batch::crossings(&self.job.step.pattern))
    }

    /// The number of messages of a batch, and the warm-up that the stop rule asks for.
    fn messages_for(&mut self, phase: &Phase, known_ns: Option<u64>) -> io::Result<u32> {
        match self.job.step.stop {
            StopRule::Count { repeats, .. } => {
                self.warm_up(phase, (repeats / 10).max(1))?;
                Ok(repeats)
            }
            StopRule::Time {
                trial_ns, at_least, ..
            } => {
                let expected_ns = match known_ns {
                    Some(known_ns) => known_ns,
                    None => self.expected_ns(phase, trial_ns)?,
                };
                let messages =
                    (trial_ns / expected_ns.max(1)).clamp(u64::from(at_least), i32::MAX as u64);
                Ok(messages as u32)
            }
        }
    }

    /// What one message takes, by some that are not timed: where the latest phase's time, grown with the size as NetPIPE
    /// grows it, would leave a trial to one message, that time instead.
    fn expected_ns(&mut self, phase: &Phase, trial_ns: u64) -> io::Result<u64> {
        let Some((latest_ns, latest_bytes)) = self.latest else {
            return self.first_ns(phase, trial_ns);
        };
        let growth = (phase.size_bytes as f64 / latest_bytes as f64).max(1.0);
        let grown_ns = (latest_ns as f64 * growth) as u64;
        if 2 * grown_ns > trial_ns {
            return Ok(grown_ns);
        }
        Ok(grown_ns.min(self.tried(phase, trial_ns, grown_ns)?.1))
    }

    /// What one message takes once the connection has been used for a while.
    fn first_ns(&mut self, phase: &Phase, trial_ns: u64) -> io::Result<u64> {
        let start_ns = now_ns();
        let guess_ns = self.warm_up(phase, 1)?;
        let (messages, mut each_ns) = self.tried(phase, trial_ns, guess_ns)?;
        let trials_ns = self.job.phases.len() as u64 * trial_ns;
        while now_ns() - start_ns < CONNECTION_NS.min(trials_ns / CONNECTION_SHARE) {
            each_ns = each_ns.min(self.warm_up(phase, messages)?);
        }
        Ok(each_ns)
    }

    /// Messages that are not timed, how many at last, and the time of one, which was guessed.
    fn tried(&mut self, phase: &Phase, trial_ns: u64, guess_ns: u64) -> io::Result<(u32, u64)> {
        let fitting = WARM_UP_NS / guess_ns.max(1);
        let mut messages = fitting.clamp(1, u64::from(WARM_UP_MESSAGES)) as u32;
        let mut each_ns = self.warm_up(phase, messages)?;
        while trial_ns / each_ns.max(1) > u64::from(messages.saturating_mul(GROWTH)) {
            messages = messages.saturating_mul(GROWTH);
            each_ns = self.warm_up(phase, messages)?;
        }
        Ok((messages, each_ns))
    }

    /// A batch that is in no sample; gives the time of one message.
    fn warm_up(&mut self, phase: &Phase, messages: u32) -> io::Result<u64> {
        let order = Order::unrecorded(phase.index, phase.size_bytes, messages);
        Ok(message_ns(&self.batches.batch(order)?))
    }

    fn note(&self, phase: &Phase, batch: u32, outcome: Outcome, report: &mut Report) {
        report.samples.push(self.sample(phase, batch, outcome));
        if let Some((delivery, sending_ns)) = outcome.delivery {
            report.deliveries.push(DeliveryRow {
                phase: phase.index,
                batch,
                delivery,
                sending_ns,
            });
        }
    }

    fn sample(&self, phase: &Phase, batch: u32, outcome: Outcome) -> Sample {
        Sample {
            step: self.job.step_index as i32,
            phase: phase.index as i32,
            launch: self.job.launch as i32,
            batch: batch as i32,
            src: phase.transfers[0].src as i32,
            dst: phase.transfers[0].dst as i32,
            size_bytes: phase.size_bytes as i64,
            messages: outcome.messages as i32,
            start_ns: outcome.timing.start_ns as i64 - self.job.epoch_ns,
            elapsed_ns: outcome.timing.elapsed_ns as i64,
        }
    }
}

/// The time of one message; where none arrived, that of the whole batch.
fn message_ns(outcome: &Outcome) -> u64 {
    outcome.timing.elapsed_ns / u64::from(outcome.messages.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::batches::Timing;

    const TRIAL_NS: u64 = 4_000_000;

    /// Whose message takes as long whatever its size is, and its first ones longer.
    #[derive(Default)]
    struct Flat {
        messages: u32,
    }

    impl Flat {
        const EACH_NS: u64 = 25_000;
        const FIRST_NS: u64 = 400_000;
    }

    impl Batches for Flat {
        fn batch(&mut self, order: Order) -> io::Result<Outcome> {
            let each_ns = if self.messages == 0 {
                Self::FIRST_NS
            } else {
                Self::EACH_NS
            };
            self.messages += order.messages;
            let timing = Timing {
                start_ns: now_ns(),
                elapsed_ns: u64::from(order.messages) * each_ns,
            };
            Ok(Outcome {
                timing,
                messages: order.messages,
                delivery: None,
            })
        }

        fn end(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn step() -> Step {
        serde_json::from_value(serde_json::json!({
            "name": "it",
            "pattern": {"kind": "pingpong"},
            "transport": "tcp",
            "sizes": {"schedule": "list", "bytes": [1, 8, 64, 4096]},
            "stop": {"rule": "time", "trial_ns": TRIAL_NS, "trials": 1},
        }))
        .expect("a step")
    }

    #[test]
    fn a_batch_lasts_a_trial_where_a_larger_message_takes_no_longer() {
        let step = step();
        let phases = step.phases(2).unwrap();
        let job = Job {
            step: &step,
            step_index: 0,
            launch: 0,
            phases: &phases,
            known: &[],
            peer: 1,
            orders: None,
            epoch_ns: 0,
        };
        let mut samples = Vec::new();
        Driver::new(job, Flat::default(), Recorder::default())
            .run(|report, _| {
                samples.extend(report.samples.iter().map(|one| one.elapsed_ns as u64));
                Ok(())
            })
            .unwrap();
        assert_eq!(samples, [TRIAL_NS; 4]);
    }
}
