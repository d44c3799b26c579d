//! How a link is at a time: as the fabric describes it, with what weather changes.

use weft_fabric::weather::{Change, Filter};
use weft_fabric::{Direction, Limit};

/// One direction of a link, or the inside of a switch.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Conditions {
    pub direction: Direction,
    /// Whether it takes everything and delivers nothing.
    pub dead: bool,
    /// The most that chance adds to the delay.
    pub jitter_ns: u64,
    /// The share of the rate that others take.
    pub load_ppm: u32,
    /// What is lost.
    pub blocks: Vec<Filter>,
}

impl Conditions {
    /// As the fabric describes it.
    pub fn of(limit: &Limit) -> Self {
        Self {
            direction: limit.direction,
            dead: limit.dead,
            ..Self::default()
        }
    }

    /// The same with what an event changes; of several the last that began holds.
    pub fn with(mut self, change: &Change) -> Self {
        let direction = &mut self.direction;
        direction.rate_bits_per_s = change.rate_bits_per_s.or(direction.rate_bits_per_s);
        direction.delay_ns = change.delay_ns.unwrap_or(direction.delay_ns);
        direction.loss_ppm = change.loss_ppm.unwrap_or(direction.loss_ppm);
        direction.drops_above_bytes = change.drops_above_bytes.or(direction.drops_above_bytes);
        self.jitter_ns = change.jitter_ns.map_or(self.jitter_ns, |jitter| jitter.0);
        self.load_ppm = change.load_ppm.unwrap_or(self.load_ppm);
        self.blocks.extend(change.blocks.iter().cloned());
        self.dead |= change.dead;
        self
    }
}
