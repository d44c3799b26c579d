//! A plan's step in, samples out.

use std::sync::atomic::{AtomicBool, Ordering};

use weft_fabric::samples::{self, PhaseOutcome, Timed};
use weft_plan::{Options, Pattern, Phase, Step};

use crate::census::Census;
use crate::engine::{Exchange, Failure};
use crate::machine::Machine;
use crate::occupation::{Budgets, Categories, Occupation, shares};
use crate::recorder::Recorder;
use crate::recording::Recording;
use crate::steady::{Measured, measure, observe};

/// Two nodes of a kind.
#[derive(Debug, Clone, PartialEq)]
pub struct Simulator {
    pub machine: Machine,
}

/// What became of some phases of a step.
#[derive(Debug, Clone, Default)]
pub struct Outcome {
    /// As of a network, whose constraints are the parts of the first node, then of the second.
    pub samples: samples::Outcome,
    pub occupation: Occupation,
    pub budgets: Budgets,
    pub categories: Categories,
    /// Phases without samples, and why.
    pub failures: Vec<(u32, String)>,
}

impl Simulator {
    /// Carries out phases of a ping-pong or stream in order, until one message takes longer than the step wants, one fails,
    /// or `stop` is set.
    pub fn run(&self, step: &Step, phases: &[Phase], stop: &AtomicBool) -> Outcome {
        let machine = with_options(&self.machine, &step.options);
        let mut outcome = Outcome::default();
        let mut done = Vec::new();
        for phase in phases {
            if stop.load(Ordering::Relaxed) {
                break;
            }
            match timed(&machine, step, phase) {
                Ok((timed, measured, cycles)) => {
                    let messages = measured.messages;
                    outcome.categories.add(phase.index, &cycles, messages);
                    done.push(outcome.take(step, phase, &timed, &measured));
                    if timed.is_last(step) {
                        break;
                    }
                }
                Err(failure) => {
                    let mut lost = PhaseOutcome {
                        index: phase.index,
                        ..PhaseOutcome::default()
                    };
                    lost.fail(&phase.transfers[0]);
                    done.push(lost);
                    outcome.failures.push((phase.index, failure.to_string()));
                    break;
                }
            }
        }
        outcome.samples = samples::joined(done);
        outcome
    }
}

impl Simulator {
    /// Carries out one phase and looks on.
    pub fn record(&self, step: &Step, phase: &Phase) -> Result<(Measured, Recording), Failure> {
        let machine = with_options(&self.machine, &step.options);
        let answer_bytes = match step.pattern {
            Pattern::Stream { .. } => 0,
            _ => phase.size_bytes,
        };
        let exchange = exchange_of(step, phase, answer_bytes);
        let recorder = Recorder::new(&machine, answer_bytes > 0);
        let (measured, recorder) = observe(&machine, exchange, recorder)?;
        Ok((measured, recorder.finish()))
    }
}

impl Outcome {
    fn take(
        &mut self,
        step: &Step,
        phase: &Phase,
        timed: &Timed,
        measured: &Measured,
    ) -> PhaseOutcome {
        for (node, tally) in measured.tallies.iter().enumerate() {
            self.occupation.add(phase.index, node, tally);
        }
        if step.pattern == Pattern::Pingpong {
            self.budgets.add(phase.index, &measured.budget_ps);
        }
        let mut rows = PhaseOutcome {
            index: phase.index,
            events: measured.events,
            ..PhaseOutcome::default()
        };
        rows.fingerprint.add_word(measured.fingerprint);
        timed.add_rows(step, phase, &phase.transfers[0], &mut rows);
        rows
    }
}

/// What a plan says of sockets goes before what the machine does.
fn with_options(machine: &Machine, options: &Options) -> Machine {
    let mut machine = machine.clone();
    let sockets = &mut machine.sockets;
    sockets.send_bytes = options.send_buffer_bytes.unwrap_or(sockets.send_bytes);
    sockets.receive_bytes = options
        .receive_buffer_bytes
        .unwrap_or(sockets.receive_bytes);
    machine
}

type Cycles = [Vec<f64>; 2];

fn timed(
    machine: &Machine,
    step: &Step,
    phase: &Phase,
) -> Result<(Timed, Measured, Cycles), Failure> {
    let exchange = |answer_bytes| exchange_of(step, phase, answer_bytes);
    let Pattern::Stream { window } = step.pattern else {
        let (measured, cycles) = counted(machine, exchange(phase.size_bytes))?;
        let timed = Timed {
            each_s: measured.period_ps / 1e12,
            window_s: 0.0,
            window: 1,
            crossings: 2.0,
            bottleneck: busiest(&measured),
        };
        return Ok((timed, measured, cycles));
    };
    let (measured, cycles) = counted(machine, exchange(0))?;
    // One message and the acknowledgement that ends a window; the others follow one another.
    let alone = measure(machine, exchange(1))?;
    let each_s = measured.period_ps / 1e12;
    let timed = Timed {
        each_s,
        window_s: (alone.period_ps / 1e12 - each_s).max(0.0),
        window: window.max(1),
        crossings: 1.0,
        bottleneck: busiest(&measured),
    };
    Ok((timed, measured, cycles))
}

/// With cycles by category, where the machine knows them.
fn counted(machine: &Machine, exchange: Exchange) -> Result<(Measured, Cycles), Failure> {
    if !machine.breakdown.is_known() {
        return Ok((measure(machine, exchange)?, Cycles::default()));
    }
    let (measured, census) = observe(machine, exchange, Census::new(machine))?;
    Ok((measured, census.cycles))
}

fn exchange_of(step: &Step, phase: &Phase, answer_bytes: u64) -> Exchange {
    Exchange {
        message_bytes: phase.size_bytes,
        answer_bytes,
        nodelay: step.options.nodelay,
    }
}

/// The part of a node that was busy most of the time.
fn busiest(measured: &Measured) -> u32 {
    let all = measured.tallies.iter().flat_map(shares);
    let most = all
        .enumerate()
        .max_by(|(_, one), (_, other)| one.total_cmp(other));
    most.map_or(0, |(index, _)| index as u32)
}
