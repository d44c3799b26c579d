//! From when to when something exceeded its limit: said at most once a minute, and once more when it is over. Times are
//! in seconds of a steady clock.

/// What has fallen below its lower limit for so long is over.
const CALM_S: f64 = 3.0;
/// What lasts is said after so long, before it is over.
const FIRST_S: f64 = 10.0;
/// The least time from one to the next that is said; it doubles while the same thing lasts.
const LEAST_S: f64 = 60.0;
const MOST_S: f64 = 3600.0;

#[derive(Clone, Copy)]
pub struct Limits {
    /// It begins here,
    pub high: f64,
    /// and is over below.
    pub low: f64,
}

/// A part of an episode that is now said.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span {
    pub begin_s: f64,
    pub end_s: f64,
    pub mean: f64,
    /// Whether the episode ended with it.
    pub is_over: bool,
}

pub struct Episode {
    limits: Limits,
    open: Option<Open>,
    said_s: f64,
    patience_s: f64,
}

#[derive(Clone, Copy)]
struct Open {
    begin_s: f64,
    /// The end of the last look that was above the limit.
    end_s: f64,
    /// The value integrated over time.
    sum: f64,
}

impl Episode {
    pub fn new(limits: Limits) -> Episode {
        Episode {
            limits,
            open: None,
            said_s: f64::NEG_INFINITY,
            patience_s: LEAST_S,
        }
    }

    /// Take the mean value between two times, and give what is to be said of it and those before.
    pub fn observe(&mut self, (from_s, to_s): (f64, f64), value: f64) -> Option<Span> {
        let lasts = self.open.is_some_and(|open| from_s - open.end_s < CALM_S);
        let limit = if lasts {
            self.limits.low
        } else {
            self.limits.high
        };
        if value >= limit {
            let open = self.open.get_or_insert(Open::at(from_s));
            open.end_s = to_s;
            open.sum += value * (to_s - from_s);
        }
        let open = self.open?;
        let is_over = to_s - open.end_s >= CALM_S;
        let since_s = to_s - self.said_s;
        let is_due = if is_over {
            since_s >= LEAST_S
        } else {
            since_s >= self.patience_s && to_s - open.begin_s >= FIRST_S
        };
        if !is_due {
            return None;
        }
        self.said_s = to_s;
        if is_over {
            self.patience_s = LEAST_S;
            self.open = None;
        } else {
            self.patience_s = (2.0 * self.patience_s).min(MOST_S);
            self.open = Some(Open::at(open.end_s));
        }
        Some(open.span(is_over))
    }

    /// What was not said yet, where nothing will be observed any more.
    pub fn end(&mut self) -> Option<Span> {
        self.open.take().map(|open| open.span(true))
    }
}

impl Open {
    fn at(time_s: f64) -> Open {
        Open {
            begin_s: time_s,
            end_s: time_s,
            sum: 0.0,
        }
    }

    fn span(self, is_over: bool) -> Span {
        let seconds = self.end_s - self.begin_s;
        Span {
            begin_s: self.begin_s,
            end_s: self.end_s,
            mean: if seconds > 0.0 {
                self.sum / seconds
            } else {
                0.0
            },
            is_over,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits = Limits {
        high: 0.5,
        low: 0.2,
    };

    /// What is said of one value a second.
    fn said(values: &[f64]) -> Vec<(usize, Span)> {
        let mut episode = Episode::new(LIMITS);
        let looks = values.iter().enumerate();
        looks
            .filter_map(|(at, value)| {
                let span = episode.observe((at as f64, at as f64 + 1.0), *value);
                Some((at + 1, span?))
            })
            .collect()
    }

    fn times(values: &[f64]) -> Vec<(usize, f64, f64, bool)> {
        said(values)
            .into_iter()
            .map(|(at, span)| (at, span.begin_s, span.end_s, span.is_over))
            .collect()
    }

    #[test]
    fn it_begins_at_the_upper_limit_and_is_over_below_the_lower() {
        let values = [0.4, 0.6, 0.3, 0.3, 0.1, 0.1, 0.1, 0.4];
        assert_eq!(times(&values), [(7, 1.0, 4.0, true)]);
        assert!((said(&values)[0].1.mean - 0.4).abs() < 1e-9);
        assert!(said(&[0.4; 100]).is_empty());
    }

    #[test]
    fn what_lasts_is_said_ever_more_rarely_and_at_its_end() {
        let values = [vec![0.9; 300], vec![0.0; 60]].concat();
        let wanted = [
            (10, 0.0, 10.0, false),
            (130, 10.0, 130.0, false),
            (303, 130.0, 300.0, true),
        ];
        assert_eq!(times(&values), wanted);
    }

    #[test]
    fn bursts_within_a_minute_are_said_as_one() {
        let burst = [vec![0.9; 2], vec![0.0; 8]].concat();
        let said = times(&burst.repeat(12));
        assert_eq!(said[0], (5, 0.0, 2.0, true));
        assert_eq!(said[1].1, 10.0);
        assert!(said.windows(2).all(|two| two[1].0 - two[0].0 >= 60));
        assert_eq!(said.len(), 2);
    }

    #[test]
    fn what_nobody_said_yet_is_said_at_the_end() {
        let mut episode = Episode::new(LIMITS);
        assert_eq!(episode.observe((0.0, 1.0), 0.9), None);
        let span = episode.end().expect("it lasts");
        assert_eq!((span.begin_s, span.end_s, span.is_over), (0.0, 1.0, true));
        assert_eq!(episode.end(), None);
    }
}
