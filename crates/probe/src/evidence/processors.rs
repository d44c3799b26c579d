//! What each processor spent its time on, and what the system counts over all of them (/proc/stat).

use super::text::{Format, See};

pub const PATH: &str = "/proc/stat";

/// The numbers of a processor's line that belong together.
const TIMES: [(&str, &[usize]); 6] = [
    ("cpu_user_ns", &[0, 1]),
    ("cpu_system_ns", &[2]),
    ("cpu_idle_ns", &[3, 4]),
    ("cpu_irq_ns", &[5]),
    ("cpu_softirq_ns", &[6]),
    ("cpu_steal_ns", &[7]),
];
const SYSTEM: [(&str, &str); 2] = [("ctxt", "system_switches"), ("intr", "system_interrupts")];
const FIELDS: usize = 8;

pub struct Stat {
    tick_ns: u64,
}

impl Stat {
    pub fn new() -> Stat {
        Stat {
            tick_ns: 1_000_000_000 / rustix::param::clock_ticks_per_second(),
        }
    }
}

impl Format for Stat {
    fn visit(&self, text: &str, see: &mut See) {
        for line in text.lines() {
            let (label, numbers) = line.split_once(' ').unwrap_or((line, ""));
            let mut numbers = numbers
                .split_ascii_whitespace()
                .map_while(|one| one.parse().ok());
            if let Some(cpu) = label.strip_prefix("cpu").and_then(|cpu| cpu.parse().ok()) {
                let mut fields = [0_u64; FIELDS];
                fields
                    .iter_mut()
                    .zip(numbers)
                    .for_each(|(to, from)| *to = from);
                for (name, parts) in TIMES {
                    let ticks: u64 = parts.iter().map(|part| fields[*part]).sum();
                    see(Some(cpu), ticks * self.tick_ns, &|| name.to_owned());
                }
            } else if let Some((_, name)) = SYSTEM.iter().find(|(word, _)| *word == label) {
                see(None, numbers.next().unwrap_or(0), &|| (*name).to_owned());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::text::tests::found;

    #[test]
    fn ticks_become_nanoseconds_by_processor() {
        let text =
            "cpu  9 9 9 9 9 9 9 9 0 0\ncpu1 1 2 3 4 5 6 7 8 0 0\nintr 77 1 2 3\nctxt 88\nbtime 5\n";
        let all = found(&Stat { tick_ns: 10 }, text);
        let by_cpu = [30, 30, 90, 60, 70, 80];
        let values: Vec<u64> = all.iter().map(|one| one.2).collect();
        assert_eq!(values, [&by_cpu[..], &[77, 88]].concat());
        assert!(all[..6].iter().all(|one| one.1 == Some(1)));
        assert_eq!(all[0].0, "cpu_user_ns");
        assert_eq!(all[6], ("system_interrupts".to_owned(), None, 77));
    }
}
