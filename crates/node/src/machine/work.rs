//! Work, and how long it takes a processor.

use super::{Machine, Processor};

/// Cycles, and accesses to memory besides.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Work {
    pub cycles: f64,
    pub accesses: f64,
}

impl Work {
    /// How long it takes an undisturbed processor, and its part in accesses to the host's memory.
    pub fn on(self, processor: &Processor, machine: &Machine) -> Span {
        let period_ps = 1e12 / processor.clock_hz as f64;
        let access_ps = match processor.on_nic {
            true => machine.nic.access_ps(),
            false => machine.memory.access_ps(),
        };
        Span {
            isolated_ps: self.cycles * period_ps + self.accesses * access_ps,
            host_accesses: match processor.on_nic {
                true => 0.0,
                false => self.accesses * machine.memory.bridge_share(),
            },
        }
    }
}

impl std::ops::Add for Work {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            cycles: self.cycles + other.cycles,
            accesses: self.accesses + other.accesses,
        }
    }
}

impl Machine {
    /// Accesses of protocol processing for each byte that is sent: from buffer to buffer, and the checksum's.
    pub fn out_accesses_per_byte(&self) -> f64 {
        self.costs.protocol_accesses_per_byte + self.checksum_accesses_per_byte()
    }

    /// The same for what is received: pages with nothing but payload are handed on, not copied.
    pub fn in_accesses_per_byte(&self) -> f64 {
        match self.nic.header_split {
            true => self.checksum_accesses_per_byte(),
            false => self.out_accesses_per_byte(),
        }
    }

    /// None where the network interface computes checksums.
    pub fn checksum_accesses_per_byte(&self) -> f64 {
        match self.nic.checksum {
            true => 0.0,
            false => self.costs.checksum_accesses_per_byte,
        }
    }
}

/// How long something takes, and how often it goes to the host's memory in that time.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Span {
    pub isolated_ps: f64,
    /// By the mean, of the accesses those that the bridge sees; with caches all, until it is known what they find.
    pub host_accesses: f64,
}

impl Span {
    /// This and `bytes` times another.
    pub fn plus(self, bytes: u64, other: Self) -> Self {
        let bytes = bytes as f64;
        Self {
            isolated_ps: self.isolated_ps + bytes * other.isolated_ps,
            host_accesses: self.host_accesses + bytes * other.host_accesses,
        }
    }
}
