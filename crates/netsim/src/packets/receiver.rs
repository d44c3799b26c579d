//! The end that receives: what has arrived, and when to say so.

/// Of the first segments each is acknowledged by itself, so that the sender's window grows at once (Linux).
const QUICK_SEGMENTS: u64 = 16;

/// What a receiver says: all before `upto` has arrived, and of what follows these ranges, without their ends.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Acknowledgement {
    pub upto: u64,
    pub beyond: Vec<(u64, u64)>,
}

/// When to acknowledge a segment (RFC 5681, section 4.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    Now,
    /// Unless another segment comes first.
    Later,
}

/// One end of a connection.
#[derive(Debug, Default)]
pub struct Receiver {
    said: Acknowledgement,
    unanswered: u32,
}

impl Receiver {
    /// Takes a segment; it is acknowledged with others until there are `segments_per_ack`, or at once where one is
    /// missing or comes late.
    pub fn take(&mut self, segment: u64, segments_per_ack: u32) -> Answer {
        let was_whole = self.said.beyond.is_empty();
        if segment != self.said.upto {
            self.keep_for_later(segment);
            return Answer::Now;
        }
        self.said.upto += 1;
        if let Some((_, end)) = self
            .said
            .beyond
            .first()
            .filter(|next| next.0 == segment + 1)
        {
            self.said.upto = *end;
            self.said.beyond.remove(0);
        }
        self.unanswered += 1;
        let is_first = segment < QUICK_SEGMENTS;
        match was_whole && !is_first && self.unanswered < segments_per_ack {
            true => Answer::Later,
            false => Answer::Now,
        }
    }

    /// What there is to say; nothing is unanswered any more.
    pub fn answer(&mut self) -> Acknowledgement {
        self.unanswered = 0;
        self.said.clone()
    }

    /// Whether something arrived that nothing was said of.
    pub fn owes(&self) -> bool {
        self.unanswered > 0
    }

    /// How many segments have arrived with all before them.
    pub fn segments(&self) -> u64 {
        self.said.upto
    }

    /// Ranges stay in order and apart from each other.
    fn keep_for_later(&mut self, segment: u64) {
        let ranges = &mut self.said.beyond;
        let at = ranges.partition_point(|range| range.1 < segment);
        match ranges.get_mut(at) {
            _ if segment < self.said.upto => {}
            Some(range) if range.0 <= segment && segment < range.1 => {}
            Some(range) if range.1 == segment => {
                range.1 += 1;
                let end = range.1;
                if let Some(next) = ranges.get(at + 1).copied().filter(|next| next.0 == end) {
                    ranges[at].1 = next.1;
                    ranges.remove(at + 1);
                }
            }
            Some(range) if range.0 == segment + 1 => range.0 = segment,
            _ => ranges.insert(at, (segment, segment + 1)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_second_segment_is_acknowledged_after_the_first_ones() {
        let mut receiver = Receiver::default();
        let mut take = |segment| match receiver.take(segment, 2) {
            Answer::Now => receiver.answer().upto,
            Answer::Later => 0,
        };
        let found: Vec<_> = (0..20).map(&mut take).collect();
        assert_eq!(found[14..], [15, 16, 0, 18, 0, 20]);
    }

    #[test]
    fn what_is_missing_is_said_at_once_and_in_ranges() {
        let mut receiver = Receiver::default();
        for segment in [1, 3, 5, 4, 3, 7] {
            assert_eq!(receiver.take(segment, 2), Answer::Now);
        }
        let said = receiver.answer();
        assert_eq!((said.upto, said.beyond), (0, vec![(1, 2), (3, 6), (7, 8)]));
        receiver.take(0, 2);
        receiver.take(2, 2);
        let said = receiver.answer();
        assert_eq!((said.upto, said.beyond), (6, vec![(7, 8)]));
        receiver.take(1, 2);
        assert_eq!(receiver.segments(), 6, "what comes twice changes nothing");
    }
}
