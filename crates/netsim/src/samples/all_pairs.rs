//! All to all at once: n(n-1) transfers of one phase, which are made anew each time they are looked at.

use std::collections::{BTreeMap, HashSet};
use std::ops::Range;
use std::sync::atomic::AtomicBool;

use weft_plan::{Mode, Pattern, Step, StopRule, Transfer};

use crate::network::Path;
use crate::simulate::{
    Crowd, Demand, Fingerprint, Interrupted, Lumped, Route, Settings, side_by_side,
};

use super::amount::Amount;
use super::barrier::barrier_s;
use super::columns::Columns;
use super::digest::{Digest, QUANTILES, Tally, rank, rate_mbps};
use super::outcome::{Batches, PhaseOutcome};
use super::parameters::{Sharing, Simulator};
use super::setup::Setup;
use super::summary::{Outcome, joined};

/// A phase of an unphased all-to-all that each host takes part in with one message for each other.
pub struct AllPairs<'a> {
    simulator: &'a Simulator<'a>,
    index: u32,
    size_bytes: u64,
    rule: StopRule,
    trials: u32,
    repeats: u32,
    members: Vec<u32>,
}

/// Shown a transfer, and its path and demand where it has any; the route is the setup's.
type Look<'a> = dyn FnMut(&Setup<'_>, &Transfer, Option<(Path, Demand)>) + 'a;

/// What a thread found of all transfers.
struct Notes {
    outcome: PhaseOutcome,
    tally: Tally,
    /// Transfers by the bits of their rate, in 10^6 bit/s.
    rates: BTreeMap<u64, u64>,
    slowest: (f64, (i32, i32)),
    last_ns: i64,
}

impl<'a> AllPairs<'a> {
    /// The phase of a range that is one of these; None where it is another.
    pub fn of(
        simulator: &'a Simulator<'a>,
        step: &Step,
        range: &Range<usize>,
        lost: &HashSet<u32>,
    ) -> Option<Self> {
        let Pattern::AllToAll(pattern) = &step.pattern else {
            return None;
        };
        let StopRule::Count {
            repeats, trials, ..
        } = step.stop
        else {
            return None;
        };
        let is_fair = simulator.parameters.sharing == Sharing::MaxMin;
        let is_constant = simulator.network.contended().is_empty();
        let is_suited = is_fair && is_constant && step.network.is_none();
        if pattern.mode != Mode::Unphased || range.len() != 1 || !is_suited {
            return None;
        }
        let hosts = 0..simulator.network.hosts() as u32;
        let members = pattern.nodes.clone().unwrap_or_else(|| hosts.collect());
        let is_left = |host: &u32| !lost.contains(host);
        Some(Self {
            simulator,
            index: range.start as u32,
            size_bytes: *step.sizes.sizes().get(range.start)?,
            rule: step.stop,
            trials,
            repeats,
            members: members.into_iter().filter(is_left).collect(),
        })
    }

    /// Condenses the phase to about so many rows; None where too few of its transfers are alike.
    pub fn run(&self, most_rows: usize, stop: &AtomicBool) -> Result<Option<Outcome>, Interrupted> {
        let settings = Settings {
            tolerance: self.simulator.parameters.tolerance,
            stop,
        };
        let threads = self.simulator.parameters.threads;
        let capacities = self.simulator.network.capacities();
        let Some(lumped) = Lumped::solve(capacities, self, threads, settings)? else {
            return Ok(None);
        };
        let count = self.members.len() as f64;
        let share = most_rows as f64 / (count * (count - 1.0) * f64::from(self.trials));
        let most_rank = (share * u64::MAX as f64) as u64;
        let found = side_by_side(
            self.members.len(),
            threads,
            stop,
            Notes::default,
            |notes, part| self.note(notes, part, &lumped, most_rank),
        )?;
        let mut all = Notes::default();
        found.into_iter().for_each(|notes| all.merge(notes));
        Ok(Some(self.outcome(all, lumped.events)))
    }

    fn note(&self, notes: &mut Notes, part: usize, lumped: &Lumped, most_rank: u64) {
        let constraints = self.simulator.network.capacities().len();
        let rows = self.rows(part, lumped, &mut notes.outcome);
        for row in (0..rows.len()).filter(|row| rows.batch[*row] == 0) {
            let mbps = rate_mbps(&rows, row, 1.0);
            let ends = (rows.src[row], rows.dst[row]);
            if (mbps, ends) < notes.slowest {
                notes.slowest = (mbps, ends);
            }
            *notes.rates.entry(mbps.to_bits()).or_default() += 1;
            notes.tally.add(constraints, mbps, rows.bottleneck[row]);
        }
        let ends = rows.start_ns.iter().zip(&rows.elapsed_ns);
        let last_ns = ends.map(|(start, elapsed)| start + elapsed).max();
        notes.last_ns = notes.last_ns.max(last_ns.unwrap_or(0));
        let kept = rows.only(|row| rank(&rows, row) <= most_rank);
        notes.outcome.rows.append(kept);
    }

    /// All rows of a host's transfers; the phase's span and failures go to the outcome.
    fn rows(&self, part: usize, lumped: &Lumped, outcome: &mut PhaseOutcome) -> Columns {
        let mut own = PhaseOutcome {
            index: self.index,
            ..PhaseOutcome::default()
        };
        self.each(part, &mut |setup, transfer, found| {
            let Some((path, demand)) = found else {
                return own.fail(transfer);
            };
            let (end_s, bottleneck) = lumped.end(demand, setup.route());
            let end_s = end_s + setup.latency_s(&path, self.size_bytes);
            if end_s == f64::INFINITY {
                return own.fail(transfer);
            }
            let batches = Batches {
                count: self.trials,
                size_bytes: self.size_bytes,
                messages: self.repeats,
                start_s: 0.0,
                elapsed_s: end_s / f64::from(self.trials),
                bottleneck,
            };
            own.add_batches(transfer, batches);
        });
        outcome.failed.append(&mut own.failed);
        outcome.span_s = outcome.span_s.max(own.span_s);
        own.rows
    }

    fn each(&self, part: usize, look: &mut Look<'_>) {
        let mut setup = Setup::new(self.simulator.network, self.simulator.parameters);
        let amount = Amount::of(self.rule, self.size_bytes);
        let src = self.members[part];
        for &dst in self.members.iter().filter(|dst| **dst != src) {
            let transfer = Transfer::new(src, dst, self.size_bytes);
            let found = setup.seek(&transfer, amount, self.size_bytes);
            look(&setup, &transfer, found);
        }
    }

    fn outcome(&self, mut all: Notes, events: u64) -> Outcome {
        let mut setup = Setup::new(self.simulator.network, self.simulator.parameters);
        let ring = self.members.iter().zip(self.members.iter().cycle().skip(1));
        let ring: Vec<_> = ring.map(|(a, b)| Transfer::new(*a, *b, 1)).collect();
        let digest = all.digest(self.size_bytes);
        all.outcome.index = self.index;
        all.outcome.barrier_s = barrier_s(&mut setup, &ring);
        all.outcome.events = events;
        all.outcome.fingerprint = all.fingerprint();
        all.outcome.digest = digest;
        sort_by_ends(&mut all.outcome);
        Outcome {
            tally: all.tally,
            ..joined(vec![all.outcome])
        }
    }
}

impl Crowd for AllPairs<'_> {
    fn parts(&self) -> usize {
        self.members.len()
    }

    fn show(&self, part: usize, look: &mut dyn FnMut(Demand, Route<'_>)) {
        self.each(part, &mut |setup, _, found| {
            if let Some((_, demand)) = found {
                look(demand, setup.route());
            }
        });
    }
}

/// Which thread took which part is chance.
fn sort_by_ends(outcome: &mut PhaseOutcome) {
    outcome.failed.sort_unstable();
    let rows = &outcome.rows;
    let mut order: Vec<usize> = (0..rows.len()).collect();
    order.sort_unstable_by_key(|row| (rows.src[*row], rows.dst[*row], rows.batch[*row]));
    outcome.rows = rows.in_order(&order);
}

impl Default for Notes {
    fn default() -> Self {
        Self {
            outcome: PhaseOutcome::default(),
            tally: Tally::default(),
            rates: BTreeMap::new(),
            slowest: (f64::INFINITY, (0, 0)),
            last_ns: 0,
        }
    }
}

impl Notes {
    fn merge(&mut self, other: Notes) {
        self.outcome.rows.append(other.outcome.rows);
        self.outcome.failed.extend(other.outcome.failed);
        self.outcome.span_s = self.outcome.span_s.max(other.outcome.span_s);
        self.tally.merge(&other.tally);
        for (rate, count) in other.rates {
            *self.rates.entry(rate).or_default() += count;
        }
        if other.slowest < self.slowest {
            self.slowest = other.slowest;
        }
        self.last_ns = self.last_ns.max(other.last_ns);
    }

    fn digest(&self, size_bytes: u64) -> Option<Digest> {
        let transfers: u64 = self.rates.values().sum();
        let rates = self.rates.iter();
        let sums = rates.map(|(rate, count)| f64::from_bits(*rate) * *count as f64);
        let aggregate_mbps: f64 = sums.sum();
        (transfers > 0).then(|| Digest {
            size_bytes: size_bytes as i64,
            transfers,
            mbps: QUANTILES.map(|part| self.quantile(part, transfers)),
            mean_mbps: aggregate_mbps / transfers as f64,
            aggregate_mbps,
            slowest: self.slowest.1,
            elapsed_ns: self.last_ns,
        })
    }

    /// By nearest rank.
    fn quantile(&self, part: f64, transfers: u64) -> f64 {
        let rank = ((part * transfers as f64).ceil() as u64).max(1);
        let mut upto = 0;
        let mut rates = self.rates.iter();
        let found = rates.find(|(_, count)| {
            upto += **count;
            upto >= rank
        });
        found.map_or(0.0, |(rate, _)| f64::from_bits(*rate))
    }

    fn fingerprint(&self) -> Fingerprint {
        let mut fingerprint = Fingerprint::default();
        for (rate, count) in &self.rates {
            fingerprint.add_word(*rate);
            fingerprint.add_word(*count);
        }
        let (bottlenecks, counts) = self.tally.bottlenecks();
        for (bottleneck, count) in bottlenecks.into_iter().zip(counts) {
            fingerprint.add_word(u64::from(bottleneck));
            fingerprint.add_word(count as u64);
        }
        fingerprint
    }
}
