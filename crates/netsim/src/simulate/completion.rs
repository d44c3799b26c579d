//! One component from its first transfer's start to its last one's end.

use std::sync::atomic::{AtomicBool, Ordering};

use super::filling::Filling;
use super::local::Local;
use super::solution::Interrupted;

/// Ends that differ by less than this part of the time passed are one event: what is left of rounding.
pub const ROUNDING: f64 = 1e-12;

/// Runs components; keeps its memory from one to the next.
#[derive(Debug, Default)]
pub struct Completion {
    filling: Filling,
    /// By round: when the first of its transfers ends at these rates.
    first_end_s: Vec<f64>,
    /// Those that begin later, the last first.
    to_come: Vec<u32>,
    ended: Vec<u32>,
}

/// What to do, and what to report to.
pub struct Request<'a> {
    pub tolerance: f64,
    pub stop: &'a AtomicBool,
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
        self.filling.fill(local, 0, 0.0);
        for transfer in 0..local.len() as u32 {
            if let Some(limit) = self.filling.groups.limit_of(transfer) {
                let level = self.filling.groups.level(limit);
                let bits_per_s = level * local.share[transfer as usize];
                let limit = local.constraint_ids[limit as usize];
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
            let refilled = self.filling.fill(local, from, now_s);
            self.note_ends(refilled);
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
            self.gather_ended(local, until_s.min(start_s.max(end_s)));
            now_s = self.latest_end_s();
            effort.idle_s += now_s - end_s;
            from = self.end_gathered(local, &mut request);
        }
        self.tell_endless(local, &mut request);
        Ok(effort)
    }

    fn begin(&mut self, local: &Local) {
        self.filling.reset(local);
        self.to_come.clear();
        self.to_come.extend(0..local.len() as u32);
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

    /// Notes when the first end whose rounds were filled again.
    fn note_ends(&mut self, from: u32) {
        self.first_end_s.truncate(from as usize);
        let (groups, refilled) = (&self.filling.groups, &self.filling.rounds[from as usize..]);
        let ends = refilled.iter().map(|limit| groups.first_end_s(*limit));
        self.first_end_s.extend(ends);
    }

    fn next_end_s(&self) -> f64 {
        let ends = self.first_end_s.iter().copied();
        ends.fold(f64::INFINITY, f64::min)
    }

    fn gather_ended(&mut self, local: &Local, until_s: f64) {
        self.ended.clear();
        let groups = &self.filling.groups;
        for (limit, first_s) in self.filling.rounds.iter().zip(&self.first_end_s) {
            if *first_s <= until_s {
                let ends = |one: &u32| groups.end_s(*one) <= until_s;
                self.ended
                    .extend(groups.members(local, *limit).filter(ends));
            }
        }
    }

    fn latest_end_s(&self) -> f64 {
        let ends = self.ended.iter().map(|one| self.filling.groups.end_s(*one));
        ends.fold(0.0, f64::max)
    }

    /// Takes those away that have ended; gives the round from which to fill again.
    fn end_gathered(&mut self, local: &Local, request: &mut Request<'_>) -> u32 {
        let mut from = u32::MAX;
        for index in 0..self.ended.len() {
            let transfer = self.ended[index];
            self.tell(
                local,
                transfer,
                self.filling.groups.end_s(transfer),
                request,
            );
            from = from.min(self.filling.dismiss(local, transfer));
        }
        from
    }

    /// What is at a rate of 0 at last stays there.
    fn tell_endless(&self, local: &Local, request: &mut Request<'_>) {
        for transfer in 0..local.len() as u32 {
            self.tell(local, transfer, f64::INFINITY, request);
        }
    }

    fn tell(&self, local: &Local, transfer: u32, end_s: f64, request: &mut Request<'_>) {
        if let Some(limit) = self.filling.groups.limit_of(transfer) {
            let limit = local.constraint_ids[limit as usize];
            (request.tell)(local.ids[transfer as usize], end_s, limit);
        }
    }
}
