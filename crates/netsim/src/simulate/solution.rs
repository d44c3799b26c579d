//! What became of transfers: when each ended, and what held it back.

/// A bottleneck that is no constraint: the transfer's own cap.
pub const OWN_CAP: u32 = u32::MAX;
/// A bottleneck that is none: nothing limits the transfer.
pub const NOTHING: u32 = u32::MAX - 1;

/// The ends of the transfers of a phase, in their order.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Solution {
    /// When each ended, from the start of the phase; infinite where it never does.
    pub end_s: Vec<f64>,
    /// The constraint that limited each when it ended, or `OWN_CAP`, or `NOTHING`.
    pub bottleneck: Vec<u32>,
    /// How often rates changed.
    pub events: u64,
    /// For how long capacity that had become free was not yet given to others, summed up over all events of the
    /// component where that was longest. Zero without a tolerance, but for ends that differ by rounding only.
    pub idle_s: f64,
}

/// The rates of transfers that all run at once, in their order.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Rates {
    /// Infinite where nothing limits it.
    pub bits_per_s: Vec<f64>,
    /// As in a `Solution`.
    pub bottleneck: Vec<u32>,
}

/// Why there is no solution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Interrupted;

impl Solution {
    /// When the last transfer that ends at all ended.
    pub fn last_end_s(&self) -> f64 {
        let ends = self.end_s.iter().copied();
        ends.filter(|end| end.is_finite()).fold(0.0, f64::max)
    }
}
