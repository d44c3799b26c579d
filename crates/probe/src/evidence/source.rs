//! Something that counts.

/// One number that is read again and again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counter {
    /// Ends with its unit, where it is not a count.
    pub name: String,
    /// Of counters that are kept by processor.
    pub cpu: Option<u32>,
    /// Whether the latest value counts, not by how much it grew.
    pub is_gauge: bool,
}

impl Counter {
    pub fn new(name: impl Into<String>) -> Counter {
        Counter {
            name: name.into(),
            cpu: None,
            is_gauge: false,
        }
    }

    pub fn gauge(name: &str) -> Counter {
        Counter {
            is_gauge: true,
            ..Counter::new(name)
        }
    }
}

/// A value of a counter; none where it cannot be read just now.
pub type Value = Option<u64>;

/// What reads some counters, always the same ones.
pub trait Source {
    fn counters(&self) -> Vec<Counter>;

    /// Fill in the values, in the order of the counters.
    fn read(&mut self, values: &mut [Value]);
}
