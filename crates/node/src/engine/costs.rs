//! How long each job takes where the placement puts it, worked out once.

use std::ops::Index;

use weft_plan::named_enum;

use super::job::{Frame, Header, Job};
use crate::machine::{Costs, Machine, Remote, Span, Task, Work};

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

named_enum! {
    /// What jobs are made of, besides the bytes that they go through.
    pub enum JobPart {
        Interrupt = "interrupt",
        Driver = "driver",
        Page = "page",
        Merge = "merge",
        RemoteFrame = "remote frame",
        Acknowledgement = "acknowledgement",
        DriverOut = "driver out",
        ProtocolIn = "protocol in",
        DatagramIn = "datagram in",
        DatagramOut = "datagram out",
        ProtocolOut = "protocol out",
        Refill = "refill",
        WakeUp = "wake-up",
        Switch = "switch",
        SystemCall = "system call",
        CopyIn = "copy in",
        CopyOut = "copy out",
        PageOut = "page out",
    }
}

/// The cycles of each part, or how often it was done.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct JobParts([f64; JobPart::ALL.len()]);

impl Index<JobPart> for JobParts {
    type Output = f64;

    fn index(&self, part: JobPart) -> &f64 {
        &self.0[part as usize]
    }
}

impl JobParts {
    /// Cycles, by a machine's costs, or by those of one category.
    pub fn cycles(machine: &Machine, costs: &Costs) -> Self {
        let remote = remote(machine, costs);
        // A processor of the interface has no kernel that defers work.
        let softirq = match machine.processors[machine.placement.of(Task::Protocol)].on_nic {
            true => 0.0,
            false => costs.softirq,
        };
        let merges = machine.nic.merge_bytes > 0;
        Self(JobPart::ALL.map(|part| match part {
            JobPart::Interrupt => costs.interrupt,
            JobPart::Driver => costs.driver,
            JobPart::Page => costs.page,
            JobPart::Merge if merges => costs.merge,
            JobPart::Merge => 0.0,
            JobPart::RemoteFrame => remote.frame,
            JobPart::Acknowledgement => costs.acknowledgement + softirq + remote.acknowledgement,
            JobPart::DriverOut => costs.driver_out,
            JobPart::ProtocolIn => costs.protocol + softirq + remote.segment,
            JobPart::DatagramIn => {
                costs.datagram.unwrap_or(costs.protocol) + softirq + remote.segment
            }
            JobPart::DatagramOut => costs.datagram.unwrap_or(costs.protocol_out),
            JobPart::ProtocolOut => costs.protocol_out,
            JobPart::Refill => costs.refill,
            JobPart::WakeUp => costs.wake_up,
            JobPart::Switch => costs.context_switch,
            JobPart::SystemCall => costs.system_call,
            JobPart::CopyIn => costs.copy_in + remote.copy,
            JobPart::CopyOut => costs.copy_out,
            JobPart::PageOut => costs.page_out + remote.page_out,
        }))
    }

    /// These cycles, so often.
    pub fn times(&self, counts: &Self) -> f64 {
        self.0
            .iter()
            .zip(counts.0)
            .map(|(one, count)| one * count)
            .sum()
    }

    /// Counts a job on a host without a driver domain; `splits` says whether headers are in none of the pages.
    pub fn count(&mut self, job: Job, splits: bool) {
        match job {
            Job::Call | Job::Interrupt => self.add(JobPart::Interrupt, 1.0),
            Job::DriverIn(frame) => self.count_driven(frame, splits),
            Job::Poll(frame) => {
                self.count_driven(frame, splits);
                self.add(JobPart::Merge, 1.0);
            }
            Job::DriverOut(_) => self.add(JobPart::DriverOut, 1.0),
            Job::ProtocolIn(frame) if frame.payload_bytes == 0 => {
                self.add(JobPart::Acknowledgement, 1.0);
            }
            Job::ProtocolIn(frame) if frame.is_datagram() => self.add(JobPart::DatagramIn, 1.0),
            Job::ProtocolIn(_) => self.add(JobPart::ProtocolIn, 1.0),
            Job::ProtocolOut(frame) if frame.is_datagram() => self.add(JobPart::DatagramOut, 1.0),
            Job::ProtocolOut(_) => self.add(JobPart::ProtocolOut, 1.0),
            Job::Refill => self.add(JobPart::Refill, 1.0),
            Job::WakeUp => self.add(JobPart::WakeUp, 1.0),
            Job::Switch => self.add(JobPart::Switch, 1.0),
            Job::SystemCall => self.add(JobPart::SystemCall, 1.0),
            Job::CopyIn(_) => self.add(JobPart::CopyIn, 1.0),
            Job::CopyOut(bytes) => {
                self.add(JobPart::CopyOut, 1.0);
                self.add(JobPart::PageOut, f64::from(bytes) / f64::from(PAGE_BYTES));
            }
            Job::BridgeIn(_) | Job::BridgeOut(_) | Job::Library { .. } | Job::Compute => {}
        }
    }

    fn count_driven(&mut self, frame: Frame, splits: bool) {
        self.add(JobPart::Driver, 1.0);
        self.add(JobPart::Page, pages(frame, splits) as f64);
        if frame.payload_bytes > 0 {
            self.add(JobPart::RemoteFrame, 1.0);
        }
    }

    fn add(&mut self, part: JobPart, times: f64) {
        self.0[part as usize] += times;
    }
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
    fn code(&self, cycles: f64) -> Work {
        Work {
            cycles,
            accesses: cycles * self.machine.costs.accesses_per_cycle,
        }
    }

    fn of(&self, task: Task, cycles: f64) -> Span {
        self.on(self.machine.placement.of(task), self.code(cycles))
    }

    fn everywhere(&self, cycles: f64) -> Vec<Span> {
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
    fn page_byte(&self, cycles: f64) -> Span {
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

    /// What a packet takes on each side between a driver domain and a guest.
    fn packet(&self) -> f64 {
        self.machine
            .driver_domain
            .map_or(0.0, |one| one.packet as f64)
    }

    /// The driver of a guest's interface, in front of its protocol processing and behind it.
    fn frontend(&self, driver: f64) -> f64 {
        match self.machine.driver_domain {
            Some(domain) => driver + domain.packet as f64,
            None => 0.0,
        }
    }
}

impl JobCosts {
    pub fn new(machine: &Machine) -> Self {
        let costs = &machine.costs;
        let price = Pricing { machine };
        let cycles = JobParts::cycles(machine, costs);
        let front_in = price.frontend(costs.driver);
        let front_out = price.frontend(costs.driver_out);
        let copy_in_accesses =
            costs.copy_in_accesses_per_byte + remote(machine, costs).accesses_per_byte;
        Self {
            call: price.everywhere(cycles[JobPart::Interrupt]),
            interrupt: price.of(Task::Interrupt, cycles[JobPart::Interrupt]),
            driver: price.of(Task::Driver, cycles[JobPart::Driver]),
            page: price.of(Task::Driver, cycles[JobPart::Page]),
            poll: price.of(
                Task::Driver,
                cycles[JobPart::Driver] + cycles[JobPart::Merge],
            ),
            remote_frame: price.of(Task::Driver, cycles[JobPart::RemoteFrame]),
            acknowledgement: price.of(Task::Protocol, cycles[JobPart::Acknowledgement] + front_in),
            driver_out: price.everywhere(cycles[JobPart::DriverOut]),
            bond: price.of(Task::Driver, costs.bond),
            bridge: price.of(Task::Driver, price.packet()),
            protocol_in: price.of(Task::Protocol, cycles[JobPart::ProtocolIn] + front_in),
            datagram_in: price.of(Task::Protocol, cycles[JobPart::DatagramIn] + front_in),
            datagram_out: price.everywhere(cycles[JobPart::DatagramOut] + front_out),
            protocol_out: price.everywhere(cycles[JobPart::ProtocolOut] + front_out),
            protocol_in_byte: price.per_byte(Task::Protocol, machine.in_accesses_per_byte()),
            protocol_out_byte: price.per_byte(Task::Protocol, machine.out_accesses_per_byte()),
            splits: machine.nic.header_split,
            refill: price.of(Task::Protocol, cycles[JobPart::Refill]),
            wake_up: price.everywhere(cycles[JobPart::WakeUp]),
            switch: price.everywhere(cycles[JobPart::Switch]),
            system_call: price.everywhere(cycles[JobPart::SystemCall]),
            copy_in: price.of(Task::Copy, cycles[JobPart::CopyIn]),
            copy_out: price.of(Task::Copy, cycles[JobPart::CopyOut]),
            copy_in_byte: price.per_byte(Task::Copy, copy_in_accesses),
            copy_out_byte: price
                .per_byte(Task::Copy, costs.copy_accesses_per_byte)
                .plus(1, price.page_byte(cycles[JobPart::PageOut])),
            compute_byte: price.compute_byte(),
            library_cycle: price.of(Task::Application, 1.0),
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

/// What one processor of the host pays to take over from another what a packet brought; nothing where it need not.
pub fn remote(machine: &Machine, costs: &Costs) -> Remote {
    let (protocol, copier) = (
        machine.placement.of(Task::Protocol),
        machine.placement.of(Task::Copy),
    );
    match protocol != copier && !machine.processors[protocol].on_nic {
        true => costs.remote,
        false => Remote::default(),
    }
}
