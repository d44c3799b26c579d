//! What a stream of datagrams sent, and what arrived of it.

/// How many datagrams the first node sends and when, and what became of them at the other.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Sent {
    /// How many it still has to begin, and how many it has begun.
    pub(in crate::engine) left: u64,
    pub messages: u64,
    /// Those of earlier batches.
    pub(in crate::engine) before: u64,
    /// From the time when it may begin one to that of the next; 0 is as soon as the last one is sent.
    pub(in crate::engine) gap_ps: u64,
    pub(in crate::engine) due_ps: u64,
    pub(in crate::engine) began_ps: u64,
    /// When the last was handed to the kernel.
    pub(in crate::engine) ended_ps: u64,
    /// By number, from the batch's first on: when each was begun.
    pub(in crate::engine) at_ps: Vec<u64>,
    pub received: u64,
    pub(in crate::engine) first_ps: u64,
    pub(in crate::engine) last_ps: u64,
    pub(in crate::engine) last_sent_ps: u64,
    pub jitter_ps: f64,
}

impl Sent {
    /// From the first sending to the last.
    pub fn sending_ps(&self) -> u64 {
        self.ended_ps - self.began_ps
    }

    /// From the first arrival to the last.
    pub fn span_ps(&self) -> u64 {
        self.last_ps - self.first_ps
    }

    /// The time of all that arrived: n arrivals are n - 1 gaps apart. Of a single one only the sending is known.
    pub fn elapsed_ps(&self) -> f64 {
        match self.received {
            0 | 1 => self.sending_ps() as f64,
            count => self.span_ps() as f64 * count as f64 / (count - 1) as f64,
        }
    }

    /// RFC 3550, section 6.4.1: the mean deviation of the time between two arrivals from that between their sendings.
    pub(in crate::engine) fn arrive(&mut self, sent_ps: u64, now_ps: u64) {
        self.received += 1;
        if self.received == 1 {
            self.first_ps = now_ps;
        } else {
            let apart_ps = (now_ps - self.last_ps) as f64;
            let deviation_ps = (apart_ps - (sent_ps - self.last_sent_ps) as f64).abs();
            self.jitter_ps += (deviation_ps - self.jitter_ps) / 16.0;
        }
        (self.last_ps, self.last_sent_ps) = (now_ps, sent_ps);
    }
}
