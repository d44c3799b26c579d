//! How long some task waited for a resource (/proc/pressure).

use super::text::{Format, See};

pub const RESOURCES: [(&str, &str); 3] = [
    ("/proc/pressure/cpu", "pressure_cpu_ns"),
    ("/proc/pressure/io", "pressure_io_ns"),
    ("/proc/pressure/memory", "pressure_memory_ns"),
];

/// The counter of that name.
pub struct Pressure(pub &'static str);

impl Format for Pressure {
    fn visit(&self, text: &str, see: &mut See) {
        if let Some(waited_us) = total_us(text, "some") {
            see(None, 1000 * waited_us, &|| self.0.to_owned());
        }
    }
}

/// The total of a line `some avg10=0.00 avg60=0.00 avg300=0.00 total=microseconds`, or of one about all tasks (`full`).
pub fn total_us(text: &str, line: &str) -> Option<u64> {
    let mut lines = text.lines().filter_map(|one| one.strip_prefix(line));
    lines.next()?.rsplit_once("total=")?.1.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::text::tests::found;

    #[test]
    fn it_is_what_some_task_waited() {
        let text = "some avg10=0.00 avg60=0.00 avg300=0.00 total=12\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=5\n";
        let all = found(&Pressure("pressure_io_ns"), text);
        assert_eq!(all, [("pressure_io_ns".to_owned(), None, 12_000)]);
        assert!(found(&Pressure("pressure_io_ns"), "").is_empty());
    }
}
