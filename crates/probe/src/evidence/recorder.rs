//! Reads all sources before and after batches, and keeps the differences.

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::mem;

use serde::Serialize;

use super::source::{Counter, Source, Value};
use crate::system::clock::now_ns;
use crate::transport::order::Order;

/// A reading takes at most one part in so many of the time since the last.
const COST_FACTOR: u64 = 4;
/// Where batches are too short for that, readings beside some of them take at most three parts in so many of the time: one
/// before and one after such a batch at either end, of which the last two at the same moment.
const REST_FACTOR: u64 = 30;
/// A source that takes longer to read is not read at all, such as the interrupts of very many processors.
const MOST_COST_NS: u64 = 1_000_000;
/// A reading comes late if so much time has passed since the last batch, and more than the stretch took: then it would
/// count what came after.
const LATE_NS: u64 = 1_000_000;

/// Batches between two readings: so many, from the first on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    pub phase: u32,
    pub batch: u32,
    pub batches: u32,
}

/// How much a counter grew in a stretch, or its value at the end of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    pub stretch: Stretch,
    /// Its place among the counters.
    pub counter: u32,
    pub value: u64,
}

/// What was recorded since the last time.
pub struct Recorded<'a> {
    pub counters: &'a [Counter],
    pub rows: &'a [Row],
}

/// Counters that cannot be read here, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Missing {
    pub counters: String,
    pub reason: String,
}

/// A source, and where its values begin among all.
struct Placed {
    source: Box<dyn Source>,
    start: usize,
    end: usize,
}

/// Keeps its files open, and its memory, so that a reading costs little. One without sources records nothing.
#[derive(Default)]
pub struct Recorder {
    /// Those that cost next to nothing: they are read right at both ends of each stretch.
    quick: Vec<Placed>,
    slow: Vec<Placed>,
    counters: Vec<Counter>,
    missing: Vec<Missing>,
    before: Vec<Value>,
    after: Vec<Value>,
    stretch: Option<Stretch>,
    opened_ns: u64,
    /// The end of its last batch.
    ended_ns: u64,
    cost_ns: u64,
    rows: Vec<Row>,
    /// Where the processors are summed up: for each counter the first one of its name.
    first_of_name: Option<Vec<u32>>,
}

impl Recorder {
    /// Add a source whose reading is a call or two.
    pub fn add_quick(&mut self, source: impl Source + 'static) {
        let placed = self.place(Box::new(source));
        self.quick.push(placed);
    }

    /// Add a source that could be opened, unless it is slow here. `counters` are its counters in short.
    pub fn add(&mut self, counters: &str, source: io::Result<impl Source + 'static>) {
        let mut source = match source {
            Ok(source) => source,
            Err(error) => return self.leave_out(counters, error.to_string()),
        };
        let mut values = vec![None; source.counters().len()];
        source.read(&mut values);
        let start_ns = now_ns();
        source.read(&mut values);
        let cost_ns = now_ns() - start_ns;
        if cost_ns > MOST_COST_NS {
            let reason = format!("reading them takes {:.1} ms", cost_ns as f64 / 1e6);
            return self.leave_out(counters, reason);
        }
        let placed = self.place(Box::new(source));
        self.slow.push(placed);
    }

    /// Sum up what is kept by processor. To be called when all sources were added.
    pub fn sum_processors(&mut self) {
        let mut first = HashMap::new();
        let names = self.counters.iter_mut().zip(0..).map(|(counter, at)| {
            counter.cpu = None;
            *first.entry(counter.name.clone()).or_insert(at)
        });
        self.first_of_name = Some(names.collect());
    }

    /// Say that some counters are not recorded.
    pub fn leave_out(&mut self, counters: &str, reason: String) {
        let counters = counters.to_owned();
        self.missing.push(Missing { counters, reason });
    }

    fn place(&mut self, source: Box<dyn Source>) -> Placed {
        let start = self.counters.len();
        self.counters.extend(source.counters());
        let end = self.counters.len();
        self.before.resize(end, None);
        self.after.resize(end, None);
        Placed { source, start, end }
    }

    pub fn counters(&self) -> &[Counter] {
        &self.counters
    }

    pub fn missing(&self) -> &[Missing] {
        &self.missing
    }

    /// Whether the last reading was so long ago that reading beside another short batch takes little of the time.
    pub fn has_rested(&self) -> bool {
        now_ns() - self.ended_ns >= REST_FACTOR * self.cost_ns
    }

    /// A batch is about to begin: if it counts, a stretch is open from here on.
    pub fn before(&mut self, order: Order) {
        let follows = |open: Stretch| {
            open.phase == order.phase && order.batch == Some(open.batch + open.batches)
        };
        let is_other = |open| !follows(open);
        if self.stretch.is_some_and(is_other) {
            self.finish();
        }
        if let (None, Some(batch)) = (self.stretch, order.batch) {
            self.read_slow();
            self.begin(order.phase, batch);
        }
    }

    /// A batch is over: the stretch ends where a reading costs little against its length.
    pub fn after(&mut self) {
        let Some(open) = &mut self.stretch else {
            return;
        };
        open.batches += 1;
        let (phase, next) = (open.phase, open.batch + open.batches);
        read_all(&mut self.quick, &mut self.after);
        self.ended_ns = now_ns();
        if self.ended_ns - self.opened_ns >= COST_FACTOR * self.cost_ns {
            self.finish();
            self.begin(phase, next);
        }
    }

    /// The phase is over, and with it the stretch: it ended with its last batch.
    pub fn finish(&mut self) {
        if let Some(stretch) = self.stretch.take().filter(|one| one.batches > 0) {
            let late_ns = now_ns() - self.ended_ns;
            self.read_slow();
            if late_ns > LATE_NS.max(self.ended_ns - self.opened_ns) {
                self.forget_slow();
            }
            self.note(stretch);
        }
    }

    /// Give what was recorded, if anything was, and forget it.
    pub fn hand_on<T>(&mut self, hand_on: impl FnOnce(Recorded) -> T) -> Option<T> {
        let (counters, rows) = (&self.counters, &self.rows);
        let outcome = (!rows.is_empty()).then(|| hand_on(Recorded { counters, rows }));
        self.rows.clear();
        outcome
    }

    fn read_slow(&mut self) {
        let start_ns = now_ns();
        read_all(&mut self.slow, &mut self.after);
        self.cost_ns = now_ns() - start_ns;
    }

    fn forget_slow(&mut self) {
        for one in &self.slow {
            self.before[one.start..one.end].fill(None);
            let gauges = &self.counters[one.start..one.end];
            let values = &mut self.after[one.start..one.end];
            for (value, counter) in values.iter_mut().zip(gauges) {
                *value = value.filter(|_| !counter.is_gauge);
            }
        }
    }

    /// A stretch begins with what was read just now, and with the quick sources at the very last.
    fn begin(&mut self, phase: u32, batch: u32) {
        if self.counters.is_empty() {
            return;
        }
        mem::swap(&mut self.before, &mut self.after);
        self.stretch = Some(Stretch {
            phase,
            batch,
            batches: 0,
        });
        self.opened_ns = now_ns();
        read_all(&mut self.quick, &mut self.before);
    }

    /// What a counter lost it did not count: it wrapped, or belongs to something else by now.
    fn note(&mut self, stretch: Stretch) {
        let mut grown = BTreeMap::new();
        for (at, counter) in self.counters.iter().enumerate() {
            let value = match (self.before[at], self.after[at]) {
                (_, after) if counter.is_gauge => after,
                (Some(before), Some(after)) => after.checked_sub(before),
                _ => None,
            };
            if let Some(value @ 1..) = value {
                let first = self.first_of_name.as_ref().map(|first| first[at]);
                *grown.entry(first.unwrap_or(at as u32)).or_insert(0) += value;
            }
        }
        let row = |(counter, value)| Row {
            stretch,
            counter,
            value,
        };
        self.rows.extend(grown.into_iter().map(row));
    }
}

fn read_all(sources: &mut [Placed], values: &mut [Value]) {
    for one in sources {
        one.source.read(&mut values[one.start..one.end]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;
    use std::rc::Rc;
    use std::thread::sleep;
    use std::time::Duration;

    /// A counter whose value the test sets, and which takes its time.
    struct Set {
        value: Rc<Cell<Value>>,
        takes: Duration,
        is_gauge: bool,
    }

    impl Source for Set {
        fn counters(&self) -> Vec<Counter> {
            vec![Counter {
                is_gauge: self.is_gauge,
                ..Counter::new("set")
            }]
        }

        fn read(&mut self, values: &mut [Value]) {
            sleep(self.takes);
            values[0] = self.value.get();
        }
    }

    fn recorder(takes: Duration, is_gauge: bool) -> (Recorder, Rc<Cell<Value>>) {
        let value = Rc::new(Cell::new(Some(0)));
        let mut recorder = Recorder::default();
        let source = Set {
            value: value.clone(),
            takes,
            is_gauge,
        };
        recorder.add("set", Ok(source));
        (recorder, value)
    }

    fn order(phase: u32, batch: Option<u32>) -> Order {
        Order {
            size_bytes: 1,
            messages: 1,
            phase,
            batch,
        }
    }

    /// (phase, first batch, batches, value) of all that was recorded.
    fn rows(recorder: &mut Recorder) -> Vec<(u32, u32, u32, u64)> {
        let taken = recorder.hand_on(|recorded| recorded.rows.to_vec());
        let flat = |row: Row| {
            let Stretch {
                phase,
                batch,
                batches,
            } = row.stretch;
            (phase, batch, batches, row.value)
        };
        taken.unwrap_or_default().into_iter().map(flat).collect()
    }

    /// Batches of phase 3, during each of which the counter comes to a value.
    fn run(recorder: &mut Recorder, value: &Cell<Value>, values: &[Value]) {
        for (batch, one) in values.iter().enumerate() {
            recorder.before(order(3, Some(batch as u32)));
            value.set(*one);
            recorder.after();
        }
        recorder.finish();
    }

    #[test]
    fn each_batch_has_what_the_counter_grew_in_it() {
        let (mut recorder, value) = recorder(Duration::ZERO, false);
        value.set(Some(100));
        recorder.cost_ns = 0;
        for (batch, add) in [5, 0, 7].into_iter().enumerate() {
            recorder.before(order(3, Some(batch as u32)));
            value.set(value.get().map(|now| now + add));
            sleep(Duration::from_millis(1));
            recorder.after();
        }
        recorder.finish();
        assert_eq!(rows(&mut recorder), [(3, 0, 1, 5), (3, 2, 1, 7)]);
        assert_eq!(rows(&mut recorder), []);
    }

    #[test]
    fn unrecorded_batches_are_not_counted() {
        let (mut recorder, value) = recorder(Duration::ZERO, false);
        for (phase, batch, to) in [
            (3, None, 10),
            (3, Some(0), 11),
            (4, None, 50),
            (4, Some(0), 52),
        ] {
            recorder.before(order(phase, batch));
            value.set(Some(to));
            recorder.after();
        }
        recorder.finish();
        assert_eq!(rows(&mut recorder), [(3, 0, 1, 1), (4, 0, 1, 2)]);
    }

    #[test]
    fn what_costs_too_much_is_read_once_for_several_batches() {
        let (mut recorder, value) = recorder(Duration::from_micros(900), false);
        recorder.leave_out("else", "why".to_owned());
        if recorder.counters().is_empty() {
            // The machine was too busy to sleep for less than a millisecond.
            return;
        }
        run(&mut recorder, &value, &[Some(1), Some(2), Some(3)]);
        assert_eq!(rows(&mut recorder), [(3, 0, 3, 3)]);
    }

    #[test]
    fn what_is_read_late_is_left_out_of_that_stretch() {
        let (mut recorder, value) = recorder(Duration::ZERO, false);
        recorder.before(order(3, Some(0)));
        recorder.cost_ns = u64::MAX / COST_FACTOR;
        value.set(Some(1));
        recorder.after();
        sleep(Duration::from_millis(5));
        value.set(Some(50));
        run(&mut recorder, &value, &[Some(51)]);
        assert_eq!(rows(&mut recorder), [(3, 0, 1, 1)]);
    }

    #[test]
    fn what_takes_a_millisecond_to_read_is_left_out() {
        let (recorder, _) = recorder(Duration::from_millis(2), false);
        assert!(recorder.counters().is_empty());
        assert!(recorder.missing()[0].reason.contains("takes"));
    }

    #[test]
    fn a_counter_that_goes_back_or_cannot_be_read_is_left_out_of_that_stretch() {
        for lost in [Some(2), None] {
            let (mut recorder, value) = recorder(Duration::ZERO, false);
            value.set(Some(u64::from(u32::MAX)));
            run(&mut recorder, &value, &[lost]);
            assert_eq!(rows(&mut recorder), []);
            value.set(Some(10));
            run(&mut recorder, &value, &[Some(12)]);
            assert_eq!(rows(&mut recorder), [(3, 0, 1, 2)]);
        }
    }

    #[test]
    fn a_gauge_has_its_latest_value() {
        let (mut recorder, value) = recorder(Duration::ZERO, true);
        value.set(Some(100));
        run(&mut recorder, &value, &[Some(42)]);
        assert_eq!(rows(&mut recorder), [(3, 0, 1, 42)]);
    }

    #[test]
    fn processors_are_summed_up_by_name() {
        let (mut recorder, value) = recorder(Duration::ZERO, false);
        let other = Set {
            value: value.clone(),
            takes: Duration::ZERO,
            is_gauge: false,
        };
        recorder.add("set", Ok(other));
        recorder.sum_processors();
        recorder.before(order(3, Some(0)));
        value.set(Some(5));
        recorder.after();
        recorder.finish();
        assert_eq!(rows(&mut recorder), [(3, 0, 1, 10)]);
    }

    #[test]
    fn one_without_sources_records_nothing() {
        let mut recorder = Recorder::default();
        run(&mut recorder, &Cell::new(None), &[Some(1)]);
        assert_eq!(rows(&mut recorder), []);
    }
}
