//! Phases in few numbers, for steps that have too many transfers to keep.
//!
//! Of each phase the numbers that stand for it are exact, and the rows of some of its transfers stay: those whose hash
//! of phase, source and destination is lowest. Which those are depends on nothing else, so that the same transfers stay
//! on another network, and two runs can be compared transfer by transfer.

use weft_plan::{Phase, Work};

use crate::simulate::{NOTHING, OWN_CAP};
use weft_fabric::hash::of_pair;

use super::columns::Columns;

/// The quantiles of a phase's rates, by nearest rank: the slowest, three between, and the fastest.
pub const QUANTILES: [f64; 5] = [0.0, 0.1, 0.5, 0.9, 1.0];

/// A phase without its transfers. Rates are those of messages, in 10^6 bit/s.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Digest {
    pub size_bytes: i64,
    pub transfers: u64,
    /// At `QUANTILES`.
    pub mbps: [f64; 5],
    pub mean_mbps: f64,
    /// Of all transfers together.
    pub aggregate_mbps: f64,
    /// The ends of the slowest transfer; of equally slow ones the first by source and destination.
    pub slowest: (i32, i32),
    /// From the first start to the last end of its rows.
    pub elapsed_ns: i64,
}

/// Transfers counted by rate and by what held them back.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Tally {
    /// By the number of the rate's step, see `Tally::rate_mbps`.
    rates: Vec<u64>,
    /// By constraint, then those at their own cap, then those that nothing held back.
    bottlenecks: Vec<u64>,
}

/// Condenses phase after phase and keeps its memory in between.
#[derive(Debug, Clone, Default)]
pub struct Condenser {
    pub tally: Tally,
    constraints: usize,
    mbps: Vec<f64>,
    first_rows: Vec<usize>,
    hashes: Vec<u64>,
}

/// How many of a rate's bits tell one step from the next: 10 bits behind the leading one, 0.1 %.
const STEP_SHIFT: u32 = 52 - 10;

impl Condenser {
    /// Of a network with so many constraints.
    pub fn new(constraints: usize) -> Self {
        Self {
            constraints,
            ..Self::default()
        }
    }

    /// Replaces the rows of a phase by those of some transfers, about `most_rows` in all and those of one transfer at
    /// least. None where there are no rows.
    pub fn condense(
        &mut self,
        phase: &Phase,
        rows: &mut Columns,
        most_rows: usize,
    ) -> Option<Digest> {
        let digest = self.digest(rows, paths(phase.work))?;
        let each = rows.len() / self.first_rows.len();
        let kept = (most_rows / each).clamp(1, self.first_rows.len());
        let of_transfers = self.first_rows.iter().map(|row| rank(rows, *row));
        self.hashes.clear();
        self.hashes.extend(of_transfers);
        let last = *self.hashes.select_nth_unstable(kept - 1).1;
        *rows = rows.only(|row| rank(rows, row) <= last);
        Some(digest)
    }

    fn digest(&mut self, rows: &Columns, paths: f64) -> Option<Digest> {
        self.mbps.clear();
        self.first_rows.clear();
        let mut slowest = (f64::INFINITY, (0, 0));
        for row in (0..rows.len()).filter(|row| rows.batch[*row] == 0) {
            let mbps = rate_mbps(rows, row, paths);
            let ends = (rows.src[row], rows.dst[row]);
            if (mbps, ends) < slowest {
                slowest = (mbps, ends);
            }
            self.mbps.push(mbps);
            self.first_rows.push(row);
            self.tally.add(self.constraints, mbps, rows.bottleneck[row]);
        }
        let aggregate_mbps: f64 = self.mbps.iter().sum();
        let transfers = self.mbps.len();
        let start_ns = rows.start_ns.iter().min()?;
        let ends = rows.start_ns.iter().zip(&rows.elapsed_ns);
        let end_ns = ends.map(|(start, elapsed)| start + elapsed).max()?;
        Some(Digest {
            size_bytes: *rows.size_bytes.iter().max()?,
            transfers: transfers as u64,
            mbps: quantiles(&mut self.mbps),
            mean_mbps: aggregate_mbps / transfers as f64,
            aggregate_mbps,
            slowest: slowest.1,
            elapsed_ns: end_ns - start_ns,
        })
    }
}

/// A row's place among those of its phase that may stay: the same for all rows of a transfer, spread evenly.
pub fn rank(rows: &Columns, row: usize) -> u64 {
    let (phase, src, dst) = (rows.phase[row], rows.src[row], rows.dst[row]);
    of_pair(phase as u64, src as u64, dst as u64)
}

/// How often a row's time has its messages cross the network.
fn paths(work: Work) -> f64 {
    match work {
        Work::Pingpong => 2.0,
        Work::Stream | Work::Cast => 1.0,
    }
}

/// One way; a clock that saw no time pass counts as one nanosecond.
pub fn rate_mbps(rows: &Columns, row: usize, paths: f64) -> f64 {
    let messages = f64::from(rows.messages[row]) * paths;
    let elapsed_us = rows.elapsed_ns[row].max(1) as f64 / 1e3;
    rows.size_bytes[row] as f64 * 8.0 * messages / elapsed_us
}

fn quantiles(values: &mut [f64]) -> [f64; 5] {
    QUANTILES.map(|part| {
        let rank = (part * values.len() as f64).ceil() as usize;
        let at = rank.clamp(1, values.len()) - 1;
        *values.select_nth_unstable_by(at, f64::total_cmp).1
    })
}

impl Tally {
    pub fn add(&mut self, constraints: usize, mbps: f64, bottleneck: u32) {
        self.bottlenecks.resize(constraints + 2, 0);
        let at = match bottleneck {
            OWN_CAP => constraints,
            NOTHING => constraints + 1,
            constraint => constraint as usize,
        };
        self.bottlenecks[at] += 1;
        let step = (mbps.to_bits() >> STEP_SHIFT) as usize;
        if step >= self.rates.len() {
            self.rates.resize(step + 1, 0);
        }
        self.rates[step] += 1;
    }

    /// Adds another's counts.
    pub fn merge(&mut self, other: &Tally) {
        merge(&mut self.rates, &other.rates);
        merge(&mut self.bottlenecks, &other.bottlenecks);
    }

    /// The least rate of each step, which is 0.1 % wide, and its transfers.
    pub fn rates(&self) -> (Vec<f64>, Vec<i64>) {
        let (steps, counts) = some(&self.rates);
        let least = steps.map(|step| f64::from_bits((step as u64) << STEP_SHIFT));
        (least.collect(), counts)
    }

    /// The constraints that held transfers back, and how many; `OWN_CAP` and `NOTHING` among them.
    pub fn bottlenecks(&self) -> (Vec<u32>, Vec<i64>) {
        let constraints = self.bottlenecks.len().saturating_sub(2);
        let (found, counts) = some(&self.bottlenecks);
        let number = |at: usize| match at.checked_sub(constraints) {
            None => at as u32,
            Some(0) => OWN_CAP,
            Some(_) => NOTHING,
        };
        (found.map(number).collect(), counts)
    }
}

fn merge(into: &mut Vec<u64>, other: &[u64]) {
    into.resize(into.len().max(other.len()), 0);
    for (sum, more) in into.iter_mut().zip(other) {
        *sum += more;
    }
}

fn some(counts: &[u64]) -> (impl Iterator<Item = usize>, Vec<i64>) {
    let found = (0..counts.len()).filter(|at| counts[*at] > 0);
    let kept = counts.iter().filter(|count| **count > 0);
    (found, kept.map(|count| *count as i64).collect())
}

#[cfg(test)]
mod tests {
    use super::super::columns::Row;
    use super::*;

    fn rows(count: u32, batches: u32) -> Columns {
        let mut rows = Columns::default();
        for src in 0..count {
            for batch in 0..batches {
                let row = Row {
                    batch,
                    src,
                    dst: count + src,
                    size_bytes: 1000,
                    messages: 1,
                    start_s: 0.0,
                    elapsed_s: 1e-6 * f64::from(src + 1),
                    bottleneck: if src == 0 { NOTHING } else { 3 },
                };
                rows.push(7, row);
            }
        }
        rows
    }

    fn phase(work: Work) -> Phase {
        Phase {
            index: 7,
            size_bytes: 1000,
            work,
            transfers: Vec::new(),
            arrangement: None,
        }
    }

    #[test]
    fn a_digest_is_that_of_all_transfers_and_whole_transfers_stay() {
        let mut condenser = Condenser::new(5);
        let mut kept = rows(100, 3);
        let digest = condenser
            .condense(&phase(Work::Stream), &mut kept, 30)
            .unwrap();
        assert_eq!(digest.transfers, 100);
        let quantiles = [80.0, 8000.0 / 91.0, 8000.0 / 51.0, 8000.0 / 11.0, 8000.0];
        assert_eq!(digest.mbps, quantiles);
        assert_eq!((digest.slowest, digest.elapsed_ns), ((99, 199), 100_000));
        assert_eq!(kept.len(), 30);
        assert!(kept.batch.chunks(3).all(|batches| batches == [0, 1, 2]));
        let (found, counts) = condenser.tally.bottlenecks();
        assert_eq!((found, counts), (vec![3, NOTHING], vec![99, 1]));
        let (least, counts) = condenser.tally.rates();
        assert_eq!(counts.iter().sum::<i64>(), 100);
        assert!(least.contains(&8000.0) && least.iter().all(|mbps| *mbps <= 8000.0));
    }

    #[test]
    fn what_stays_is_the_same_whatever_the_rates_and_one_transfer_does() {
        let kept = |work, times| {
            let mut kept = rows(50, 2);
            kept.elapsed_ns.iter_mut().for_each(|ns| *ns *= times);
            let digest = Condenser::new(5).condense(&phase(work), &mut kept, 1);
            (kept.src, digest.unwrap().mbps)
        };
        let (one, two) = (kept(Work::Stream, 1), kept(Work::Pingpong, 2));
        assert_eq!(one, two);
        assert_eq!(one.0.len(), 2);
        let none = &mut Columns::default();
        assert!(
            Condenser::new(5)
                .condense(&phase(Work::Cast), none, 9)
                .is_none()
        );
    }
}
