//! What is timed of a program's nodes.

use weft_plan::program::{Action, Schedule};

use super::play::Play;

/// A stretch of a node's time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Timed {
    pub node: u32,
    /// Its number among those of the node.
    pub lap: u32,
    pub begin_s: f64,
    pub end_s: f64,
    /// What came meanwhile, where the node was stopped.
    pub received_bytes: u64,
}

/// When operations ended, where something is timed.
#[derive(Debug, Clone, Default)]
pub struct Laps {
    /// By operation; no number for those that have not.
    ended_s: Vec<f64>,
}

impl Laps {
    pub(super) fn of(schedule: &Schedule) -> Self {
        let mut nodes = 0..schedule.nodes() as u32;
        let is_timed =
            nodes.any(|node| !schedule.laps(node).is_empty() || schedule.stop(node).is_some());
        let count = if is_timed { schedule.operations() } else { 0 };
        Self {
            ended_s: vec![f64::NAN; count as usize],
        }
    }

    /// An operation has ended.
    pub(super) fn note(&mut self, operation: u32, now_s: f64) {
        if let Some(ended_s) = self.ended_s.get_mut(operation as usize) {
            *ended_s = now_s;
        }
    }
}

impl Play<'_> {
    /// Laps of all nodes, and of those that stop their time until then, or until they had nothing more to do.
    pub(super) fn timed(&self) -> Vec<Timed> {
        let nodes = 0..self.schedule.nodes() as u32;
        nodes.flat_map(|node| self.timed_of(node)).collect()
    }

    fn timed_of(&self, node: u32) -> Vec<Timed> {
        if self.schedule.stop(node).is_some() {
            return vec![self.stopped(node)];
        }
        let ended_s = |operation: u32| self.laps.ended_s[operation as usize];
        let laps = (0..).zip(self.schedule.laps(node));
        laps.map(|(lap, one)| Timed {
            node,
            lap,
            begin_s: ended_s(one.begin),
            end_s: ended_s(one.end),
            received_bytes: 0,
        })
        .collect()
    }

    fn stopped(&self, node: u32) -> Timed {
        let operations = self.schedule.operations_of(node);
        let (mut last_s, mut received_bytes) = (0.0_f64, 0);
        for operation in operations.filter(|one| self.schedule.stop(node) != Some(*one)) {
            // One that has not ended had until now.
            let ended_s = self.laps.ended_s[operation as usize];
            last_s = last_s.max(if ended_s.is_nan() {
                self.now_s
            } else {
                ended_s
            });
            if let Action::Receive(message) = self.schedule.operation(operation).action {
                let has_come = self.has_come(self.partner(operation));
                received_bytes += if has_come { message.bytes } else { 0 };
            }
        }
        Timed {
            node,
            lap: 0,
            begin_s: 0.0,
            end_s: last_s,
            received_bytes,
        }
    }
}
