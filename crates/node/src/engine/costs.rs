//! How long each job takes where the placement puts it, worked out once.

use super::job::{Frame, Job};
use crate::machine::{ETHERNET_BYTES, HEADER_BYTES, Machine, Remote, Span, Task, Work};

const PAGE_BYTES: u32 = 4096;

#[derive(Debug, Clone)]
pub struct JobCosts {
    /// By processor: others may call any.
    call: Vec<Span>,
    interrupt: Span,
    driver: Span,
    page: Span,
    page_out: Span,
    /// With what merging takes, where packets are merged.
    poll: Span,
    remote_frame: Span,
    acknowledgement: Span,
    driver_out: Vec<Span>,
    protocol_in: Span,
    protocol_out: Vec<Span>,
    protocol_byte: Span,
    refill: Span,
    wake_up: Vec<Span>,
    switch: Vec<Span>,
    system_call: Span,
    copy_in: Span,
    copy_out: Span,
    copy_in_byte: Span,
    copy_out_byte: Span,
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
        let remote = match is_remote(machine) {
            true => costs.remote,
            false => Remote::default(),
        };
        let copy_in_accesses = costs.copy_in_accesses_per_byte + remote.accesses_per_byte;
        let copier = place(Task::Copy);
        let merge = match machine.nic.merge_bytes {
            0 => 0,
            _ => costs.merge,
        };
        let compute_byte = Work {
            cycles: machine.application.cycles_per_byte,
            accesses: 0.0,
        };
        Self {
            call: everywhere(costs.interrupt),
            interrupt: on(place(Task::Interrupt), code(costs.interrupt)),
            driver: on(place(Task::Driver), code(costs.driver)),
            page: on(place(Task::Driver), code(costs.page)),
            page_out: on(copier, code(costs.page_out)),
            poll: on(place(Task::Driver), code(costs.driver + merge)),
            remote_frame: on(place(Task::Driver), code(remote.frame)),
            acknowledgement: on(protocol, code(costs.acknowledgement + softirq)),
            driver_out: everywhere(costs.driver_out),
            protocol_in: on(protocol, code(costs.protocol + softirq + remote.segment)),
            protocol_out: everywhere(costs.protocol_out),
            protocol_byte: on(
                protocol,
                per_byte(costs.protocol_accesses_per_byte + checksum),
            ),
            refill: on(protocol, code(costs.refill)),
            wake_up: everywhere(costs.wake_up),
            switch: everywhere(costs.context_switch),
            system_call: on(place(Task::Application), code(costs.system_call)),
            copy_in: on(copier, code(costs.copy_in + remote.copy)),
            copy_out: on(copier, code(costs.copy_out)),
            copy_in_byte: on(copier, per_byte(copy_in_accesses)),
            copy_out_byte: on(copier, per_byte(costs.copy_accesses_per_byte)),
            compute_byte: on(place(Task::Application), compute_byte),
        }
    }

    /// A frame's pages come on top of what each takes, and what its reader takes over.
    fn driven(&self, each: Span, frame: Frame) -> Span {
        let has_payload = u64::from(frame.payload_bytes > 0);
        each.plus(pages(frame), self.page)
            .plus(has_payload, self.remote_frame)
    }

    /// What a job takes on a processor; `bytes` are those of a message, for the application.
    pub fn span(&self, job: Job, processor: usize, bytes: u64) -> Span {
        let with_payload = |base: Span, frame: Frame| {
            base.plus(u64::from(frame.payload_bytes), self.protocol_byte)
        };
        match job {
            Job::Call => self.call[processor],
            Job::Interrupt => self.interrupt,
            Job::DriverIn(frame) => self.driven(self.driver, frame),
            Job::Poll(frame) => self.driven(self.poll, frame),
            Job::DriverOut(_) => self.driver_out[processor],
            Job::ProtocolIn(frame) if frame.payload_bytes == 0 => self.acknowledgement,
            Job::ProtocolIn(frame) => with_payload(self.protocol_in, frame),
            Job::ProtocolOut(frame) => with_payload(self.protocol_out[processor], frame),
            Job::Refill => self.refill,
            Job::WakeUp => self.wake_up[processor],
            Job::Switch => self.switch[processor],
            Job::SystemCall => self.system_call,
            Job::CopyOut(bytes) => self
                .copy_out
                .plus(u64::from(bytes), self.copy_out_byte)
                .plus(pages_of(bytes), self.page_out),
            Job::CopyIn(bytes) => self.copy_in.plus(u64::from(bytes), self.copy_in_byte),
            Job::Compute => Span::default().plus(bytes, self.compute_byte),
        }
    }
}

/// The pages that a received frame lies in.
pub fn pages(frame: Frame) -> u64 {
    pages_of(frame.payload_bytes + HEADER_BYTES + ETHERNET_BYTES)
}

/// The pages that so many bytes lie in.
pub fn pages_of(bytes: u32) -> u64 {
    u64::from(bytes.div_ceil(PAGE_BYTES))
}

/// Whether one processor of the host takes over from another what a packet brought.
pub fn is_remote(machine: &Machine) -> bool {
    let (protocol, copier) = (
        machine.placement.of(Task::Protocol),
        machine.placement.of(Task::Copy),
    );
    protocol != copier && !machine.processors[protocol].on_nic
}
