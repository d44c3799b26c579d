//! What the agent's own process did: processor time, switches, faults, and how long it stood in a run queue.

use std::cell::Cell;
use std::fs;
use std::io;
use std::rc::Rc;

use super::source::{Counter, Source, Value};
use super::text::{Format, See, TextSource};
use crate::application::Counts;
use crate::system::usage;

/// How many numbers a process gives of itself.
pub const USED: usize = 5;
const NAMES: [&str; USED] = [
    "process_user_ns",
    "process_system_ns",
    "process_voluntary_switches",
    "process_involuntary_switches",
    "process_faults",
];

pub struct Process;

impl Source for Process {
    fn counters(&self) -> Vec<Counter> {
        NAMES.map(Counter::new).to_vec()
    }

    fn read(&mut self, values: &mut [Value]) {
        let Some(usage) = usage::own() else {
            return values.fill(None);
        };
        let time_ns = |time: libc::timeval| time.tv_sec * 1_000_000_000 + time.tv_usec * 1000;
        let numbers = [
            time_ns(usage.ru_utime),
            time_ns(usage.ru_stime),
            usage.ru_nvcsw,
            usage.ru_nivcsw,
            usage.ru_minflt + usage.ru_majflt,
        ];
        for (value, number) in values.iter_mut().zip(numbers) {
            *value = Some(number as u64);
        }
    }
}

/// The same of another process, as it says itself.
pub struct Told(pub Rc<Cell<[u64; USED]>>);

impl Source for Told {
    fn counters(&self) -> Vec<Counter> {
        Process.counters()
    }

    fn read(&mut self, values: &mut [Value]) {
        for (value, told) in values.iter_mut().zip(self.0.get()) {
            *value = Some(told);
        }
    }
}

/// What its application computed with what came in.
pub struct Computed(pub Rc<Cell<Counts>>);

impl Source for Computed {
    fn counters(&self) -> Vec<Counter> {
        vec![
            Counter::new("application_iterations"),
            Counter::new("application_elapsed_ns"),
            Counter::gauge("application_iteration_ps"),
        ]
    }

    fn read(&mut self, values: &mut [Value]) {
        let counts = self.0.get();
        let numbers = [counts.iterations, counts.elapsed_ns, counts.iteration_ps];
        values.copy_from_slice(&numbers.map(Some));
    }
}

/// How long the threads that there are now have stood in run queues, together.
pub struct Waiting(Vec<TextSource<Schedstat>>);

impl Waiting {
    /// Those of a process, by its number or `self`.
    pub fn open(process: &str) -> io::Result<Waiting> {
        let tasks = fs::read_dir(format!("/proc/{process}/task"))?;
        let paths = tasks.map(|task| Ok(task?.path().join("schedstat").display().to_string()));
        let open = |path: io::Result<String>| TextSource::open(&path?, Schedstat);
        paths.map(open).collect::<io::Result<_>>().map(Waiting)
    }
}

impl Source for Waiting {
    fn counters(&self) -> Vec<Counter> {
        vec![Counter::new("process_waiting_ns")]
    }

    fn read(&mut self, values: &mut [Value]) {
        let mut waited = |task: &mut TextSource<Schedstat>| {
            let mut value = [None];
            task.read(&mut value);
            value[0]
        };
        values[0] = self.0.iter_mut().map(&mut waited).sum();
    }
}

/// How long a thread stood in run queues, of its `schedstat`: on the processor, in the run queue (both in ns), how often.
pub fn waited_ns(text: &str) -> Option<u64> {
    text.split_ascii_whitespace().nth(1)?.parse().ok()
}

struct Schedstat;

impl Format for Schedstat {
    fn visit(&self, text: &str, see: &mut See) {
        if let Some(waited_ns) = waited_ns(text) {
            see(None, waited_ns, &|| "process_waiting_ns".to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn work_is_seen() {
        let mut values = [None; NAMES.len()];
        Process.read(&mut values);
        let before = values[0].expect("a time") + values[1].expect("a time");
        let mut sum = 0_u64;
        while {
            Process.read(&mut values);
            values[0].expect("a time") + values[1].expect("a time") < before + 1_000_000
        } {
            sum = std::hint::black_box(sum + 1);
        }
        assert!(values.iter().all(Option::is_some));
    }

    #[test]
    fn the_wait_is_the_second_number_of_each_thread() {
        // Threads of this process end meanwhile: those of other tests.
        let mut other = Command::new("sleep").arg("60").spawn().expect("a process");
        let mut waiting = Waiting::open(&other.id().to_string()).expect("threads");
        let mut values = [None];
        waiting.read(&mut values);
        other.kill().and_then(|()| other.wait()).expect("its end");
        assert!(values[0].is_some());
    }
}
