//! What the driver of the measured interface counts of its own, as `ethtool -S` shows it.

use std::io;

use super::source::{Counter, Source, Value};
use crate::inspect::ethtool::Ethtool;

pub struct DriverCounters {
    driver: Ethtool,
    names: Vec<String>,
    room: Vec<u64>,
}

impl DriverCounters {
    pub fn open(interface: &str) -> io::Result<DriverCounters> {
        let driver = Ethtool::new(interface)?;
        let names = driver.counter_names();
        if names.is_empty() {
            let message = format!("the driver of {interface} has none");
            return Err(io::Error::new(io::ErrorKind::NotFound, message));
        }
        Ok(DriverCounters {
            driver,
            room: Ethtool::room(names.len()),
            names,
        })
    }
}

impl Source for DriverCounters {
    fn counters(&self) -> Vec<Counter> {
        let names = self.names.iter();
        names
            .map(|name| Counter::new(format!("ethtool:{name}")))
            .collect()
    }

    fn read(&mut self, values: &mut [Value]) {
        values.fill(None);
        let numbers = self.driver.read_counters(self.names.len(), &mut self.room);
        for (value, number) in values.iter_mut().zip(numbers.unwrap_or_default()) {
            *value = Some(*number);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback_has_none_and_that_is_said() {
        let error = DriverCounters::open("lo").err().expect("it has none");
        assert_eq!(error.to_string(), "the driver of lo has none");
    }
}
