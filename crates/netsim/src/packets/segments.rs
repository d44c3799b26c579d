//! What a sender has sent and not yet got acknowledged with all before it.

use std::collections::VecDeque;

use super::receiver::Acknowledgement;

/// The segments from the first that is missing at the other end on.
#[derive(Debug, Default)]
pub struct Segments {
    first: u64,
    sent: VecDeque<Sent>,
    on_path: u32,
    arrived: u32,
    lost: u32,
    /// When the latest of those that arrived was sent, and what its round trip took.
    latest: Latest,
}

#[derive(Debug, Clone, Copy)]
struct Sent {
    at_ns: u64,
    state: State,
    is_repeated: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    OnPath,
    Arrived,
    Lost,
}

#[derive(Debug, Clone, Copy, Default)]
struct Latest {
    sent_ns: u64,
    round_trip_ns: u64,
}

/// What an acknowledgement told.
#[derive(Debug, Clone, Copy, Default)]
pub struct News {
    /// Segments that are acknowledged with all before them.
    pub acknowledged: u32,
    /// Segments of which it was not known before that they had arrived.
    pub delivered: u32,
    /// Of a segment that was sent once: else it is not known which of them is acknowledged (P. Karn and C. Partridge,
    /// "Improving Round-Trip Time Estimates in Reliable Transport Protocols", SIGCOMM 1987).
    pub round_trip_ns: Option<u64>,
}

impl Segments {
    /// The first that is not acknowledged with all before it.
    pub fn first(&self) -> u64 {
        self.first
    }

    /// The first that was never sent.
    pub fn next(&self) -> u64 {
        self.first + self.sent.len() as u64
    }

    /// How many may still arrive.
    pub fn on_path(&self) -> u32 {
        self.on_path
    }

    /// Whether some are known to have arrived behind one that is missing.
    pub fn has_gap(&self) -> bool {
        self.arrived > 0
    }

    /// Whether all that was sent has arrived.
    pub fn is_empty(&self) -> bool {
        self.sent.is_empty()
    }

    /// What to send next: what is lost, else what was never sent.
    pub fn due(&self) -> u64 {
        if self.lost == 0 {
            return self.next();
        }
        let lost = self.sent.iter().position(|sent| sent.state == State::Lost);
        lost.map_or(self.next(), |at| self.first + at as u64)
    }

    /// Notes that a segment leaves, for the first time or again.
    pub fn send(&mut self, segment: u64, now_ns: u64) {
        let at = (segment - self.first) as usize;
        let is_repeated = at < self.sent.len();
        let sent = Sent {
            at_ns: now_ns,
            state: State::OnPath,
            is_repeated,
        };
        match self.sent.get_mut(at) {
            Some(before) => {
                self.lost -= u32::from(before.state == State::Lost);
                self.on_path -= u32::from(before.state == State::OnPath);
                *before = sent;
            }
            None => self.sent.push_back(sent),
        }
        self.on_path += 1;
    }

    /// Notes what has arrived.
    pub fn acknowledge(&mut self, told: &Acknowledgement, now_ns: u64) -> News {
        let mut news = News::default();
        while self.first < told.upto {
            let Some(mut sent) = self.sent.pop_front() else {
                break;
            };
            self.first += 1;
            news.acknowledged += 1;
            match sent.state {
                State::Arrived => self.arrived -= 1,
                _ => self.note_arrived(&mut sent, now_ns, &mut news),
            }
        }
        for &(start, end) in &told.beyond {
            for segment in start.max(self.first)..end.min(self.next()) {
                let at = (segment - self.first) as usize;
                let mut sent = self.sent[at];
                if sent.state != State::Arrived {
                    self.note_arrived(&mut sent, now_ns, &mut news);
                    self.sent[at] = sent;
                    self.arrived += 1;
                }
            }
        }
        news
    }

    /// Takes for lost what left before something that has arrived, and has been on its way for longer than that by
    /// `patience_ns` (RFC 8985, section 6.2); whether there was any.
    pub fn find_lost(&mut self, now_ns: u64, patience_ns: u64) -> bool {
        let latest = self.latest;
        let longest_ns = latest.round_trip_ns + patience_ns;
        let is_late = |sent: &Sent| {
            sent.state == State::OnPath
                && sent.at_ns < latest.sent_ns
                && now_ns >= sent.at_ns + longest_ns
        };
        let before = self.lost;
        for sent in self.sent.iter_mut().filter(|sent| is_late(sent)) {
            sent.state = State::Lost;
            self.lost += 1;
            self.on_path -= 1;
        }
        self.lost > before
    }

    /// Takes all for lost that is not known to have arrived.
    pub fn lose_all(&mut self) {
        let missing = self.sent.iter_mut();
        for sent in missing.filter(|sent| sent.state == State::OnPath) {
            sent.state = State::Lost;
            self.lost += 1;
        }
        self.on_path = 0;
    }

    /// How many are known to have arrived behind one that is missing.
    pub fn behind_gap(&self) -> u32 {
        self.arrived
    }

    fn note_arrived(&mut self, sent: &mut Sent, now_ns: u64, news: &mut News) {
        match sent.state {
            State::Lost => self.lost -= 1,
            _ => self.on_path -= 1,
        }
        sent.state = State::Arrived;
        news.delivered += 1;
        let round_trip_ns = now_ns - sent.at_ns;
        if !sent.is_repeated {
            news.round_trip_ns = Some(round_trip_ns);
        }
        if sent.at_ns > self.latest.sent_ns {
            self.latest = Latest {
                sent_ns: sent.at_ns,
                round_trip_ns,
            };
        }
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;

    pub fn told(upto: u64, beyond: &[(u64, u64)]) -> Acknowledgement {
        Acknowledgement {
            upto,
            beyond: beyond.to_vec(),
        }
    }

    fn sent(count: u64) -> Segments {
        let mut segments = Segments::default();
        (0..count).for_each(|segment| segments.send(segment, 1 + segment));
        segments
    }

    #[test]
    fn what_arrives_in_order_is_forgotten() {
        let mut segments = sent(4);
        let news = segments.acknowledge(&told(3, &[]), 100);
        assert_eq!((news.acknowledged, news.delivered), (3, 3));
        assert_eq!(news.round_trip_ns, Some(97));
        assert_eq!((segments.on_path(), segments.due()), (1, 4));
        assert!(!segments.find_lost(1000, 0), "nothing later has arrived");
    }

    #[test]
    fn what_is_missing_before_a_later_one_is_lost_and_sent_again() {
        let mut segments = sent(5);
        let news = segments.acknowledge(&told(1, &[(2, 4)]), 100);
        assert_eq!((news.acknowledged, news.delivered), (1, 3));
        assert!(!segments.find_lost(100, 10), "there is still time");
        assert!(segments.find_lost(100, 0));
        assert_eq!((segments.due(), segments.on_path()), (1, 1));
        segments.send(1, 110);
        assert_eq!((segments.due(), segments.on_path()), (5, 2));
        let news = segments.acknowledge(&told(4, &[]), 200);
        assert_eq!((news.acknowledged, news.delivered), (3, 1));
        assert_eq!(news.round_trip_ns, None);
        assert!(!segments.has_gap());
    }

    #[test]
    fn after_a_timeout_all_is_sent_again_but_what_has_arrived() {
        let mut segments = sent(3);
        segments.acknowledge(&told(0, &[(1, 2)]), 100);
        segments.lose_all();
        assert_eq!((segments.on_path(), segments.due()), (0, 0));
        segments.send(0, 200);
        assert_eq!((segments.due(), segments.next()), (2, 3));
    }
}
