//! A plan's step in, samples out.

use std::sync::atomic::{AtomicBool, Ordering};

use weft_fabric::{IP_AND_TCP_BYTES, TIME_STAMP_BYTES};
use weft_netsim::samples::{self, PhaseOutcome, Timed};
use weft_plan::{Calls, Grain, MultiPair, Options, Pattern, Phase, Step, Transport, Webserver};

use crate::census::Census;
use crate::datagrams::{self, Deliveries};
use crate::engine::{Carrier, Exchange, Failure, Tally, Unwatched};
use crate::gamma::{Loads, Stages, all_on_one};
use crate::machine::{Library, Machine};
use crate::multi_pair;
use crate::occupation::{Budgets, CacheHits, Categories, Occupation, busiest, shares};
use crate::recorder::Recorder;
use crate::recording::Recording;
use crate::serving::{self, Responses};
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
    pub responses: Responses,
    pub loads: Loads,
    /// Of the size that was measured last.
    stages: Option<(u64, Stages)>,
    pub cache_hits: CacheHits,
    pub deliveries: Deliveries,
    /// Phases without samples, and why.
    pub failures: Vec<(u32, String)>,
}

impl Simulator {
    /// Carries out phases of a step between the two nodes in order, until a message takes longer than the step's limit,
    /// one fails, or `stop` is set. Of a step with loads larger ones are left out of a size that fails.
    pub fn run(&self, step: &Step, phases: &[Phase], stop: &AtomicBool) -> Outcome {
        let machine = with_options(&self.machine, &step.options);
        let mut outcome = Outcome::default();
        let mut done = Vec::new();
        let has_loads = !step.pattern.loads().is_empty();
        let mut failed_bytes = None;
        for phase in phases {
            if stop.load(Ordering::Relaxed) {
                break;
            }
            if failed_bytes == Some(phase.size_bytes) {
                continue;
            }
            match outcome.phase(&machine, step, phase) {
                Ok((rows, is_last)) => {
                    done.push(rows);
                    if is_last {
                        break;
                    }
                }
                Err(failure) => {
                    done.push(outcome.lose(phase, step.pattern.load_of(phase.index), &failure));
                    failed_bytes = Some(phase.size_bytes);
                    if !has_loads {
                        break;
                    }
                }
            }
        }
        outcome.samples = samples::joined(done);
        outcome
    }
}

impl Simulator {
    /// Why a step cannot be carried out on this machine, if it cannot.
    pub fn refusal(&self, step: &Step) -> Option<String> {
        if step.options.calls == Some(Calls::NonBlocking) {
            let right = "options.calls = \"nonblocking\" is not simulated inside a node; blocking calls are";
            return Some(right.to_owned());
        }
        if !step.pattern.loads().is_empty() && step.transport != Transport::Tcp {
            let transport = step.transport.name();
            return Some(format!(
                "an application's load over \"{transport}\" is measured between agents (local:, ssh:), not simulated; \
                 choose transport = \"tcp\""
            ));
        }
        let loses_segments = step.transport != Transport::Udp && !self.machine.nic.pause;
        loses_segments.then(|| {
            let transport = step.transport.name();
            format!(
                "{} has nic.pause = false, so that frames may be lost, and of \"{transport}\" losses are not simulated; \
                 set nic.pause=true, or choose transport = \"udp\"",
                self.machine.name
            )
        })
    }

    /// The MPI library that a step is over, with its name.
    pub fn library(&self, step: &Step) -> Option<(&'static str, Library)> {
        let is_mpi = step.transport == Transport::Mpi;
        is_mpi.then(|| self.machine.mpi.of(step.options.mpi))
    }

    /// Carries out one phase and looks on. Gives back what a message takes, too.
    pub fn record(&self, step: &Step, phase: &Phase) -> Result<(f64, Recording), Failure> {
        let machine = with_options(&self.machine, &step.options);
        let answer_bytes = match step.pattern {
            Pattern::Stream { .. } => 0,
            _ => phase.size_bytes,
        };
        let exchange = exchange(&machine, step, phase, answer_bytes);
        let recorder = Recorder::new(&machine, answer_bytes > 0);
        if is_datagrams(step) {
            let (streamed, recorder) = datagrams::stream(&machine, exchange, step, recorder)?;
            return Ok((streamed.each_s() * 1e12, recorder.finish()));
        }
        let (measured, recorder) = observe(&machine, exchange, recorder)?;
        Ok((measured.period_ps, recorder.finish()))
    }
}

impl Outcome {
    /// What both nodes were busy with over so many messages.
    fn note(
        &mut self,
        machine: &Machine,
        phase: &Phase,
        tallies: &[Tally; 2],
        messages: u64,
        cycles: &Cycles,
    ) {
        for (node, tally) in tallies.iter().enumerate() {
            self.note_hits(machine, phase, node, messages, tally);
            self.occupation.add(phase.index, node, tally);
        }
        self.categories.add(phase.index, cycles, messages);
    }

    /// What a node's caches had over so many messages.
    fn note_hits(
        &mut self,
        machine: &Machine,
        phase: &Phase,
        node: usize,
        messages: u64,
        tally: &Tally,
    ) {
        let caches = machine.memory.caches().map_or(0, |caches| caches.all.len());
        self.cache_hits
            .add(phase.index, node, caches, messages, tally);
    }

    /// Its rows, and whether no larger size is to be tried.
    fn phase(
        &mut self,
        machine: &Machine,
        step: &Step,
        phase: &Phase,
    ) -> Result<(PhaseOutcome, bool), Failure> {
        match &step.pattern {
            Pattern::Webserver(server) => Ok((self.serve(machine, step, server, phase)?, false)),
            Pattern::MultiPair(pattern) => Ok((self.pairs(machine, step, pattern, phase)?, false)),
            _ if is_datagrams(step) => self.stream_datagrams(machine, step, phase),
            _ => self.exchange(machine, step, phase),
        }
    }

    /// Messages of one pair of which none is lost.
    fn exchange(
        &mut self,
        machine: &Machine,
        step: &Step,
        phase: &Phase,
    ) -> Result<(PhaseOutcome, bool), Failure> {
        let (timed, measured, cycles) = match step.pattern.load_of(phase.index) {
            Some(gamma) => timed(&self.load(machine, step, phase, gamma)?, step, phase)?,
            None => timed(machine, step, phase)?,
        };
        self.note(
            machine,
            phase,
            &measured.tallies,
            measured.messages,
            &cycles,
        );
        if step.pattern == Pattern::Pingpong {
            self.budgets.add(phase.index, &measured.budget_ps);
        }
        let mut rows = PhaseOutcome::of(phase, measured.events);
        rows.fingerprint.add_word(measured.fingerprint);
        timed.add_rows(step, phase, &phase.transfers[0], &mut rows);
        if step.transport == Transport::Udp {
            self.deliveries.add_round_trips(&rows);
        }
        Ok((rows, timed.is_last(step)))
    }

    /// A stream of datagrams, of which some may be lost.
    fn stream_datagrams(
        &mut self,
        machine: &Machine,
        step: &Step,
        phase: &Phase,
    ) -> Result<(PhaseOutcome, bool), Failure> {
        let exchange = exchange(machine, step, phase, 0);
        let (streamed, cycles) = match machine.breakdown.is_known() {
            true => {
                let census = Census::new(machine);
                let (streamed, census) = datagrams::stream(machine, exchange, step, census)?;
                (streamed, census.cycles())
            }
            false => {
                let (streamed, _) = datagrams::stream(machine, exchange, step, Unwatched)?;
                (streamed, Cycles::default())
            }
        };
        let messages = streamed.sent.messages;
        self.note(machine, phase, &streamed.tallies, messages, &cycles);
        let mut rows = PhaseOutcome::of(phase, streamed.events);
        rows.fingerprint.add_word(streamed.fingerprint);
        let bottleneck = busiest(streamed.tallies.iter().flat_map(shares));
        streamed.add_rows(step, phase, bottleneck, &mut rows);
        self.deliveries.add_stream(&rows, &streamed);
        Ok((rows, Timed::alone(streamed.each_s()).is_last(step)))
    }

    /// The machine under a load, which is noted beside what it would take without offload.
    fn load(
        &mut self,
        machine: &Machine,
        step: &Step,
        phase: &Phase,
        gamma: f64,
    ) -> Result<Machine, Failure> {
        let exchange = exchange(machine, step, phase, 0);
        let stages = match self.stages {
            Some((bytes, stages)) if bytes == phase.size_bytes => stages,
            _ => Stages::measured(machine, exchange)?,
        };
        self.stages = Some((phase.size_bytes, stages));
        let loaded = stages.load(machine, exchange, gamma)?;
        let (before, ..) = timed(&all_on_one(&loaded), step, phase)?;
        self.loads
            .add(phase.index, gamma, &stages, byte_ns(&before, step, phase));
        Ok(loaded)
    }

    fn serve(
        &mut self,
        machine: &Machine,
        step: &Step,
        server: &Webserver,
        phase: &Phase,
    ) -> Result<PhaseOutcome, Failure> {
        let load = serving::load_of(step, server, phase);
        let batches = serving::serve(machine, load)?;
        let mut whole = Tally::default();
        batches.iter().for_each(|visits| whole.add(&visits.tally));
        self.occupation
            .add(phase.index, phase.transfers[1].src as usize, &whole);
        let pages = batches.iter().map(|visits| visits.pages).sum();
        self.note_hits(
            machine,
            phase,
            phase.transfers[1].src as usize,
            pages,
            &whole,
        );
        let mut rows = PhaseOutcome::of(phase, 0);
        serving::add_rows(&batches, phase, load.users, &mut rows, &mut self.responses);
        Ok(rows)
    }

    fn pairs(
        &mut self,
        machine: &Machine,
        step: &Step,
        pattern: &MultiPair,
        phase: &Phase,
    ) -> Result<PhaseOutcome, Failure> {
        let together = multi_pair::measure(machine, step, pattern, phase)?;
        for (node, tally) in together.tallies.iter().enumerate() {
            self.occupation.add(phase.index, node, tally);
        }
        let mut rows = PhaseOutcome::of(phase, together.events);
        rows.fingerprint.add_word(together.fingerprint);
        samples::add_rows(step, pattern, phase, &together.pairs, &mut rows);
        Ok(rows)
    }

    fn lose(&mut self, phase: &Phase, load: Option<f64>, failure: &Failure) -> PhaseOutcome {
        let at = load.map_or(String::new(), |load| format!("at {load}: "));
        self.failures.push((phase.index, format!("{at}{failure}")));
        let mut lost = PhaseOutcome::of(phase, 0);
        lost.fail(&phase.transfers[0]);
        lost
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
    if let Some(mss_bytes) = options.mss_bytes {
        // Options are inside of what TCP calls a segment (RFC 6691).
        let packet_bytes = mss_bytes as u32 + IP_AND_TCP_BYTES - TIME_STAMP_BYTES;
        machine.nic.mtu_bytes = machine.nic.mtu_bytes.min(packet_bytes);
    }
    machine
}

/// What a byte takes in the samples that there would be.
fn byte_ns(timed: &Timed, step: &Step, phase: &Phase) -> f64 {
    let mut rows = PhaseOutcome::default();
    timed.add_rows(step, phase, &phase.transfers[0], &mut rows);
    let (elapsed_ns, messages) = (rows.rows.elapsed_ns[0], rows.rows.messages[0]);
    elapsed_ns as f64 / f64::from(messages) / phase.size_bytes as f64
}

fn is_datagrams(step: &Step) -> bool {
    step.transport == Transport::Udp && matches!(step.pattern, Pattern::Stream { .. })
}

fn exchange(machine: &Machine, step: &Step, phase: &Phase, answer_bytes: u64) -> Exchange {
    Exchange {
        message_bytes: phase.size_bytes,
        answer_bytes,
        nodelay: step.options.nodelay,
        compute: match step.pattern {
            Pattern::Stream { compute, .. } => compute,
            _ => Grain::default(),
        },
        carrier: match step.transport {
            Transport::Udp => Carrier::Udp,
            Transport::Mpi => Carrier::Mpi(machine.mpi.of(step.options.mpi).1),
            _ => Carrier::Tcp,
        },
    }
}

type Cycles = [Vec<f64>; 2];

fn timed(
    machine: &Machine,
    step: &Step,
    phase: &Phase,
) -> Result<(Timed, Measured, Cycles), Failure> {
    let Pattern::Stream { window, .. } = step.pattern else {
        let (measured, cycles) =
            counted(machine, exchange(machine, step, phase, phase.size_bytes))?;
        let timed = Timed {
            crossings: 2.0,
            bottleneck: busiest(measured.tallies.iter().flat_map(shares)),
            ..Timed::alone(measured.period_ps / 1e12)
        };
        return Ok((timed, measured, cycles));
    };
    let (measured, cycles) = counted(machine, exchange(machine, step, phase, 0))?;
    // One message and the acknowledgement that ends a window; the others follow one another.
    let isolated = measure(machine, exchange(machine, step, phase, 1))?;
    let each_s = measured.period_ps / 1e12;
    let timed = Timed {
        each_s,
        window_s: (isolated.period_ps / 1e12 - each_s).max(0.0),
        window: window.max(1),
        crossings: 1.0,
        bottleneck: busiest(measured.tallies.iter().flat_map(shares)),
    };
    Ok((timed, measured, cycles))
}

/// With cycles by category, where the machine has them.
fn counted(machine: &Machine, exchange: Exchange) -> Result<(Measured, Cycles), Failure> {
    if !machine.breakdown.is_known() {
        return Ok((measure(machine, exchange)?, Cycles::default()));
    }
    let (measured, census) = observe(machine, exchange, Census::new(machine))?;
    Ok((measured, census.cycles()))
}
