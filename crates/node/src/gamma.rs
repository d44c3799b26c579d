//! The application ratio gamma: how much an application computes beside what communicating costs, and what LAWS says of it
//! (P. Shivam and J. S. Chase, "On the elusive benefits of protocol offload", NICELI 2003).

use weft_fabric::{Framing, IP_AND_TCP_BYTES};
use weft_netsim::table;

use crate::engine::{Exchange, Failure, Tally};
use crate::machine::{Machine, Placement, Task};
use crate::steady::measure;

/// Longer than this for one message, and nothing worth a name flows.
const MOST_COMPUTE_S: f64 = 1000.0;

/// What each stage of a stream without application work takes for a byte, in picoseconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stages {
    /// Receiving, of a processor that does all of it itself: o X. The placement does not matter to it, so that the same
    /// gamma is the same work under all of them. A small message costs more for each byte.
    pub communication_ps: f64,
    /// Receiving, of the application's processor as placed: (1 - p) o X.
    pub host_ps: f64,
    /// The busiest of all else but the link: p o Y beta, where that is the network interface.
    pub other_ps: f64,
    pub link_ps: f64,
}

table! {
    /// Loads of a stream, by column: a row for each phase. Times are of a byte.
    pub struct Loads {
        phase: i32,
        gamma: f64,
        communication_ns: f64,
        host_ns: f64,
        other_ns: f64,
        link_ns: f64,
        /// Of the same work where the application's processor does everything.
        before_ns: f64,
    }
}

impl Stages {
    /// Measures a machine's; the exchange is a stream.
    pub fn measured(machine: &Machine, exchange: Exchange) -> Result<Self, Failure> {
        let processor = machine.placement.of(Task::Application);
        let bytes = |messages| (messages * exchange.message_bytes) as f64;
        let isolated = measure(&all_on_one(&without_load(machine)), exchange)?;
        let placed = measure(&without_load(machine), exchange)?;
        let [sender, receiver] = &placed.tallies;
        let of_sender = (0..machine.processors.len()).map(|index| busy_ps(sender, index));
        let of_receiver = (0..machine.processors.len()).filter(|index| *index != processor);
        let others = of_receiver
            .map(|index| busy_ps(receiver, index))
            .chain(of_sender)
            .chain([sender.io_bus_ps, receiver.io_bus_ps]);
        let segment_bytes = u64::from(machine.nic.mtu_bytes - IP_AND_TCP_BYTES);
        let wire_bytes = Framing::Ethernet.wire_bytes(segment_bytes, machine.nic.mtu_bytes);
        let wire_ps = wire_bytes as f64 * 8e12 / machine.link.bits_per_s as f64;
        Ok(Self {
            communication_ps: busy_ps(&isolated.tallies[1], processor) as f64
                / bytes(isolated.messages),
            host_ps: busy_ps(receiver, processor) as f64 / bytes(placed.messages),
            other_ps: others.max().unwrap_or(0) as f64 / bytes(placed.messages),
            link_ps: wire_ps / segment_bytes as f64,
        })
    }

    /// The least that a byte takes by LAWS.
    pub fn bound_ps(&self, gamma: f64) -> f64 {
        let host_ps = self.host_ps + gamma * self.communication_ps;
        host_ps.max(self.other_ps).max(self.link_ps)
    }

    /// The machine whose application computes gamma times as long for each byte as communicating would take, on top of
    /// what its description has it compute.
    pub fn load(
        &self,
        machine: &Machine,
        exchange: Exchange,
        gamma: f64,
    ) -> Result<Machine, Failure> {
        let each_s = gamma * self.communication_ps / 1e12;
        let compute_s = each_s * exchange.message_bytes as f64;
        if compute_s > MOST_COMPUTE_S {
            return Err(Failure::Drowned { compute_s });
        }
        let mut machine = machine.clone();
        let processor = &machine.processors[machine.placement.of(Task::Application)];
        machine.application.cycles_per_byte += each_s * processor.clock_hz as f64;
        Ok(machine)
    }
}

impl Loads {
    /// Adds a phase's, given what a byte of it takes on a machine without offload.
    pub fn add(&mut self, phase: u32, gamma: f64, stages: &Stages, before_ns: f64) {
        self.phase.push(phase as i32);
        self.gamma.push(gamma);
        self.communication_ns.push(stages.communication_ps / 1e3);
        self.host_ns.push(stages.host_ps / 1e3);
        self.other_ns.push(stages.other_ps / 1e3);
        self.link_ns.push(stages.link_ps / 1e3);
        self.before_ns.push(before_ns);
    }
}

/// The machine as it is before anything is moved away from the application's processor.
pub fn all_on_one(machine: &Machine) -> Machine {
    let mut machine = machine.clone();
    machine.placement = Placement::all_on(machine.placement.of(Task::Application));
    machine
}

fn without_load(machine: &Machine) -> Machine {
    let mut machine = machine.clone();
    machine.application.cycles_per_byte = 0.0;
    machine
}

fn busy_ps(tally: &Tally, processor: usize) -> u64 {
    tally.busy_ps[processor].iter().sum()
}
