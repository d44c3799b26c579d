//! One component from its first transfer's start to its last one's end.

use std::sync::atomic::{AtomicBool, Ordering};

use super::filling::{Filling, OPEN};
use super::local::Local;
use super::solution::Interrupted;
use super::symmetry::span_s;
use super::timeline::Timeline;

/// Ends that differ by less than this part of the time passed are one event: what is left of rounding.
pub const ROUNDING: f64 = 1e-12;

/// Runs components; keeps its memory from one to the next.
#[derive(Debug, Default)]
pub struct Completion {
    filling: Filling,
    /// By transfer.
    progress: Vec<Progress>,
    /// By round: when the first of its transfers ends at these rates.
    first_end_s: Vec<f64>,
    /// Those that begin later, the last first.
    to_come: Vec<u32>,
    ended: Vec<u32>,
}

/// How far a transfer is.
#[derive(Debug, Clone, Copy)]
struct Progress {
    /// What is left when the rate last changed, and when that was.
    left_bits: f64,
    since_s: f64,
    /// Less than nothing before the first.
    bits_per_s: f64,
    end_s: f64,
    weight: f64,
}

impl Progress {
    /// Goes on at another rate.
    #[inline]
    fn change(&mut self, bits_per_s: f64, now_s: f64) {
        if self.bits_per_s > 0.0 {
            let sent_bits = self.bits_per_s * (now_s - self.since_s);
            self.left_bits = (self.left_bits - sent_bits).max(0.0);
        }
        self.since_s = now_s;
        self.bits_per_s = bits_per_s;
        self.end_s = now_s + span_s(self.left_bits, bits_per_s);
    }
}

/// What to do and whom to tell.
pub struct Request<'a> {
    pub tolerance: f64,
    pub stop: &'a AtomicBool,
    pub timeline: Option<&'a mut Timeline>,
    /// A transfer's index outside, when it ended, and the constraint (outside) that limited it then.
    pub tell: &'a mut dyn FnMut(u32, f64, u32),
}

/// What a component took to solve.
#[derive(Debug, Clone, Copy, Default)]
pub struct Effort {
    pub events: u64,
    pub idle_s: f64,
}

impl Completion {
    /// The rates while all of a component's transfers run, whatever they carry.
    pub fn rates(&mut self, local: &mut Local, tell: &mut dyn FnMut(u32, f64, u32)) {
        self.filling.reset(local);
        for transfer in 0..local.len() as u32 {
            self.filling.admit(local, transfer);
        }
        self.filling.fill(local, 0);
        for round in 0..self.filling.rounds.len() {
            let found = self.filling.rounds[round];
            let limit = local.constraint_ids[found.constraint as usize];
            for &transfer in self.filling.frozen_in(round) {
                let bits_per_s = found.level * local.share[transfer as usize];
                tell(local.ids[transfer as usize], bits_per_s, limit);
            }
        }
    }

    /// Runs a component to its end. Every event costs what changes after the round in which the one that ended was
    /// frozen, and a heap of the constraints.
    pub fn run(&mut self, local: &mut Local, request: Request<'_>) -> Result<Effort, Interrupted> {
        let mut request = request;
        let mut effort = Effort::default();
        self.begin(local);
        let mut now_s = self.next_start_s(local);
        let mut from = 0;
        self.admit_until(local, now_s);
        loop {
            let refilled = self.filling.fill(local, from);
            self.apply_rates(refilled, now_s);
            if let Some(timeline) = request.timeline.as_deref_mut() {
                timeline.set_loads(local, &self.filling, now_s);
            }
            effort.events += 1;
            if request.stop.load(Ordering::Relaxed) {
                return Err(Interrupted);
            }
            let (end_s, start_s) = (self.next_end_s(), self.next_start_s(local));
            if end_s.min(start_s) == f64::INFINITY {
                break;
            }
            if start_s < end_s {
                now_s = start_s;
                self.admit_until(local, now_s);
                from = 0;
                continue;
            }
            let until_s = end_s * (1.0 + request.tolerance.max(ROUNDING));
            self.gather_ended(until_s.min(start_s.max(end_s)));
            now_s = self.latest_end_s();
            effort.idle_s += now_s - end_s;
            from = self.end_gathered(local, &mut request);
        }
        self.tell_endless(local, &mut request);
        Ok(effort)
    }

    fn begin(&mut self, local: &Local) {
        self.filling.reset(local);
        let count = local.len();
        let progress = |transfer: usize| Progress {
            left_bits: local.demand[transfer].bits,
            since_s: local.demand[transfer].start_s,
            bits_per_s: -1.0,
            end_s: f64::INFINITY,
            weight: local.share[transfer],
        };
        self.progress.clear();
        self.progress.extend((0..count).map(progress));
        self.to_come.clear();
        self.to_come.extend(0..count as u32);
        let start = |one: &u32| local.demand[*one as usize].start_s;
        self.to_come
            .sort_by(|one, other| start(other).total_cmp(&start(one)).then(other.cmp(one)));
    }

    fn next_start_s(&self, local: &Local) -> f64 {
        let next = self.to_come.last();
        next.map_or(f64::INFINITY, |one| local.demand[*one as usize].start_s)
    }

    fn admit_until(&mut self, local: &Local, now_s: f64) {
        while let Some(&next) = self.to_come.last() {
            if local.demand[next as usize].start_s > now_s {
                break;
            }
            self.filling.admit(local, next);
            self.to_come.pop();
        }
    }

    /// Gives those whose rounds were filled again their new rates and ends.
    fn apply_rates(&mut self, from: u32, now_s: f64) {
        self.first_end_s.truncate(from as usize);
        for number in from as usize..self.filling.rounds.len() {
            let level = self.filling.rounds[number].level;
            let mut first_s = f64::INFINITY;
            for &transfer in self.filling.frozen_in(number) {
                let progress = &mut self.progress[transfer as usize];
                let bits_per_s = level * progress.weight;
                if bits_per_s != progress.bits_per_s {
                    progress.change(bits_per_s, now_s);
                }
                first_s = first_s.min(progress.end_s);
            }
            self.first_end_s.push(first_s);
        }
    }

    fn next_end_s(&self) -> f64 {
        let ends = self.first_end_s.iter().copied();
        ends.fold(f64::INFINITY, f64::min)
    }

    fn gather_ended(&mut self, until_s: f64) {
        self.ended.clear();
        for (round, first_s) in self.first_end_s.iter().enumerate() {
            if *first_s <= until_s {
                let frozen = self.filling.frozen_in(round).iter().copied();
                self.ended
                    .extend(frozen.filter(|one| self.progress[*one as usize].end_s <= until_s));
            }
        }
    }

    fn latest_end_s(&self) -> f64 {
        let ends = self
            .ended
            .iter()
            .map(|one| self.progress[*one as usize].end_s);
        ends.fold(0.0, f64::max)
    }

    /// Takes those away that have ended; gives the round from which to fill again.
    fn end_gathered(&mut self, local: &Local, request: &mut Request<'_>) -> u32 {
        let mut from = OPEN;
        for index in 0..self.ended.len() {
            let transfer = self.ended[index];
            let round = self.filling.round_of(transfer);
            let limit = self.filling.rounds[round as usize].constraint;
            let limit = local.constraint_ids[limit as usize];
            let end_s = self.progress[transfer as usize].end_s;
            (request.tell)(local.ids[transfer as usize], end_s, limit);
            from = from.min(self.filling.dismiss(local, transfer));
        }
        from
    }

    /// What is at a rate of 0 at last stays there.
    fn tell_endless(&self, local: &Local, request: &mut Request<'_>) {
        for (round, found) in self.filling.rounds.iter().enumerate() {
            let limit = local.constraint_ids[found.constraint as usize];
            for &transfer in self.filling.frozen_in(round) {
                (request.tell)(local.ids[transfer as usize], f64::INFINITY, limit);
            }
        }
    }
}
