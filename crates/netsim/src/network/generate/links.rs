//! What all links of a generated network have in common.

use crate::network::Hop;
use weft_fabric::Framing;

use super::values::Values;

/// Rate, delay, packets and framing of links.
#[derive(Debug, Clone, Copy)]
pub struct Links {
    pub bits_per_s: f64,
    pub delay_s: f64,
    pub mtu_bytes: u32,
    pub framing: Framing,
}

const DEFAULT_BITS_PER_S: f64 = 10e9;
const DEFAULT_DELAY_S: f64 = 1e-6;

impl Links {
    pub fn read(values: &Values<'_>) -> Result<Self, String> {
        let framing = [("ethernet", Framing::Ethernet), ("bare", Framing::Bare)];
        Ok(Self {
            framing: values.choice("framing", &framing)?,
            ..Self::read_ethernet(values)?
        })
    }

    /// Links that carry Ethernet frames and nothing else.
    pub fn read_ethernet(values: &Values<'_>) -> Result<Self, String> {
        let mtu_bytes = values.number_or("mtu", 576, Some(1500))?.unwrap_or(1500);
        Ok(Self {
            bits_per_s: values.rate("rate", DEFAULT_BITS_PER_S)?,
            delay_s: values.delay("delay", DEFAULT_DELAY_S)?,
            mtu_bytes: mtu_bytes.min(65_535) as u32,
            framing: Framing::Ethernet,
        })
    }

    /// A hop over such a link.
    pub fn hop(&self) -> Hop {
        Hop {
            delay_s: self.delay_s,
            bits_per_s: self.bits_per_s,
            mtu_bytes: Some(self.mtu_bytes),
        }
    }
}
