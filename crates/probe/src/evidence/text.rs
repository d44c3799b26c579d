//! Counters in a text file of the kernel's, which stays open and is read into a buffer that is kept.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::str;

use super::source::{Counter, Source, Value};

const BUFFER_BYTES: usize = 16 << 10;

/// Called for each counter in a file: its processor, its value, and what makes its name.
pub type See<'a> = dyn FnMut(Option<u32>, u64, &dyn Fn() -> String) + 'a;

/// Calls `See` for all counters in a text, always in the same order.
pub trait Format {
    const IS_GAUGE: bool = false;

    fn visit(&self, text: &str, see: &mut See);
}

/// A file in some format.
pub struct TextSource<F> {
    file: KeptFile,
    format: F,
    counters: Vec<Counter>,
}

impl<F: Format> TextSource<F> {
    /// Fails where the file cannot be read, or has none of the counters.
    pub fn open(path: &str, format: F) -> io::Result<TextSource<F>> {
        let told = |error: io::Error| io::Error::new(error.kind(), format!("{path}: {error}"));
        let mut file = KeptFile::open(path).map_err(told)?;
        let mut counters = Vec::new();
        format.visit(file.read().map_err(told)?, &mut |cpu, _, name| {
            counters.push(Counter {
                name: name(),
                cpu,
                is_gauge: F::IS_GAUGE,
            });
        });
        if counters.is_empty() {
            let message = format!("{path} has none of them");
            return Err(io::Error::new(io::ErrorKind::NotFound, message));
        }
        Ok(TextSource {
            file,
            format,
            counters,
        })
    }
}

impl<F: Format> Source for TextSource<F> {
    fn counters(&self) -> Vec<Counter> {
        self.counters.clone()
    }

    fn read(&mut self, values: &mut [Value]) {
        match self.file.read() {
            Ok(text) => fill(&self.format, text, &self.counters, values),
            Err(_) => values.fill(None),
        }
    }
}

/// The values in a text; none at all where it has come to have other counters, such as those of one processor less.
fn fill(format: &impl Format, text: &str, counters: &[Counter], values: &mut [Value]) {
    let mut count = 0;
    let mut is_same = true;
    format.visit(text, &mut |cpu, value, _| {
        match counters.get(count) {
            Some(counter) if counter.cpu == cpu => values[count] = Some(value),
            _ => is_same = false,
        }
        count += 1;
    });
    if !is_same || count != counters.len() {
        values.fill(None);
    }
}

/// A file that is read from its start again and again.
pub struct KeptFile {
    file: File,
    buffer: Vec<u8>,
}

impl KeptFile {
    pub fn open(path: &str) -> io::Result<KeptFile> {
        Ok(KeptFile {
            file: File::open(path)?,
            buffer: vec![0; BUFFER_BYTES],
        })
    }

    pub fn read(&mut self) -> io::Result<&str> {
        let mut length = 0;
        loop {
            if length == self.buffer.len() {
                self.buffer.resize(2 * length, 0);
            }
            match self
                .file
                .read_at(&mut self.buffer[length..], length as u64)?
            {
                0 => break,
                count => length += count,
            }
        }
        str::from_utf8(&self.buffer[..length]).map_err(io::Error::other)
    }
}

/// The processors that a line of headings names: `CPU0 CPU1 ...`.
pub fn processors(headings: &str) -> impl Iterator<Item = u32> + Clone {
    let names = headings.split_ascii_whitespace();
    names.filter_map(|name| name.strip_prefix("CPU")?.parse().ok())
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// What a format finds: name, processor, value.
    pub fn found(format: &impl Format, text: &str) -> Vec<(String, Option<u32>, u64)> {
        let mut found = Vec::new();
        format.visit(text, &mut |cpu, value, name| {
            found.push((name(), cpu, value))
        });
        found
    }

    /// One counter of a processor a line.
    struct Lines;

    impl Format for Lines {
        fn visit(&self, text: &str, see: &mut See) {
            for line in text.lines() {
                let (cpu, value) = line.split_once(' ').expect("two numbers");
                see(cpu.parse().ok(), value.parse().unwrap_or(0), &|| "a".into());
            }
        }
    }

    #[test]
    fn a_file_that_has_other_counters_than_before_has_no_values() {
        let of = |cpu| Counter {
            cpu: Some(cpu),
            ..Counter::new("a")
        };
        let counters = [of(0), of(2)];
        for (text, wanted) in [
            ("0 7\n2 8\n", [Some(7), Some(8)]),
            ("0 7\n", [None, None]),
            ("0 7\n1 8\n", [None, None]),
            ("0 7\n2 8\n3 9\n", [None, None]),
        ] {
            let mut values = [Some(1), Some(1)];
            fill(&Lines, text, &counters, &mut values);
            assert_eq!(values, wanted, "{text:?}");
        }
    }

    #[test]
    fn a_file_that_is_not_there_is_named() {
        let error = TextSource::open("/proc/nothing-of-the-kind", Lines).err();
        let said = error.expect("there is no such file").to_string();
        assert!(said.starts_with("/proc/nothing-of-the-kind: "), "{said}");
    }

    #[test]
    fn a_file_longer_than_the_buffer_is_read_whole() {
        let mut kept = KeptFile::open("/proc/self/status").expect("a file");
        kept.buffer.truncate(7);
        let text = kept.read().expect("text").to_owned();
        assert!(
            text.starts_with("Name:") && text.contains("VmRSS"),
            "{text}"
        );
    }
}
