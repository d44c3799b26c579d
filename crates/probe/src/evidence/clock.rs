//! The time between two readings.

use super::source::{Counter, Source, Value};
use crate::system::clock::now_ns;

pub struct Clock;

impl Source for Clock {
    fn counters(&self) -> Vec<Counter> {
        vec![Counter::new("elapsed_ns")]
    }

    fn read(&mut self, values: &mut [Value]) {
        values[0] = Some(now_ns());
    }
}
