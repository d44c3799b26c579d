//! How long each job takes where the placement puts it, worked out once.

use super::job::{Frame, Header, Job};
use crate::machine::{Machine, Remote, Span, Task, Work};

pub const PAGE_BYTES: u32 = 4096;

#[derive(Debug, Clone)]
pub struct JobCosts {
    /// By processor: others may call any.
    call: Vec<Span>,
    interrupt: Span,
    driver: Span,
    page: Span,
    /// With what merging takes, where packets are merged.
    poll: Span,
    remote_frame: Span,
    acknowledgement: Span,
    driver_out: Vec<Span>,
    /// On top of the driver, for each frame over a bond.
    pub bond: Span,
    bridge: Span,
    protocol_in: Span,
    datagram_in: Span,
    datagram_out: Vec<Span>,
    protocol_out: Vec<Span>,
    protocol_in_byte: Span,
    protocol_out_byte: Span,
    /// Whether headers are in none of the pages.
    splits: bool,
    refill: Span,
    wake_up: Vec<Span>,
    switch: Vec<Span>,
    system_call: Vec<Span>,
    copy_in: Span,
    copy_out: Span,
    copy_in_byte: Span,
    copy_out_byte: Span,
    compute_byte: Span,
    library_cycle: Span,
    library_byte: Span,
}

/// Turns what jobs do into what they take where they are placed.
struct Pricing<'a> {
    machine: &'a Machine,
}

impl Pricing<'_> {
    fn on(&self, processor: usize, work: Work) -> Span {
        work.on(&self.machine.processors[processor], self.machine)
    }

    /// So many cycles of code, which accesses memory as code does.
    fn code(&self, cycles: u64) -> Work {
        Work {
            cycles: cycles as f64,
            accesses: cycles as f64 * self.machine.costs.accesses_per_cycle,
        }
    }

    fn of(&self, task: Task, cycles: u64) -> Span {
        self.on(self.machine.placement.of(task), self.code(cycles))
    }

    fn everywhere(&self, cycles: u64) -> Vec<Span> {
        let all = 0..self.machine.processors.len();
        all.map(|at| self.on(at, self.code(cycles))).collect()
    }

    /// A loop over words issues what it accesses: one cycle an access.
    fn per_byte(&self, task: Task, accesses: f64) -> Span {
        let work = Work {
            cycles: accesses,
            accesses,
        };
        self.on(self.machine.placement.of(task), work)
    }

    /// A byte's part of what a page costs that is copied to.
    fn page_byte(&self, cycles: u64) -> Span {
        let page = self.code(cycles);
        let share = 1.0 / f64::from(PAGE_BYTES);
        let work = Work {
            cycles: page.cycles * share,
            accesses: page.accesses * share,
        };
        self.on(self.machine.placement.of(Task::Copy), work)
    }

    fn compute_byte(&self) -> Span {
        let work = Work {
            cycles: self.machine.application.cycles_per_byte,
            accesses: 0.0,
        };
        self.on(self.machine.placement.of(Task::Application), work)
    }

    /// A processor of the interface has no kernel that defers work.
    fn softirq(&self) -> u64 {
        let protocol = self.machine.placement.of(Task::Protocol);
        match self.machine.processors[protocol].on_nic {
            true => 0,
            false => self.machine.costs.softirq,
        }
    }

    /// What a packet takes on each side between a driver domain and a guest.
    fn packet(&self) -> u64 {
        self.machine.driver_domain.map_or(0, |one| one.packet)
    }

    /// The driver of a guest's interface, in front of its protocol processing and behind it.
    fn frontend(&self, driver: u64) -> u64 {
        match self.machine.driver_domain {
            Some(domain) => driver + domain.packet,
            None => 0,
        }
    }

    fn merge(&self) -> u64 {
        match self.machine.nic.merge_bytes {
            0 => 0,
            _ => self.machine.costs.merge,
        }
    }

    fn remote(&self) -> Remote {
        match is_remote(self.machine) {
            true => self.machine.costs.remote,
            false => Remote::default(),
        }
    }
}

impl JobCosts {
    pub fn new(machine: &Machine) -> Self {
        let costs = &machine.costs;
        let price = Pricing { machine };
        let (softirq, remote) = (price.softirq(), price.remote());
        let (front_in, front_out) = (
            price.frontend(costs.driver),
            price.frontend(costs.driver_out),
        );
        let copy_in_accesses = costs.copy_in_accesses_per_byte + remote.accesses_per_byte;
        Self {
            call: price.everywhere(costs.interrupt),
            interrupt: price.of(Task::Interrupt, costs.interrupt),
            driver: price.of(Task::Driver, costs.driver),
            page: price.of(Task::Driver, costs.page),
            poll: price.of(Task::Driver, costs.driver + price.merge()),
            remote_frame: price.of(Task::Driver, remote.frame),
            acknowledgement: price.of(
                Task::Protocol,
                costs.acknowledgement + softirq + front_in + remote.acknowledgement,
            ),
            driver_out: price.everywhere(costs.driver_out),
            bond: price.of(Task::Driver, costs.bond),
            bridge: price.of(Task::Driver, price.packet()),
            protocol_in: price.of(
                Task::Protocol,
                costs.protocol + softirq + front_in + remote.segment,
            ),
            datagram_in: price.of(
                Task::Protocol,
                costs.datagram.unwrap_or(costs.protocol) + softirq + front_in + remote.segment,
            ),
            datagram_out: price
                .everywhere(costs.datagram.unwrap_or(costs.protocol_out) + front_out),
            protocol_out: price.everywhere(costs.protocol_out + front_out),
            protocol_in_byte: price.per_byte(Task::Protocol, machine.in_accesses_per_byte()),
            protocol_out_byte: price.per_byte(Task::Protocol, machine.out_accesses_per_byte()),
            splits: machine.nic.header_split,
            refill: price.of(Task::Protocol, costs.refill),
            wake_up: price.everywhere(costs.wake_up),
            switch: price.everywhere(costs.context_switch),
            system_call: price.everywhere(costs.system_call),
            copy_in: price.of(Task::Copy, costs.copy_in + remote.copy),
            copy_out: price.of(Task::Copy, costs.copy_out),
            copy_in_byte: price.per_byte(Task::Copy, copy_in_accesses),
            copy_out_byte: price
                .per_byte(Task::Copy, costs.copy_accesses_per_byte)
                .plus(1, price.page_byte(costs.page_out + remote.page_out)),
            compute_byte: price.compute_byte(),
            library_cycle: price.of(Task::Application, 1),
            library_byte: price.per_byte(Task::Application, costs.copy_accesses_per_byte),
        }
    }

    /// A frame's pages come on top of what each takes, and what its reader takes over.
    fn driven(&self, each: Span, frame: Frame) -> Span {
        let has_payload = u64::from(frame.payload_bytes > 0);
        each.plus(pages(frame, self.splits), self.page)
            .plus(has_payload, self.remote_frame)
    }

    /// What a job takes on a processor; `bytes` are those that the application works on.
    pub fn span(&self, job: Job, processor: usize, bytes: u64) -> Span {
        let with_payload =
            |base: Span, frame: Frame, byte| base.plus(u64::from(frame.payload_bytes), byte);
        match job {
            Job::Call => self.call[processor],
            Job::Interrupt => self.interrupt,
            Job::DriverIn(frame) => self.driven(self.driver, frame),
            Job::Poll(frame) => self.driven(self.poll, frame),
            Job::DriverOut(_) => self.driver_out[processor],
            Job::BridgeIn(_) | Job::BridgeOut(_) => self.bridge,
            Job::ProtocolIn(frame) if frame.payload_bytes == 0 => self.acknowledgement,
            Job::ProtocolIn(frame) => {
                let base = match frame.header {
                    Header::Tcp { .. } => self.protocol_in,
                    Header::Udp { .. } => self.datagram_in,
                };
                with_payload(base, frame, self.protocol_in_byte)
            }
            Job::ProtocolOut(frame) => {
                let base = match frame.header {
                    Header::Tcp { .. } => &self.protocol_out,
                    Header::Udp { .. } => &self.datagram_out,
                };
                with_payload(base[processor], frame, self.protocol_out_byte)
            }
            Job::Refill => self.refill,
            Job::WakeUp => self.wake_up[processor],
            Job::Switch => self.switch[processor],
            Job::SystemCall => self.system_call[processor],
            Job::CopyOut(bytes) => self.copy_out.plus(u64::from(bytes), self.copy_out_byte),
            Job::CopyIn(bytes) => self.copy_in.plus(u64::from(bytes), self.copy_in_byte),
            Job::Library { cycles, bytes } => Span::default()
                .plus(u64::from(cycles), self.library_cycle)
                .plus(bytes, self.library_byte),
            Job::Compute => Span::default().plus(bytes, self.compute_byte),
        }
    }
}

/// The pages that a received frame lies in; of one that is split, its payload.
pub fn pages(frame: Frame, splits: bool) -> u64 {
    match splits {
        true => pages_of(frame.payload_bytes),
        false => pages_of(frame.bytes()),
    }
}

/// The pages that so many bytes lie in.
fn pages_of(bytes: u32) -> u64 {
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
