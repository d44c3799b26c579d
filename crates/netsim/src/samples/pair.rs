//! Steps between two nodes: ping-pong and stream, trial by trial as an agent times them.

use weft_plan::{Pattern, Phase, Step, StopRule, Transfer};

use super::outcome::{Batches, PhaseOutcome};
use super::pingpong::{one_way, round_trip};
use super::setup::Setup;

/// Carries out the phases of a step in order, until one message takes longer than the step's limit.
pub fn run(setup: &mut Setup<'_>, step: &Step, phases: &[Phase]) -> Vec<PhaseOutcome> {
    let mut outcomes = Vec::new();
    for phase in phases {
        let mut outcome = PhaseOutcome::of(phase, 1);
        let first = phase.transfers[0];
        let Some(timed) = Timed::of(setup, &step.pattern, &first, phase.size_bytes) else {
            outcome.fail(&first);
            outcomes.push(outcome);
            continue;
        };
        timed.add_rows(step, phase, &first, &mut outcome);
        outcomes.push(outcome);
        if timed.is_last(step) {
            break;
        }
    }
    outcomes
}

/// What messages of one size take.
#[derive(Debug, Clone, Copy)]
pub struct Timed {
    /// The time of one more message.
    pub each_s: f64,
    /// What a window of messages adds, and its messages.
    pub window_s: f64,
    pub window: u32,
    /// How often a message crosses the network.
    pub crossings: f64,
    pub bottleneck: u32,
}

impl Timed {
    /// Messages of which one more takes so long, without windows.
    pub fn alone(each_s: f64) -> Self {
        Self {
            each_s,
            window_s: 0.0,
            window: 1,
            crossings: 1.0,
            bottleneck: 0,
        }
    }

    fn of(
        setup: &mut Setup<'_>,
        pattern: &Pattern,
        transfer: &Transfer,
        size_bytes: u64,
    ) -> Option<Self> {
        match pattern {
            Pattern::Stream { window, .. } => Self::of_stream(setup, *window, transfer, size_bytes),
            _ => {
                let (each_s, bottleneck) = round_trip(setup, transfer, size_bytes)?;
                Some(Self {
                    crossings: 2.0,
                    bottleneck,
                    ..Self::alone(each_s)
                })
            }
        }
    }

    /// A message follows the other at the rate of the slowest hop or as fast as the ends handle them; at the end of a
    /// window the last one arrives and an acknowledgement of one byte comes back.
    fn of_stream(
        setup: &mut Setup<'_>,
        window: u32,
        transfer: &Transfer,
        size_bytes: u64,
    ) -> Option<Self> {
        let back = Transfer {
            src: transfer.dst,
            dst: transfer.src,
            ..*transfer
        };
        let (back_s, _) = one_way(setup, &back, 1)?;
        let (_, bottleneck) = one_way(setup, transfer, size_bytes)?;
        let path = setup.find_path(transfer)?;
        let behind_s = setup.latency_s(&path, size_bytes);
        let each_s = setup
            .paced_s(&path, size_bytes)
            .max(setup.parameters.overhead_s);
        Some(Self {
            each_s,
            window_s: behind_s + back_s,
            window: window.max(1),
            crossings: 1.0,
            bottleneck,
        })
    }

    /// What so many messages take.
    pub fn batch_s(&self, messages: u32) -> f64 {
        let windows = messages.div_ceil(self.window);
        f64::from(messages) * self.each_s + f64::from(windows) * self.window_s
    }

    /// One way of one message of a full window.
    pub fn message_s(&self) -> f64 {
        self.batch_s(self.window) / f64::from(self.window) / self.crossings
    }

    /// How many messages a trial has.
    pub fn messages(&self, rule: &StopRule) -> u32 {
        match rule {
            StopRule::Count { repeats, .. } => *repeats,
            StopRule::Time {
                trial_ns, at_least, ..
            } => {
                let each_s = self.message_s() * self.crossings;
                let fitting = (*trial_ns as f64 / 1e9 / each_s.max(1e-9)).floor();
                (fitting as u32).clamp(*at_least, i32::MAX as u32)
            }
        }
    }

    /// Whether one message takes so long that no larger one is tried.
    pub fn is_last(&self, step: &Step) -> bool {
        let message_ns = self.message_s() * 1e9;
        step.until_ns
            .is_some_and(|until| message_ns >= until as f64)
    }

    /// Adds the rows of a phase: its trials.
    pub fn add_rows(
        &self,
        step: &Step,
        phase: &Phase,
        ends: &Transfer,
        outcome: &mut PhaseOutcome,
    ) {
        let messages = self.messages(&step.stop);
        let elapsed_s = self.batch_s(messages);
        let batches = Batches {
            count: step.stop.trials_within((elapsed_s * 1e9) as u64),
            size_bytes: phase.size_bytes,
            messages,
            start_s: 0.0,
            elapsed_s,
            bottleneck: self.bottleneck,
        };
        outcome.add_batches(ends, batches);
    }
}
