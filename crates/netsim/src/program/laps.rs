//! What is timed of a program's nodes.

use weft_plan::program::{Action, Schedule};

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

    /// Laps of all nodes, and of those that stop their time until `now_s`, or until they had nothing more to do.
    /// `has_come` says of a receive whether its message has.
    pub(super) fn timed(
        &self,
        schedule: &Schedule,
        now_s: f64,
        has_come: impl Fn(u32) -> bool,
    ) -> Vec<Timed> {
        let nodes = 0..schedule.nodes() as u32;
        let of = |node| match schedule.stop(node) {
            Some(stop) => vec![self.stopped(schedule, (node, stop), now_s, &has_come)],
            None => self.of_node(schedule, node),
        };
        nodes.flat_map(of).collect()
    }

    fn of_node(&self, schedule: &Schedule, node: u32) -> Vec<Timed> {
        let ended_s = |operation: u32| self.ended_s[operation as usize];
        let laps = (0..).zip(schedule.laps(node));
        laps.map(|(lap, one)| Timed {
            node,
            lap,
            begin_s: ended_s(one.begin),
            end_s: ended_s(one.end),
            received_bytes: 0,
        })
        .collect()
    }

    fn stopped(
        &self,
        schedule: &Schedule,
        (node, stop): (u32, u32),
        now_s: f64,
        has_come: impl Fn(u32) -> bool,
    ) -> Timed {
        let (mut last_s, mut received_bytes) = (0.0_f64, 0);
        for operation in schedule.operations_of(node).filter(|one| *one != stop) {
            // One that has not ended had until now.
            let ended_s = self.ended_s[operation as usize];
            last_s = last_s.max(if ended_s.is_nan() { now_s } else { ended_s });
            if let Action::Receive(message) = schedule.operation(operation).action {
                received_bytes += if has_come(operation) {
                    message.bytes
                } else {
                    0
                };
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
