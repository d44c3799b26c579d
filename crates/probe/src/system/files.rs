//! Settings of the kernel, as files say them.

use std::fs;

/// The first line of a file, where it can be read.
pub fn line(path: &str) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    Some(text.lines().next()?.trim().to_owned())
}

/// A file with one number.
pub fn number(path: &str) -> Option<i64> {
    line(path)?.parse().ok()
}

/// The last of the numbers in a file: the most that tcp_rmem and tcp_wmem allow.
pub fn last_number(path: &str) -> Option<i64> {
    line(path)?.split_whitespace().last()?.parse().ok()
}
