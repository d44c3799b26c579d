//! Which bytes of a stream are there, where segments overtake each other.

use std::collections::BTreeMap;

/// Bytes are counted from the stream's start.
#[derive(Debug, Clone, Default)]
pub struct Stream {
    upto: u64,
    /// Segments behind a gap: where each begins, and ends.
    ahead: BTreeMap<u64, u64>,
}

impl Stream {
    /// Everything before this byte is there.
    pub fn upto(&self) -> u64 {
        self.upto
    }

    /// Segments that are there behind a gap.
    pub fn ahead(&self) -> u32 {
        self.ahead.len() as u32
    }

    /// Takes a segment in. Whether it was missing.
    pub fn add(&mut self, first: u64, bytes: u64) -> bool {
        let end = first + bytes;
        if first > self.upto {
            return self.ahead.insert(first, end).is_none();
        }
        let is_new = end > self.upto;
        self.upto = self.upto.max(end);
        while let Some(next) = self.ahead.first_entry() {
            if *next.key() > self.upto {
                break;
            }
            self.upto = self.upto.max(next.remove());
        }
        is_new
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_closes_a_gap_makes_all_behind_it_readable() {
        let mut stream = Stream::default();
        assert!(stream.add(10, 10) && stream.add(30, 10));
        assert_eq!((stream.upto(), stream.ahead()), (0, 2));
        assert!(stream.add(0, 10));
        assert_eq!((stream.upto(), stream.ahead()), (20, 1));
        assert!(stream.add(20, 10));
        assert_eq!((stream.upto(), stream.ahead()), (40, 0));
    }

    #[test]
    fn what_was_sent_twice_counts_once() {
        let mut stream = Stream::default();
        assert!(stream.add(10, 10) && !stream.add(10, 10));
        assert!(stream.add(0, 10) && !stream.add(0, 10));
        assert_eq!((stream.upto(), stream.ahead()), (20, 0));
    }
}
