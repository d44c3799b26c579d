//! What the interfaces of this node have carried, as the kernel counts it.

use std::collections::BTreeMap;
use std::fs;

/// Of each interface of this network namespace eight numbers of what was received (bytes, packets, errors, drops ...)
/// and eight of what was sent; nothing where the system hides them.
pub fn read() -> BTreeMap<String, [u64; 16]> {
    parse(&fs::read_to_string("/proc/thread-self/net/dev").unwrap_or_default())
}

/// Bytes received and sent by each.
pub fn bytes() -> BTreeMap<String, [u64; 2]> {
    let all = read().into_iter();
    all.map(|(name, numbers)| (name, [numbers[0], numbers[8]]))
        .collect()
}

/// Errors of receiving and sending of each.
pub fn errors() -> BTreeMap<String, u64> {
    let all = read().into_iter();
    all.map(|(name, numbers)| (name, numbers[2] + numbers[10]))
        .collect()
}

fn parse(text: &str) -> BTreeMap<String, [u64; 16]> {
    let lines = text.lines().filter_map(of_line);
    lines
        .map(|(name, numbers)| (name.to_owned(), numbers))
        .collect()
}

/// An interface's line: a name, a colon, and the numbers. The two lines of headings are none.
pub fn of_line(line: &str) -> Option<(&str, [u64; 16])> {
    let (name, numbers) = line.split_once(':')?;
    let mut numbers = numbers.split_ascii_whitespace();
    let mut found = [0; 16];
    for number in &mut found {
        *number = numbers.next()?.parse().ok()?;
    }
    Some((name.trim(), found))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_of_the_whole_name() {
        let text = "Inter-|   Receive  |  Transmit\n face |bytes packets|bytes packets\n\
                    eth1: 10 2 3 4 5 6 7 8 90 11 12 13 14 15 16 17\n\
                    eth10: 1 1 7 8 0 0 0 0 9 9 0 0 0 0 0 0\n";
        let found = parse(text);
        let some = |name| [0, 2, 3, 8].map(|at: usize| found[name][at]);
        assert_eq!(some("eth1"), [10, 3, 4, 90]);
        assert_eq!(some("eth10"), [1, 7, 8, 9]);
        assert_eq!(found.len(), 2);
    }

    #[test]
    fn loopback_is_counted() {
        assert!(read().contains_key("lo"));
    }
}
