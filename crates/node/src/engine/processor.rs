//! One processor: what it does, and what waits for it.

use std::collections::VecDeque;

use super::job::{Job, LEVELS, Level, Piece};
use crate::machine::Task;

/// So many packets are handed up before processes that wait get their turn (Linux: netdev_budget, and ksoftirqd behind it).
/// Without it a stream of tiny messages keeps the process that should read them from running for ever.
const SOFTIRQ_BUDGET: u32 = 300;

#[derive(Debug, Clone)]
pub struct Processor {
    waiting: [VecDeque<Piece>; LEVELS],
    running: Option<Piece>,
    /// Begun since a process got anything done, or none waited.
    softirqs: u32,
    /// Since when `running` has not been brought up to date.
    since_ps: u64,
    /// How much longer everything takes at present, since others use the memory.
    slowness: f64,
    pub busy_ps: [u64; Task::ALL.len()],
    pub interrupts: u64,
}

impl Default for Processor {
    fn default() -> Self {
        Self {
            waiting: Default::default(),
            running: None,
            softirqs: 0,
            since_ps: 0,
            slowness: 1.0,
            busy_ps: [0; Task::ALL.len()],
            interrupts: 0,
        }
    }
}

impl Processor {
    pub fn is_idle(&self) -> bool {
        self.running.is_none()
    }

    pub fn job(&self) -> Option<Job> {
        self.running.map(|piece| piece.job)
    }

    /// Accesses to the host's memory in a picosecond.
    pub fn density(&self) -> f64 {
        self.running.map_or(0.0, |piece| piece.density)
    }

    /// Takes a piece in. Gives back whether it runs now.
    pub fn post(&mut self, piece: Piece, now_ps: u64) -> bool {
        let level = piece.job.level();
        if let Some(running) = self.running {
            if self.rank(running.job.level()) <= self.rank(level) {
                self.waiting[level as usize].push_back(piece);
                return false;
            }
            self.catch_up(now_ps);
            if let Some(preempted) = self.running {
                let level = preempted.job.level() as usize;
                self.waiting[level].push_front(preempted);
            }
        }
        self.begin(piece, now_ps);
        true
    }

    /// Ends what runs and begins what waits, interrupts first.
    pub fn finish(&mut self, now_ps: u64) -> Option<Piece> {
        self.catch_up(now_ps);
        let done = self.running.take();
        self.count(done);
        let order = match self.softirqs >= SOFTIRQ_BUDGET {
            true => [Level::Interrupt, Level::Process, Level::Softirq],
            false => [Level::Interrupt, Level::Softirq, Level::Process],
        };
        let next = order
            .into_iter()
            .find_map(|level| self.waiting[level as usize].pop_front());
        if let Some(next) = next {
            self.softirqs += u32::from(next.job.level() == Level::Softirq);
            self.begin(next, now_ps);
        }
        done
    }

    /// A process that got anything done begins the count anew; when it was let past, once no process waits.
    fn count(&mut self, done: Option<Piece>) {
        let is_spent = self.softirqs >= SOFTIRQ_BUDGET;
        let is_over = match done.map(|piece| piece.job.level()) {
            Some(Level::Process) => !is_spent,
            Some(Level::Softirq) => self.waiting[Level::Process as usize].is_empty(),
            _ => false,
        };
        if is_over {
            self.softirqs = 0;
        }
    }

    /// Priority: softirqs behind processes once they have used up their budget.
    fn rank(&self, level: Level) -> u32 {
        match level {
            Level::Softirq if self.softirqs >= SOFTIRQ_BUDGET => 3,
            level => level as u32,
        }
    }

    fn begin(&mut self, piece: Piece, now_ps: u64) {
        self.running = Some(piece);
        self.since_ps = now_ps;
        self.slowness = 1.0;
    }

    /// Notes what was done since the last time.
    pub fn catch_up(&mut self, now_ps: u64) {
        if let Some(running) = &mut self.running {
            let passed_ps = now_ps - self.since_ps;
            running.left_ps = (running.left_ps - passed_ps as f64 / self.slowness).max(0.0);
            self.busy_ps[running.job.task() as usize] += passed_ps;
        }
        self.since_ps = now_ps;
    }

    /// When it will be done, if it stays as slow as this.
    pub fn end_ps(&mut self, slowness: f64, now_ps: u64) -> Option<u64> {
        if slowness != self.slowness {
            self.catch_up(now_ps);
            self.slowness = slowness;
        }
        let running = self.running?;
        Some(self.since_ps + (running.left_ps * slowness).round() as u64)
    }
}
