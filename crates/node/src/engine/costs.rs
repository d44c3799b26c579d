//! How long each job takes where the placement puts it, worked out once.

use super::job::{Frame, Job};
use crate::machine::{Machine, Span, Task, Work};

#[derive(Debug, Clone)]
pub struct JobCosts {
    /// By processor: others may call any.
    call: Vec<Span>,
    interrupt: Span,
    driver: Span,
    protocol_in: Span,
    protocol_out: Span,
    protocol_byte: Span,
    refill: Span,
    wake_up: Vec<Span>,
    switch: Vec<Span>,
    system_call: Span,
    copy_byte: Span,
    compute_byte: Span,
}

impl JobCosts {
    pub fn new(machine: &Machine) -> Self {
        let costs = &machine.costs;
        let place = |task| machine.placement.of(task);
        let on = |at: usize, work: Work| work.on(&machine.processors[at], machine);
        let code = |cycles: u64| Work {
            cycles: cycles as f64,
            accesses: cycles as f64 * costs.accesses_per_cycle,
        };
        let everywhere = |cycles| {
            let all = 0..machine.processors.len();
            all.map(|at| on(at, code(cycles))).collect()
        };
        let per_byte = |accesses: f64| Work {
            // A loop over words issues what it accesses: one cycle an access.
            cycles: accesses,
            accesses,
        };
        let protocol = place(Task::Protocol);
        let softirq = match machine.processors[protocol].on_nic {
            true => 0,
            false => costs.softirq,
        };
        let checksum = match machine.nic.checksum {
            true => 0.0,
            false => costs.checksum_accesses_per_byte,
        };
        let compute_byte = Work {
            cycles: machine.application.cycles_per_byte,
            accesses: 0.0,
        };
        Self {
            call: everywhere(costs.interrupt),
            interrupt: on(place(Task::Interrupt), code(costs.interrupt)),
            driver: on(place(Task::Driver), code(costs.driver)),
            protocol_in: on(protocol, code(costs.protocol + softirq)),
            protocol_out: on(protocol, code(costs.protocol)),
            protocol_byte: on(
                protocol,
                per_byte(costs.protocol_accesses_per_byte + checksum),
            ),
            refill: on(protocol, code(costs.refill)),
            wake_up: everywhere(costs.wake_up),
            switch: everywhere(costs.context_switch),
            system_call: on(place(Task::Application), code(costs.system_call)),
            copy_byte: on(place(Task::Copy), per_byte(costs.copy_accesses_per_byte)),
            compute_byte: on(place(Task::Application), compute_byte),
        }
    }

    /// What a job takes on a processor; `bytes` are those of a message, for the application.
    pub fn span(&self, job: Job, processor: usize, bytes: u64) -> Span {
        let with_payload = |base: Span, frame: Frame| {
            base.plus(u64::from(frame.payload_bytes), self.protocol_byte)
        };
        match job {
            Job::Call => self.call[processor],
            Job::Interrupt => self.interrupt,
            Job::DriverIn(_) | Job::DriverOut(_) => self.driver,
            Job::ProtocolIn(frame) => with_payload(self.protocol_in, frame),
            Job::ProtocolOut(frame) => with_payload(self.protocol_out, frame),
            Job::Refill => self.refill,
            Job::WakeUp => self.wake_up[processor],
            Job::Switch => self.switch[processor],
            Job::SystemCall => self.system_call,
            Job::CopyOut(bytes) | Job::CopyIn(bytes) => {
                Span::default().plus(u64::from(bytes), self.copy_byte)
            }
            Job::Compute => Span::default().plus(bytes, self.compute_byte),
        }
    }
}
