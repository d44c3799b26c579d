//! Time in which a processor had work and the hypervisor ran something else (/proc/stat).

use super::source::Source;
use crate::evidence::KeptFile;

pub struct Steal {
    file: KeptFile,
    last: Ticks,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Ticks {
    stolen: u64,
    all: u64,
}

impl Steal {
    pub fn open() -> Option<Steal> {
        let mut file = KeptFile::open("/proc/stat").ok()?;
        let last = ticks(file.read().ok()?)?;
        Some(Steal { file, last })
    }
}

impl Source for Steal {
    /// The share of all processors' time.
    fn read(&mut self, _: f64) -> Option<f64> {
        let now = ticks(self.file.read().ok()?)?;
        let all = now.all.checked_sub(self.last.all).filter(|all| *all > 0)?;
        // The kernel lets it go back a little, at times.
        let stolen = now.stolen.saturating_sub(self.last.stolen);
        self.last = now;
        Some(stolen as f64 / all as f64)
    }
}

/// Those of all processors: user, nice, system, idle, iowait, irq, softirq, steal; guests are in user.
fn ticks(text: &str) -> Option<Ticks> {
    let numbers = text.strip_prefix("cpu ")?.lines().next()?;
    let mut times = [0; 8];
    for (time, number) in times.iter_mut().zip(numbers.split_ascii_whitespace()) {
        *time = number.parse().ok()?;
    }
    Some(Ticks {
        stolen: times[7],
        all: times.iter().sum(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guests_are_not_counted_twice() {
        let found = ticks("cpu  1 2 3 4 5 6 7 8 100 100\ncpu0 9 9 9\n");
        let wanted = Ticks { stolen: 8, all: 36 };
        assert_eq!(found, Some(wanted));
        assert_eq!(ticks("intr 1 2\n"), None);
    }
}
