//! What the interfaces of this node have carried, as the kernel counts it.

use std::collections::BTreeMap;
use std::fs;

/// Bytes received and sent by each interface of this network namespace; nothing where the system hides it.
pub fn read() -> BTreeMap<String, [u64; 2]> {
    let text = fs::read_to_string("/proc/thread-self/net/dev").unwrap_or_default();
    parse(&text)
}

/// After two lines of headings: a name and a colon, eight numbers of what was received, eight of what was sent.
fn parse(text: &str) -> BTreeMap<String, [u64; 2]> {
    let line = |line: &str| {
        let (name, numbers) = line.split_once(':')?;
        let mut numbers = numbers.split_whitespace();
        let received = numbers.next()?.parse().ok()?;
        let sent = numbers.nth(7)?.parse().ok()?;
        Some((name.trim().to_owned(), [received, sent]))
    };
    text.lines().filter_map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_the_first_numbers_of_each_half() {
        let text = "Inter-|   Receive  |  Transmit\n face |bytes packets|bytes packets\n\
                    eth1: 10 2 3 4 5 6 7 8 90 11 12 13 14 15 16 17\n";
        let found: Vec<_> = parse(text).into_iter().collect();
        assert_eq!(found, [("eth1".to_owned(), [10, 90])]);
    }

    #[test]
    fn loopback_is_counted() {
        assert!(read().contains_key("lo"));
    }
}
