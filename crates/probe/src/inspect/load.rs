//! How busy the processors are.

use std::fs;
use std::thread;
use std::time::Duration;

const WATCHED: Duration = Duration::from_millis(300);

/// What a processor did since the system started, in ticks.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Ticks {
    idle: u64,
    all: u64,
}

/// The share of a short while in which each processor was not idle.
pub fn busy() -> Vec<f64> {
    let before = parse(&read());
    thread::sleep(WATCHED);
    let after = parse(&read());
    before.iter().zip(&after).map(share).collect()
}

fn read() -> String {
    fs::read_to_string("/proc/stat").unwrap_or_default()
}

/// Lines `cpu0 user nice system idle iowait irq softirq steal ...`; waiting for a disk is idle.
fn parse(stat: &str) -> Vec<Ticks> {
    let lines = stat
        .lines()
        .filter(|line| line.starts_with("cpu") && !line.starts_with("cpu "));
    lines
        .map(|line| {
            let ticks: Vec<u64> = line
                .split_whitespace()
                .skip(1)
                .take(8)
                .filter_map(|field| field.parse().ok())
                .collect();
            Ticks {
                idle: ticks.iter().skip(3).take(2).sum(),
                all: ticks.iter().sum(),
            }
        })
        .collect()
}

fn share((before, after): (&Ticks, &Ticks)) -> f64 {
    let all = after.all.saturating_sub(before.all);
    let idle = after.idle.saturating_sub(before.idle);
    if all == 0 {
        return 0.0;
    }
    all.saturating_sub(idle) as f64 / all as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_for_a_disk_is_idle_and_the_sum_of_all_is_left_out() {
        let ticks =
            parse("cpu  9 9 9 9\ncpu0 10 0 5 80 5 0 0 0 0 0\ncpu1 0 0 0 100 0 0 0 0\nintr 1\n");
        assert_eq!(
            ticks,
            [
                Ticks { idle: 85, all: 100 },
                Ticks {
                    idle: 100,
                    all: 100
                }
            ]
        );
    }

    #[test]
    fn a_share_is_of_the_ticks_between() {
        let (before, after) = (Ticks { idle: 10, all: 100 }, Ticks { idle: 25, all: 120 });
        assert_eq!(share((&before, &after)), 0.25);
        assert_eq!(share((&after, &after)), 0.0);
    }
}
