//! The end that sends, as TCP Reno does (RFC 5681) with selective acknowledgements, in the manner of Linux.

use super::receiver::Acknowledgement;
use super::recovery::Recovery;
use super::round_trip::RoundTrip;
use super::segments::Segments;

/// RFC 6928.
const FIRST_WINDOW: u32 = 10;
const LEAST_THRESHOLD: u32 = 2;
/// So many segments of a connection wait in their own host at most (Linux, "TCP small queues").
const MOST_IN_HOST: u32 = 2;
/// From so many segments behind a gap on, nothing waits for what might only be late (RFC 8985, section 6.2).
const SURELY_LOST: u32 = 3;

/// One end of a connection.
#[derive(Debug)]
pub struct Sender {
    segments: Segments,
    /// How many there are to send in all.
    total: u64,
    round_trip: RoundTrip,
    /// Segments on their way at most.
    window: u32,
    most: u32,
    /// Below this the window grows by what is acknowledged, above by one in a round trip.
    threshold: u32,
    /// Acknowledged since the window last grew by one.
    credit: u32,
    mood: Mood,
    /// Whether the window was what held it back when it last sent.
    is_held_by_window: bool,
    in_host: u32,
    alarm: Option<Alarm>,
    has_probed: bool,
}

#[derive(Debug, Clone, Copy)]
enum Mood {
    Open,
    /// Something was lost; until all that was sent by then has arrived.
    Recovery(Recovery),
    /// Time ran out; until the same.
    Timeout {
        until: u64,
    },
}

#[derive(Debug, Clone, Copy)]
struct Alarm {
    at_ns: u64,
    /// It asks with one more segment; else all is taken for lost.
    is_probe: bool,
}

impl Sender {
    /// One that has so many segments to send, and at most so many on their way.
    pub fn new(total: u64, most: u32) -> Self {
        Self {
            segments: Segments::default(),
            total,
            round_trip: RoundTrip::default(),
            window: FIRST_WINDOW.min(most),
            most,
            threshold: u32::MAX,
            credit: 0,
            mood: Mood::Open,
            is_held_by_window: false,
            in_host: 0,
            alarm: None,
            has_probed: false,
        }
    }

    /// What it may send now, if anything.
    pub fn due(&mut self) -> Option<u64> {
        self.is_held_by_window = self.segments.on_path() >= self.window;
        let may_send = !self.is_held_by_window && self.in_host < MOST_IN_HOST;
        let due = may_send.then(|| self.segments.due());
        due.filter(|segment| *segment < self.total)
    }

    /// Notes that a segment goes to its host's queue.
    pub fn send(&mut self, segment: u64, now_ns: u64) {
        self.segments.send(segment, now_ns);
        self.in_host += 1;
        if let Mood::Recovery(recovery) = &mut self.mood {
            recovery.note_sent();
        }
        if self.alarm.is_none() {
            self.set_alarm(now_ns);
        }
    }

    /// Notes that a segment has left its host, or never went there.
    pub fn left_host(&mut self) {
        self.in_host -= 1;
    }

    /// When something is to be done if nothing is heard.
    pub fn alarm_ns(&self) -> Option<u64> {
        self.alarm.map(|alarm| alarm.at_ns)
    }

    /// Nothing was heard in time; gives what to send to ask whether anything arrives at all.
    pub fn ring(&mut self, now_ns: u64) -> Option<u64> {
        let alarm = self.alarm.take()?;
        if alarm.is_probe {
            self.has_probed = true;
            // The last again where there is no further one (RFC 8985, section 7.3).
            return Some(self.segments.next().min(self.total - 1));
        }
        if !matches!(self.mood, Mood::Timeout { .. }) {
            self.threshold = (self.window / 2).max(LEAST_THRESHOLD);
        }
        self.mood = Mood::Timeout {
            until: self.segments.next(),
        };
        (self.window, self.credit) = (1, 0);
        self.round_trip.ran_out();
        self.segments.lose_all();
        self.set_alarm(now_ns);
        None
    }

    /// Takes an acknowledgement.
    pub fn hear(&mut self, told: &Acknowledgement, now_ns: u64) {
        let news = self.segments.acknowledge(told, now_ns);
        if let Some(round_trip_ns) = news.round_trip_ns {
            self.round_trip.note(round_trip_ns);
        }
        if news.acknowledged > 0 || news.round_trip_ns.is_some() {
            self.round_trip.heard();
        }
        self.has_probed &= news.acknowledged == 0;
        let is_worse = self.segments_are_lost(now_ns);
        self.leave_mood();
        if is_worse && matches!(self.mood, Mood::Open) {
            self.begin_recovery();
        }
        match &mut self.mood {
            Mood::Recovery(recovery) => {
                let on_path = self.segments.on_path();
                self.window = recovery.window(on_path, self.threshold, news, is_worse);
            }
            _ if self.is_held_by_window => self.grow(news.acknowledged),
            _ => {}
        }
        if news.delivered > 0 {
            self.set_alarm(now_ns);
        }
    }

    fn segments_are_lost(&mut self, now_ns: u64) -> bool {
        let is_open = matches!(self.mood, Mood::Open);
        if is_open && !self.segments.has_gap() {
            return false;
        }
        let may_be_late = is_open && self.segments.behind_gap() < SURELY_LOST;
        let patience_ns = u64::from(may_be_late) * self.round_trip.least_ns() / 4;
        self.segments.find_lost(now_ns, patience_ns)
    }

    fn leave_mood(&mut self) {
        match self.mood {
            Mood::Recovery(recovery) if self.segments.first() >= recovery.until() => {
                self.window = self.threshold;
                self.mood = Mood::Open;
            }
            Mood::Timeout { until } if self.segments.first() >= until => self.mood = Mood::Open,
            _ => {}
        }
    }

    fn begin_recovery(&mut self) {
        self.threshold = (self.window / 2).max(LEAST_THRESHOLD);
        self.credit = 0;
        let recovery = Recovery::new(self.segments.next(), self.window);
        self.mood = Mood::Recovery(recovery);
    }

    fn grow(&mut self, acknowledged: u32) {
        let at_once = acknowledged.min(self.threshold.saturating_sub(self.window));
        self.window += at_once;
        self.credit += acknowledged - at_once;
        while self.credit >= self.window {
            self.credit -= self.window;
            self.window += 1;
        }
        self.window = self.window.min(self.most);
    }

    fn set_alarm(&mut self, now_ns: u64) {
        let may_probe =
            matches!(self.mood, Mood::Open) && !self.has_probed && !self.segments.has_gap();
        let probe_ns = self.round_trip.probe_ns(self.segments.on_path());
        let probe_ns = probe_ns.filter(|_| may_probe);
        self.alarm = (!self.segments.is_empty()).then(|| Alarm {
            at_ns: now_ns + probe_ns.unwrap_or_else(|| self.round_trip.timeout_ns()),
            is_probe: probe_ns.is_some(),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::super::segments::tests::told;
    use super::*;

    const ROUND_TRIP_NS: u64 = 10_000_000;

    /// Sends what it may, a nanosecond apart, and gives what that was.
    fn flight(sender: &mut Sender, now_ns: u64) -> Vec<u64> {
        let mut sent = Vec::new();
        while let Some(segment) = sender.due() {
            sender.send(segment, now_ns + sent.len() as u64);
            sender.left_host();
            sent.push(segment);
        }
        sent
    }

    #[test]
    fn the_window_doubles_at_first_and_is_halved_by_a_loss() {
        let mut sender = Sender::new(u64::MAX, 1000);
        assert_eq!(flight(&mut sender, 0).len(), 10);
        sender.hear(&told(10, &[]), ROUND_TRIP_NS);
        assert_eq!(flight(&mut sender, ROUND_TRIP_NS).len(), 20);
        sender.hear(&told(10, &[(11, 30)]), 2 * ROUND_TRIP_NS);
        assert_eq!(
            flight(&mut sender, 2 * ROUND_TRIP_NS)[0],
            10,
            "the lost one first"
        );
        sender.hear(&told(30, &[]), 3 * ROUND_TRIP_NS);
        assert_eq!((sender.window, sender.threshold), (11, 10));
    }

    #[test]
    fn beyond_the_threshold_the_window_grows_by_one_in_a_round_trip() {
        let mut sender = Sender::new(u64::MAX, 1000);
        sender.threshold = 10;
        let windows: Vec<_> = (1..4)
            .map(|round| {
                flight(&mut sender, round * ROUND_TRIP_NS);
                let next = sender.segments.next();
                sender.hear(&told(next, &[]), (round + 1) * ROUND_TRIP_NS);
                sender.window
            })
            .collect();
        assert_eq!(windows, [11, 12, 13]);
    }

    #[test]
    fn when_time_runs_out_it_begins_anew_with_one_segment() {
        let mut sender = Sender::new(u64::MAX, 1000);
        flight(&mut sender, 0);
        assert_eq!(sender.alarm_ns(), Some(1_000_000_000));
        assert_eq!(sender.ring(1_000_000_000), None);
        assert_eq!(flight(&mut sender, 1_000_000_000), [0]);
        assert_eq!(sender.alarm_ns(), Some(3_000_000_000), "twice as patient");
    }

    #[test]
    fn a_probe_asks_before_all_is_given_up() {
        let mut sender = Sender::new(u64::MAX, 4);
        flight(&mut sender, 0);
        sender.hear(&told(2, &[]), ROUND_TRIP_NS);
        flight(&mut sender, ROUND_TRIP_NS);
        let alarm_ns = sender.alarm_ns().unwrap();
        assert!(alarm_ns.abs_diff(3 * ROUND_TRIP_NS + 2_000_000) < 10);
        assert_eq!(sender.ring(alarm_ns), Some(6));
    }

    #[test]
    fn a_probe_behind_the_last_segment_is_that_one_again() {
        let mut sender = Sender::new(3, 1000);
        assert_eq!(flight(&mut sender, 0), [0, 1, 2]);
        sender.hear(&told(1, &[]), ROUND_TRIP_NS);
        assert_eq!(sender.due(), None);
        let alarm_ns = sender.alarm_ns().unwrap();
        assert_eq!(sender.ring(alarm_ns), Some(2));
        sender.send(2, alarm_ns);
        assert_eq!(sender.segments.on_path(), 2, "it counts once");
        sender.hear(&told(3, &[]), 2 * alarm_ns);
        assert_eq!((sender.due(), sender.alarm_ns()), (None, None));
    }

    #[test]
    fn its_own_host_holds_two() {
        let mut sender = Sender::new(u64::MAX, 1000);
        for _ in 0..2 {
            let segment = sender.due().unwrap();
            sender.send(segment, 0);
        }
        assert_eq!(sender.due(), None);
        assert!(!sender.is_held_by_window);
    }
}
