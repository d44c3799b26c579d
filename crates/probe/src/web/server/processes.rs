//! What all processes of a server have used.

use std::fs;

use rustix::param::clock_ticks_per_second;

use crate::evidence::USED;

/// Fields of /proc/PID/stat behind the name, counted from the state.
const GROUP: usize = 2;
const FAULTS: [usize; 4] = [7, 8, 9, 10];
const USER: [usize; 2] = [11, 13];
const SYSTEM: [usize; 2] = [12, 14];

/// Processor time in ns (user, system), switches (not known of ended ones: 0), and faults of a process group, with those of
/// processes that it has waited for.
pub fn used(group: u32) -> [u64; USED] {
    let tick_ns = 1_000_000_000 / clock_ticks_per_second();
    let mut sum = [0; USED];
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    for process in processes {
        let text = fs::read_to_string(process.path().join("stat")).unwrap_or_default();
        let Some((_, fields)) = text.rsplit_once(") ") else {
            continue;
        };
        let fields: Vec<&str> = fields.split(' ').collect();
        let number = |at: usize| fields.get(at).and_then(|one| one.parse().ok()).unwrap_or(0);
        if number(GROUP) == u64::from(group) {
            let all = |fields: &[usize]| fields.iter().map(|at| number(*at)).sum::<u64>();
            sum[0] += all(&USER) * tick_ns;
            sum[1] += all(&SYSTEM) * tick_ns;
            sum[4] += all(&FAULTS);
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::CommandExt;
    use std::process::Command;
    use std::thread::sleep;
    use std::time::Duration;

    use super::*;

    #[test]
    fn the_time_of_a_group_has_that_of_its_children() {
        let mut busy = Command::new("sh");
        busy.args(["-c", "while :; do :; done & wait"])
            .process_group(0);
        let mut child = busy.spawn().expect("a shell");
        let group = child.id();
        let seen = (0..500).any(|_| {
            sleep(Duration::from_millis(20));
            used(group)[0] >= 20_000_000
        });
        let _ = rustix::process::kill_process_group(
            rustix::process::Pid::from_child(&child),
            rustix::process::Signal::KILL,
        );
        child.wait().expect("its end");
        assert!(seen);
    }
}
