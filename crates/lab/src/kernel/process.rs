//! What the kernel reports about processes, and sets for ours.

use std::io;

/// The niceness of an ordinary thread that comes before, and behind, all others.
const FIRST: i32 = -20;
const LAST: i32 = 19;

/// When a process started, in the kernel's ticks since boot: with the pid this names it for good.
pub fn started(process: &str) -> io::Result<u64> {
    parse_started(&std::fs::read_to_string(format!("/proc/{process}/stat"))?)
}

/// The 22nd field of `/proc/PID/stat`. The second, the name, may itself contain spaces and brackets.
pub fn parse_started(stat: &str) -> io::Result<u64> {
    let after_name = stat.rsplit_once(')').map(|(_, rest)| rest);
    let field = after_name.and_then(|rest| rest.split_ascii_whitespace().nth(19));
    field
        .and_then(|field| field.parse().ok())
        .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "not a process status"))
}

/// Asks for exact timers and for the processor whenever this thread has something to do; returns whether it may
/// have the latter. Without root it may not: then those in the lab `give_way`.
///
/// Not a real-time thread: the kernel stops those for 50 ms in each second in which they are busy throughout.
pub fn ask_for_precision() -> bool {
    // SAFETY: take no pointers; 0 means the calling thread.
    unsafe {
        libc::prctl(libc::PR_SET_TIMERSLACK, 1);
        libc::setpriority(libc::PRIO_PROCESS, 0, FIRST) == 0
    }
}

/// Lets all other processes run first, which needs no privilege.
pub fn give_way() {
    // SAFETY: takes no pointers; 0 means the calling process.
    unsafe {
        libc::setpriority(libc::PRIO_PROCESS, 0, LAST);
    }
}

/// Keeps this thread on the last of the processors it may use; agents leave that one free.
pub fn take_last_processor() {
    let Some(last) = allowed_processors().pop() else {
        return;
    };
    // SAFETY: cpu_set_t is plain data for which zero is valid; the pointer is to it, and its size is right.
    unsafe {
        let mut only: libc::cpu_set_t = std::mem::zeroed();
        libc::CPU_SET(last, &mut only);
        libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &raw const only);
    }
}

/// The allowed processors without the last, as the kernel writes them in its settings; none if there is only one.
pub fn mask_of_others() -> Option<String> {
    let mut others = allowed_processors();
    others.pop()?;
    let words = others.last()? / 32 + 1;
    let mut mask = vec![0_u32; words];
    for processor in others {
        mask[processor / 32] |= 1 << (processor % 32);
    }
    let mask: Vec<_> = mask
        .iter()
        .rev()
        .map(|word| format!("{word:08x}"))
        .collect();
    Some(mask.join(","))
}

fn allowed_processors() -> Vec<usize> {
    // SAFETY: cpu_set_t is plain data for which zero is valid; the pointer is to it, and its size is right.
    unsafe {
        let mut allowed: libc::cpu_set_t = std::mem::zeroed();
        let size = size_of::<libc::cpu_set_t>();
        if libc::sched_getaffinity(0, size, &raw mut allowed) != 0 {
            return Vec::new();
        }
        let processors = 0..libc::CPU_SETSIZE as usize;
        processors
            .filter(|cpu| libc::CPU_ISSET(*cpu, &allowed))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_may_hold_anything() {
        let stat = "7 (a) b (c)) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 4711 20 21";
        assert_eq!(parse_started(stat).unwrap(), 4711);
        assert!(parse_started("7 (a) S 1").is_err());
    }

    #[test]
    fn the_last_processor_is_not_among_the_others() {
        let last = allowed_processors().pop().unwrap();
        let Some(mask) = mask_of_others() else { return };
        let words: Vec<_> = mask.split(',').rev().collect();
        let word = words.get(last / 32).unwrap_or(&"0");
        assert_eq!(u32::from_str_radix(word, 16).unwrap() >> (last % 32) & 1, 0);
        assert!(words.iter().any(|word| *word != "00000000"));
    }

    #[test]
    fn our_own_start_is_known() {
        assert!(started("self").unwrap() > 0);
    }
}
