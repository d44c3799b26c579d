//! What every constraint carried, over time.

use super::filling::Filling;
use super::local::Local;
use super::solution::OWN_CAP;

/// Bits carried by each constraint in each of some equal spans of time.
#[derive(Debug, Clone)]
pub struct Timeline {
    bin_s: f64,
    bins: usize,
    /// By constraint, then by bin.
    bits: Vec<f64>,
    load: Vec<f64>,
    since_s: Vec<f64>,
}

impl Timeline {
    /// An empty timeline of `bins` spans from 0 to `span_s`.
    pub fn new(constraints: usize, bins: usize, span_s: f64) -> Self {
        Self {
            bin_s: span_s / bins as f64,
            bins,
            bits: vec![0.0; constraints * bins],
            load: vec![0.0; constraints],
            since_s: vec![0.0; constraints],
        }
    }

    /// How long a bin is.
    pub fn bin_s(&self) -> f64 {
        self.bin_s
    }

    /// The mean load of a constraint in each bin, in bit/s.
    pub fn loads_bits_per_s(&self, constraint: usize) -> impl Iterator<Item = f64> {
        let bits = &self.bits[constraint * self.bins..(constraint + 1) * self.bins];
        let seconds = match self.bin_s > 0.0 {
            true => self.bin_s,
            // Nothing took any time, and nothing was carried.
            false => 1.0,
        };
        bits.iter().map(move |bits| bits / seconds)
    }

    /// Takes the loads of a component that hold from now on.
    pub(super) fn set_loads(&mut self, local: &Local, filling: &Filling, now_s: f64) {
        for (index, id) in local.constraint_ids.iter().enumerate() {
            if *id != OWN_CAP {
                self.set_load(*id as usize, filling.load(local, index), now_s);
            }
        }
    }

    /// Notes that a constraint carries so much from now on.
    pub(super) fn set_load(&mut self, constraint: usize, bits_per_s: f64, now_s: f64) {
        let before = std::mem::replace(&mut self.load[constraint], bits_per_s);
        let since_s = std::mem::replace(&mut self.since_s[constraint], now_s);
        if before > 0.0 {
            self.deposit(constraint, before, since_s, now_s);
        }
    }

    fn deposit(&mut self, constraint: usize, bits_per_s: f64, from_s: f64, to_s: f64) {
        let last = self.bins - 1;
        let bin_of = |time_s: f64| ((time_s / self.bin_s) as usize).min(last);
        for bin in bin_of(from_s)..=bin_of(to_s) {
            let start = from_s.max(bin as f64 * self.bin_s);
            // What rounding leaves behind the end belongs to the last bin.
            let end = match bin == last {
                true => to_s,
                false => to_s.min((bin + 1) as f64 * self.bin_s),
            };
            self.bits[constraint * self.bins + bin] += bits_per_s * (end - start).max(0.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_load_is_spread_over_the_bins_that_it_lasts() {
        let mut timeline = Timeline::new(2, 4, 2.0);
        timeline.set_load(1, 8.0, 0.25);
        timeline.set_load(1, 2.0, 1.0);
        timeline.set_load(1, 0.0, 2.0);
        let loads: Vec<_> = timeline.loads_bits_per_s(1).collect();
        assert_eq!(loads, [4.0, 8.0, 2.0, 2.0]);
        assert!(timeline.loads_bits_per_s(0).all(|load| load == 0.0));
    }
}
