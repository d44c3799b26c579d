//! How far a member is in a program.

use std::collections::{HashMap, VecDeque};

use weft_plan::program::Until;

use super::super::channels::Done;
use super::super::rows::Row;
use super::activity::{Activity, Span};
use super::laps::{Lap, Laps};
use super::part::Part;
use super::processors::Computed;

/// One execution: what is left to do, and what has been done when.
pub struct Course<'a> {
    part: &'a Part,
    needs: Vec<u32>,
    ready: VecDeque<u32>,
    left: usize,
    /// By operation: when it began.
    begun_ns: Vec<u64>,
    computing: Vec<Span>,
    moving: Vec<Span>,
    laps: Laps<'a>,
    start_ns: u64,
    end_ns: u64,
}

impl<'a> Course<'a> {
    /// All memory is reserved here.
    pub fn new(part: &'a Part) -> Course<'a> {
        let needs = part.own.needs().to_vec();
        let count = needs.len();
        let free = (0..).zip(&needs).filter(|(_, needs)| **needs == 0);
        let mut ready = VecDeque::with_capacity(count);
        ready.extend(free.map(|(operation, _)| operation));
        Course {
            part,
            ready,
            needs,
            left: count,
            begun_ns: vec![0; count],
            computing: Vec::with_capacity(count),
            moving: Vec::with_capacity(2 * count),
            laps: Laps::new(&part.own),
            start_ns: 0,
            end_ns: 0,
        }
    }

    pub fn start(&mut self, now_ns: u64) {
        (self.start_ns, self.end_ns) = (now_ns, now_ns);
    }

    pub fn is_over(&self) -> bool {
        self.left == 0
    }

    /// The next operation that may begin.
    pub fn next_ready(&mut self) -> Option<u32> {
        self.ready.pop_front()
    }

    /// An operation begins.
    pub fn begin(&mut self, operation: u32, now_ns: u64) {
        self.begun_ns[operation as usize] = now_ns;
        self.release(operation, Until::Begun);
    }

    /// An operation that computed has ended.
    pub fn computed(&mut self, done: Computed) {
        if done.ended_ns > done.begun_ns {
            self.computing.push((done.begun_ns, done.ended_ns));
        }
        self.end(done.operation, done.ended_ns);
    }

    /// A send or a receive has ended; `shift_ns` turns this node's clock into the run's. What a receive has brought was put
    /// where it belongs from `taken.0` to `taken.1`; that is computing where it `adds`.
    pub fn moved(&mut self, done: &Done, shift_ns: i64, taken: Span, adds: bool) {
        let begun_ns = self.begun_ns[done.token as usize];
        let from_ns = match &done.message {
            None => begun_ns,
            Some(message) => {
                let sent_ns = (message.began_ns - shift_ns).max(0) as u64;
                let waited = message.bytes > 0 && message.is_announced;
                if waited {
                    sent_ns.max(begun_ns)
                } else {
                    sent_ns
                }
            }
        };
        self.moving.push((from_ns, done.at_ns));
        if adds {
            self.computing.push(taken);
        }
        self.laps.moved(done);
        self.end(done.token, done.at_ns.max(begun_ns).max(taken.1));
    }

    pub fn activity(&mut self, shift_ns: i64) -> Activity {
        let whole = (self.start_ns, self.end_ns);
        Activity::of(whole, &mut self.computing, &mut self.moving, shift_ns)
    }

    /// Whether what is sent now is to be empty, since the member has been stopped.
    pub fn cuts(&self) -> bool {
        self.laps.cuts()
    }

    pub fn laps(&self, shift_ns: i64) -> Vec<Lap> {
        self.laps.all(self.start_ns, shift_ns)
    }

    fn end(&mut self, operation: u32, at_ns: u64) {
        self.left -= 1;
        self.laps.ended(operation, at_ns);
        self.end_ns = self.end_ns.max(at_ns);
        self.release(operation, Until::Ended);
    }

    fn release(&mut self, operation: u32, until: Until) {
        for dependent in self.part.own.dependents(operation) {
            if dependent.until == until {
                let needs = &mut self.needs[dependent.operation as usize];
                *needs -= 1;
                if *needs == 0 {
                    self.ready.push_back(dependent.operation);
                }
            }
        }
    }
}

/// Times of messages that have come, as many as are wanted; those of a source are numbered.
pub struct Log {
    rows: Vec<Row>,
    most: usize,
    numbers: HashMap<u32, u32>,
}

impl Log {
    pub fn new(most: u64, expected: usize) -> Log {
        let most = most as usize;
        Log {
            rows: Vec::with_capacity(most.min(expected)),
            most,
            numbers: HashMap::new(),
        }
    }

    /// Note a message that has come.
    pub fn add(&mut self, done: &Done, shift_ns: i64) {
        let Some(message) = &done.message else {
            return;
        };
        if self.rows.len() == self.most {
            return;
        }
        let number = self.numbers.entry(message.src).or_default();
        let start_ns = (message.began_ns - shift_ns).max(0) as u64;
        self.rows.push(Row {
            batch: *number,
            src: message.src,
            dst: None,
            size_bytes: message.bytes,
            messages: 1,
            start_ns,
            elapsed_ns: done.at_ns.saturating_sub(start_ns),
        });
        *number += 1;
    }

    pub fn rows(&self) -> &[Row] {
        &self.rows
    }
}
