//! Constraints whose capacity depends on how many hosts contend for them.

use weft_fabric::CapacityByPorts;

/// Such a constraint.
#[derive(Debug, Clone)]
pub struct Contended {
    pub constraint: u32,
    pub by_ports: CapacityByPorts,
    /// What its rates are multiplied by to be as on a wire.
    pub gain: f64,
    /// Which end of what crosses it has the port that counts.
    pub end: End,
}

/// An end of a transfer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    Sender,
    Receiver,
}

impl Contended {
    /// Bit/s as on a wire, with so many ports.
    pub fn bits_per_s(&self, ports: usize) -> f64 {
        self.by_ports.at(ports as u32) * self.gain
    }
}
