//! Processors take up jobs, disturb each other at the memory, and end them.

use super::job::{Frame, Job, Piece};
use super::observe::Stage;
use super::observe::{Act, Part, Watch};
use super::pair::{Pair, Slot};
use super::touch::Standing;
use crate::machine::Span;

impl<W: Watch> Pair<'_, W> {
    /// A job for a processor, from somewhere that needs not call it.
    pub(super) fn post(&mut self, at: usize, processor: usize, job: Job) {
        let span = self.span(at, processor, job);
        let now_ps = self.now_ps;
        let piece = Piece::new(job, (self.nodes[at].flows.current(), self.interface), span);
        self.nodes[at].memory_bus_ps += span.host_accesses * self.machine.memory.hold_ps();
        self.watch.posted(at, job);
        let was_idle = self.nodes[at].processors[processor].is_idle();
        if self.nodes[at].processors[processor].post(piece, now_ps) {
            let part = Part::Processor(processor);
            if !was_idle {
                self.watch.ends(at, part, false, now_ps);
            }
            self.watch.begins(at, part, Act::Job(job), now_ps);
            self.retime(at);
        }
    }

    /// What a job takes a processor: for one of the host with what it waits for its caches.
    fn span(&mut self, at: usize, processor: usize, job: Job) -> Span {
        let node = &mut self.nodes[at];
        let bytes = node.process.worked_bytes(self.exchange.compute);
        let isolated = self.costs.span(job, processor, bytes);
        let isolated = match self.is_bonded && job.is_of_interface() {
            true => isolated.plus(1, self.costs.bond),
            false => isolated,
        };
        let (sent, acknowledged) = node.sent_bytes();
        match &mut node.touches {
            Some(touches) if !self.machine.processors[processor].on_nic => {
                let standing = Standing {
                    flow: node.flows.current(),
                    copied: node.process.bytes() - node.process.left_bytes,
                    sent,
                    acknowledged,
                };
                touches.span(job, processor, isolated, standing)
            }
            _ => isolated,
        }
    }

    /// A job for another processor of the host, which is called if it has nothing to do.
    pub(super) fn hand_over(&mut self, at: usize, from: usize, to: usize, job: Job) {
        let is_called = from != to && !self.machine.processors[to].on_nic;
        if is_called && self.nodes[at].processors[to].is_idle() {
            self.call(at, to);
        }
        self.post(at, to, job);
    }

    pub(super) fn call(&mut self, at: usize, processor: usize) {
        self.nodes[at].processors[processor].interrupts += 1;
        self.post(at, processor, Job::Call);
    }

    pub(super) fn wind_timer(&mut self, at: usize) {
        if let Some(period_ps) = 1_000_000_000_000u64.checked_div(self.machine.interrupts.timer_hz)
        {
            let slot = self.slot(at, Slot::Timer);
            self.calendar.set(slot, self.now_ps + period_ps.max(1));
        }
    }

    pub(super) fn tick(&mut self, at: usize) {
        for processor in 0..self.machine.processors.len() {
            if !self.machine.processors[processor].on_nic {
                self.call(at, processor);
            }
        }
        self.wind_timer(at);
    }

    /// A job began or ended: memory is slower or faster for all others now.
    pub(super) fn retime(&mut self, at: usize) {
        let memory = &self.machine.memory;
        let hold_ps = memory.hold_ps();
        let extra_ps = memory.collision_ps as f64;
        let count = self.machine.processors.len();
        for processor in 0..count {
            let density = self.nodes[at].processors[processor].density();
            let slowness = match density > 0.0 && extra_ps > 0.0 {
                true => 1.0 + density * extra_ps * self.taken(at, processor, hold_ps),
                false => 1.0,
            };
            let now_ps = self.now_ps;
            let end_ps = self.nodes[at].processors[processor].end_ps(slowness, now_ps);
            if let Some(end_ps) = end_ps {
                let slot = self.processor_slot(at, processor);
                self.calendar.set(slot, end_ps);
            }
        }
    }

    /// How likely an access finds the bridge taken by another processor.
    fn taken(&self, at: usize, processor: usize, hold_ps: f64) -> f64 {
        let node = &self.nodes[at];
        let buses = node.buses.iter().map(|bus| 1.0 - bus.hold);
        let mut free = (1.0 - node.io_hold) * buses.product::<f64>();
        for (other, one) in node.processors.iter().enumerate() {
            if other != processor {
                free *= 1.0 - (one.density() * hold_ps).min(1.0);
            }
        }
        1.0 - free
    }

    pub(super) fn processor_done(&mut self, at: usize, processor: usize) {
        let now_ps = self.now_ps;
        let done = self.nodes[at].processors[processor].finish(now_ps);
        self.watch
            .ends(at, Part::Processor(processor), true, now_ps);
        if let Some(job) = self.nodes[at].processors[processor].job() {
            let part = Part::Processor(processor);
            self.watch.begins(at, part, Act::Job(job), now_ps);
        }
        self.retime(at);
        if let Some(piece) = done {
            self.nodes[at].turn_to(piece.flow);
            self.turn_to_interface(piece.interface);
            self.job_done(at, processor, piece.job);
        }
    }

    fn job_done(&mut self, at: usize, processor: usize, job: Job) {
        match job {
            Job::Call | Job::Refill => (),
            Job::Interrupt => self.interrupt_entered(at, processor),
            Job::DriverIn(frame) => self.driver_in_done(at, processor, frame),
            Job::Poll(frame) => self.polled(at, processor, frame),
            Job::DriverOut(frame) => self.driver_out_done(at, frame),
            Job::BridgeIn(frame) => self.bridged_in(at, processor, frame),
            Job::BridgeOut(frame) => self.bridged_out(at, processor, frame),
            Job::ProtocolIn(frame) => self.protocol_in_done(at, processor, frame),
            Job::ProtocolOut(frame) => self.protocol_out_done(at, processor, frame),
            Job::WakeUp => self.woken(at, processor),
            Job::Switch => self.switched(at, processor),
            Job::SystemCall => self.called(at, processor),
            Job::CopyOut(bytes) => self.copied_out(at, processor, u64::from(bytes)),
            Job::CopyIn(bytes) => self.copied_in(at, processor, u64::from(bytes)),
            Job::Library { .. } | Job::Compute => self.computed(at, processor),
        }
    }

    /// A stage is over for a frame that ends a message.
    pub(super) fn mark(&mut self, stage: Stage, frame: Frame) {
        if frame.is_last {
            self.end_stage(stage);
        }
    }

    pub(super) fn end_stage(&mut self, stage: Stage) {
        self.budget.mark(stage, self.now_ps);
        self.watch.passes(stage, self.now_ps);
    }
}
