//! Pressure: what tasks waited for (/proc/pressure, since Linux 4.20), and what tells of it where the kernel has no such
//! files.

use std::fs;

use super::source::Source;
use crate::evidence::{KeptFile, total_us};
use crate::system::usage;

/// The share of the time in which some task, or all that were not idle ("full"), waited for a resource.
pub struct Pressure {
    file: KeptFile,
    line: &'static str,
    last_us: u64,
}

impl Pressure {
    /// None where the kernel does not count it.
    pub fn open(resource: &str, line: &'static str) -> Option<Pressure> {
        let mut file = KeptFile::open(&format!("/proc/pressure/{resource}")).ok()?;
        let last_us = total_us(file.read().ok()?, line)?;
        Some(Pressure {
            file,
            line,
            last_us,
        })
    }
}

impl Source for Pressure {
    fn read(&mut self, seconds: f64) -> Option<f64> {
        let total_us = total_us(self.file.read().ok()?, self.line)?;
        let waited_us = total_us.saturating_sub(self.last_us);
        self.last_us = total_us;
        Some((waited_us as f64 / 1e6 / seconds).min(1.0))
    }
}

/// Pages a second that this process had to have read from a disk: it was swapped out.
#[derive(Default)]
pub struct MajorFaults {
    last: Option<i64>,
}

impl Source for MajorFaults {
    fn read(&mut self, seconds: f64) -> Option<f64> {
        let faults = usage::own()?.ru_majflt;
        // Those of the start are no pressure.
        let last = self.last.replace(faults)?;
        Some((faults - last) as f64 / seconds)
    }
}

/// Tasks that run or could, for each processor.
pub struct Load;

impl Source for Load {
    fn read(&mut self, _: f64) -> Option<f64> {
        let text = fs::read_to_string("/proc/loadavg").ok()?;
        let processors = std::thread::available_parallelism().map_or(1, |count| count.get());
        Some(runnable(&text)? / processors as f64)
    }
}

fn runnable(loadavg: &str) -> Option<f64> {
    let tasks = loadavg.split_ascii_whitespace().nth(3)?;
    tasks.split_once('/')?.0.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn totals_are_those_of_the_line() {
        let text = "some avg10=99.86 avg60=97.58 avg300=54.70 total=248207255\n\
                    full avg10=0.00 avg60=0.00 avg300=0.00 total=7\n";
        assert_eq!(total_us(text, "some"), Some(248_207_255));
        assert_eq!(total_us(text, "full"), Some(7));
        // Before Linux 5.13 processors had no such line.
        assert_eq!(total_us("some avg10=0.00 total=1\n", "full"), None);
        assert_eq!(runnable("9.27 5.15 2.30 11/157 13313\n"), Some(11.0));
    }

    #[test]
    fn a_resource_without_a_file_is_left_out() {
        assert!(Pressure::open("nothing-of-the-kind", "some").is_none());
        assert!(Load.read(1.0).is_some_and(|load| load > 0.0));
    }
}
