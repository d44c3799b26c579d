//! When an event begins and ends, each time that it comes.

use rand_pcg::Pcg32;
use weft_fabric::weather::{Again, Times};

use crate::chance::{exponential_ns, uniform_ns};

/// One time that an event comes; without an end it stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spell {
    pub begin_ns: u64,
    pub end_ns: Option<u64>,
}

/// All spells of an event, one after the other, on the clock of the weather.
#[derive(Debug)]
pub struct Spells {
    times: Times,
    chance: Pcg32,
    /// From when on the next may begin.
    from_ns: Option<u64>,
}

impl Spells {
    /// Events with the same seed have different chances by their number.
    pub fn new(times: Times, number: u64) -> Self {
        Self {
            chance: Pcg32::new(u64::from(times.seed), number),
            from_ns: Some(times.at_ns),
            times,
        }
    }
}

impl Iterator for Spells {
    type Item = Spell;

    fn next(&mut self) -> Option<Spell> {
        let from_ns = self.from_ns?;
        let begin_ns = match self.times.again {
            Again::Random { mean_ns } => from_ns + exponential_ns(&mut self.chance, mean_ns),
            Again::No | Again::Each { .. } => from_ns,
        };
        let span_ns = self.times.for_ns;
        let end_ns = span_ns.map(|span_ns| begin_ns + uniform_ns(&mut self.chance, span_ns));
        self.from_ns = match self.times.again {
            Again::No => None,
            Again::Each { period_ns } => Some(begin_ns + period_ns),
            Again::Random { .. } => end_ns,
        };
        Some(Spell { begin_ns, end_ns })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIMES: Times = Times {
        at_ns: 100,
        for_ns: Some([10, 10]),
        again: Again::No,
        seed: 1,
    };

    fn spells(times: Times, number: u64) -> Vec<(u64, u64)> {
        let all = Spells::new(times, number).take(2000);
        all.map(|spell| (spell.begin_ns, spell.end_ns.unwrap_or(u64::MAX)))
            .collect()
    }

    #[test]
    fn an_event_comes_once_or_each_period() {
        assert_eq!(spells(TIMES, 0), [(100, 110)]);
        let for_ever = Times {
            for_ns: None,
            ..TIMES
        };
        assert_eq!(spells(for_ever, 0), [(100, u64::MAX)]);
        let again = Again::Each { period_ns: 50 };
        let each = spells(Times { again, ..TIMES }, 0);
        assert_eq!(each[..3], [(100, 110), (150, 160), (200, 210)]);
    }

    #[test]
    fn random_times_have_their_mean_and_are_the_same_again() {
        let times = Times {
            for_ns: Some([5_000, 15_000]),
            again: Again::Random { mean_ns: 90_000 },
            ..TIMES
        };
        let found = spells(times.clone(), 3);
        let last = found[found.len() - 1].1;
        // A cycle takes 100,000 on average; four standard errors of 2000 draws are 9 %.
        assert!(
            (0.91..1.09).contains(&(last as f64 / 2000.0 / 100_000.0)),
            "{last}"
        );
        let spans = found.iter().map(|(begin, end)| end - begin);
        assert!(spans.clone().all(|span| (5_000..=15_000).contains(&span)));
        assert!(spans.min().unwrap() < 5_500, "all lengths are there");
        assert_eq!(spells(times.clone(), 3), found);
        assert_ne!(spells(times, 4), found);
    }
}
