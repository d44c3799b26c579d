//! What has come of one transfer, over all its streams.

use weft_plan::Work;

use super::super::part::{Amount, Incoming, Part};
use super::super::rows::Row;

/// Bytes at the edges of windows, or the ends of trials.
pub struct Tally {
    pub src: u32,
    network: u32,
    /// Its connection has broken: what it did not carry after that says nothing about the network.
    pub is_broken: bool,
    streams: u32,
    bytes: u64,
    /// When each edge was passed, and the bytes until then: a late look closes a window late.
    edges: Vec<(u64, u64)>,
    /// When the latest stream ended each trial, and how many streams have.
    trials: Vec<(u64, u32)>,
}

impl Tally {
    /// All memory is reserved here.
    pub fn new(transfer: &Incoming, amount: Amount) -> Tally {
        let (edges, trials) = match amount {
            Amount::Time(windows) => (windows.trials as usize + 1, 0),
            Amount::Trials { trials, .. } => (0, trials as usize),
        };
        Tally {
            src: transfer.src,
            network: transfer.network,
            is_broken: false,
            streams: transfer.streams,
            bytes: 0,
            edges: Vec::with_capacity(edges),
            trials: vec![(0, 0); trials],
        }
    }

    #[inline]
    pub fn count(&mut self, bytes: u64) {
        self.bytes += bytes;
    }

    #[inline]
    pub fn pass_edge(&mut self, now_ns: u64) {
        if !self.is_broken {
            self.edges.push((now_ns, self.bytes));
        }
    }

    /// One stream has received all that belongs to a trial.
    #[inline]
    pub fn end_trial(&mut self, trial: u32, now_ns: u64) {
        let (end_ns, streams) = &mut self.trials[trial as usize];
        *end_ns = now_ns.max(*end_ns);
        *streams += 1;
    }

    /// A row for each window that has closed, with its real length.
    pub fn window_rows(&self, part: &Part) -> Vec<Row> {
        let edges = self.edges.windows(2);
        (0..)
            .zip(edges)
            .map(|(trial, edge)| Row {
                messages: messages(edge[1].1 - edge[0].1, part.size_bytes),
                start_ns: edge[0].0,
                elapsed_ns: edge[1].0 - edge[0].0,
                ..self.row(part, trial)
            })
            .collect()
    }

    /// A row for each trial that all streams have ended.
    pub fn trial_rows(&self, part: &Part, start_ns: u64) -> Vec<Row> {
        let ended = self
            .trials
            .iter()
            .take_while(|(_, streams)| *streams == self.streams);
        let ends = ended.map(|(end_ns, _)| *end_ns);
        let starts = std::iter::once(start_ns).chain(ends.clone());
        (0..)
            .zip(starts.zip(ends))
            .map(|(trial, (start_ns, end_ns))| Row {
                messages: part.repeats(),
                start_ns,
                elapsed_ns: end_ns.saturating_sub(start_ns),
                ..self.row(part, trial)
            })
            .collect()
    }

    fn row(&self, part: &Part, trial: u32) -> Row {
        let size_bytes = match part.work {
            Work::Cast => part.cast_bytes(self.network),
            Work::Stream | Work::Pingpong => part.size_bytes,
        };
        Row {
            batch: trial,
            src: self.src,
            dst: None,
            size_bytes,
            messages: 0,
            start_ns: 0,
            elapsed_ns: 0,
        }
    }
}

/// The nearest number of whole messages.
fn messages(bytes: u64, size_bytes: u64) -> u32 {
    let whole = bytes / size_bytes;
    let is_half = bytes % size_bytes >= size_bytes.div_ceil(2);
    (whole + u64::from(is_half)).min(i32::MAX as u64) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_rounded_to_the_nearest() {
        assert_eq!(messages(0, 1000), 0);
        assert_eq!(messages(499, 1000), 0);
        assert_eq!(messages(500, 1000), 1);
        assert_eq!(messages(2499, 1000), 2);
        assert_eq!(messages(7, 1), 7);
        assert_eq!(messages(u64::MAX, 1), i32::MAX as u32);
    }
}
