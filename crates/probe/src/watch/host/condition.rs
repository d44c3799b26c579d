//! Something of the whole machine with limits, that is said as an event.

use super::episode::{Episode, Limits, Span};
use super::pressure::{Load, MajorFaults, Pressure};
use super::source::Source;
use super::steal::Steal;
use super::waiting::Waiting;
use crate::watch::notes::Notes;

pub struct Condition {
    what: &'static str,
    words: fn(f64) -> String,
    source: Box<dyn Source>,
    episode: Episode,
}

/// All that this kernel tells. The limits are those of docs/watch-folder.md.
pub fn all() -> Vec<Condition> {
    let mut found = vec![processor()];
    found.extend(Pressure::open("memory", "full").map(|source| {
        let words = |share| format!("memory: all tasks waited for it {}", percent(share));
        Condition::new("pressure", words, source, (0.1, 0.05))
    }));
    found.extend(Pressure::open("io", "full").map(|source| {
        let words = |share| format!("io: all tasks waited for disks {}", percent(share));
        Condition::new("pressure", words, source, (0.5, 0.25))
    }));
    found.extend(Steal::open().map(|source| {
        let words = |share| format!("other virtual machines ran {}", percent(share));
        Condition::new("steal", words, source, (0.1, 0.05))
    }));
    let words = |rate| format!("memory: {rate:.0} pages a second of the agent were read from disk");
    let source = MajorFaults::default();
    found.push(Condition::new("pressure", words, source, (10.0, 2.0)));
    found
}

/// How long probes waited for a processor themselves tells most; busy processors alone harm no probe.
fn processor() -> Condition {
    if let Some(source) = Waiting::open() {
        let words = |share| format!("cpu: probes waited for a processor {}", percent(share));
        Condition::new("pressure", words, source, (0.05, 0.02))
    } else if let Some(source) = Pressure::open("cpu", "some") {
        let words = |share| format!("cpu: some task waited for a processor {}", percent(share));
        Condition::new("pressure", words, source, (0.95, 0.8))
    } else {
        let words = |load| format!("cpu: {load:.1} tasks for each processor");
        Condition::new("pressure", words, Load, (4.0, 2.0))
    }
}

fn percent(share: f64) -> String {
    format!("{:.0} % of the time", 100.0 * share)
}

impl Condition {
    fn new(
        what: &'static str,
        words: fn(f64) -> String,
        source: impl Source + 'static,
        (high, low): (f64, f64),
    ) -> Condition {
        Condition {
            what,
            words,
            source: Box::new(source),
            episode: Episode::new(Limits { high, low }),
        }
    }

    pub fn look(&mut self, look: (f64, f64), notes: &Notes) {
        let Some(value) = self.source.read(look.1 - look.0) else {
            return;
        };
        if let Some(span) = self.episode.observe(look, value) {
            self.say(span, look.1, notes);
        }
    }

    pub fn end(&mut self, now_s: f64, notes: &Notes) {
        if let Some(span) = self.episode.end() {
            self.say(span, now_s, notes);
        }
    }

    fn say(&self, span: Span, now_s: f64, notes: &Notes) {
        let seconds = span.end_s - span.begin_s;
        if seconds > 0.0 {
            let text = (self.words)(span.mean);
            notes.span(self.what, None, (now_s - span.begin_s, seconds), text);
        }
    }
}
