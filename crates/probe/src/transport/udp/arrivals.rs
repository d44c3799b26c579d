//! What arrived of a batch: how many, in which order, how evenly.

use crate::transport::delivery::Delivery;

/// The header of a streamed message: batch, number in the batch, when it was sent.
pub const HEADER_BYTES: usize = 16;

/// The header of a streamed message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    pub batch: u32,
    pub number: u32,
    /// On the sender's clock.
    pub sent_ns: u64,
}

impl Header {
    #[inline]
    pub fn write(self, message: &mut [u8]) {
        message[..4].copy_from_slice(&self.batch.to_le_bytes());
        message[4..8].copy_from_slice(&self.number.to_le_bytes());
        message[8..HEADER_BYTES].copy_from_slice(&self.sent_ns.to_le_bytes());
    }

    /// The header of a message that is long enough to have one.
    #[inline]
    pub fn read(message: &[u8]) -> Option<Header> {
        let (batch, rest) = message.split_first_chunk::<4>()?;
        let (number, rest) = rest.split_first_chunk::<4>()?;
        let (sent_ns, _) = rest.split_first_chunk::<8>()?;
        Some(Header {
            batch: u32::from_le_bytes(*batch),
            number: u32::from_le_bytes(*number),
            sent_ns: u64::from_le_bytes(*sent_ns),
        })
    }
}

/// Counts the arrivals of one batch.
pub struct Arrivals {
    batch: u32,
    seen: Vec<u64>,
    messages: u32,
    received: u32,
    duplicated: u32,
    reordered: u32,
    highest: Option<u32>,
    first_ns: u64,
    last_ns: u64,
    latest: Option<(u64, u64)>,
    jitter_ns: f64,
}

impl Arrivals {
    pub fn new(batch: u32, messages: u32) -> Arrivals {
        Arrivals {
            batch,
            seen: vec![0; messages.div_ceil(64) as usize],
            messages,
            received: 0,
            duplicated: 0,
            reordered: 0,
            highest: None,
            first_ns: 0,
            last_ns: 0,
            latest: None,
            jitter_ns: 0.0,
        }
    }

    pub fn is_complete(&self) -> bool {
        self.received == self.messages
    }

    pub fn last_ns(&self) -> u64 {
        self.last_ns
    }

    /// Count a message that arrived at `now_ns`; what is not of this batch is left out.
    #[inline]
    pub fn note(&mut self, header: Header, now_ns: u64) {
        if header.batch != self.batch || header.number >= self.messages {
            return;
        }
        let (word, bit) = (header.number as usize / 64, 1 << (header.number % 64));
        if self.seen[word] & bit != 0 {
            self.duplicated += 1;
            return;
        }
        self.seen[word] |= bit;
        self.received += 1;
        // RFC 4737, section 3: reordered is what comes after a message with a higher number.
        if self.highest.is_some_and(|highest| header.number < highest) {
            self.reordered += 1;
        } else {
            self.highest = Some(header.number);
        }
        if self.received == 1 {
            self.first_ns = now_ns;
        }
        self.last_ns = now_ns;
        self.note_jitter(header.sent_ns, now_ns);
    }

    /// RFC 3550, section 6.4.1: the mean deviation of the time between two arrivals from that between their sendings.
    #[inline]
    fn note_jitter(&mut self, sent_ns: u64, now_ns: u64) {
        if let Some((sent_before_ns, before_ns)) = self.latest.replace((sent_ns, now_ns)) {
            let apart_ns = now_ns.wrapping_sub(before_ns) as i64;
            let sent_apart_ns = sent_ns.wrapping_sub(sent_before_ns) as i64;
            let deviation_ns = apart_ns.wrapping_sub(sent_apart_ns).unsigned_abs() as f64;
            self.jitter_ns += (deviation_ns - self.jitter_ns) / 16.0;
        }
    }

    /// The account of the batch; `overrun` are those that the receiving socket had no room for.
    pub fn delivery(&self, overrun: u32) -> Delivery {
        Delivery {
            sent: self.messages,
            received: self.received,
            duplicated: self.duplicated,
            reordered: self.reordered,
            overrun,
            jitter_ns: self.jitter_ns as u64,
            span_ns: self.last_ns - self.first_ns,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noted(numbers: &[u32], messages: u32) -> Arrivals {
        let mut arrivals = Arrivals::new(7, messages);
        for (time_ns, number) in (0..).map(|index| index * 1000).zip(numbers) {
            let header = Header {
                batch: 7,
                number: *number,
                sent_ns: u64::from(*number) * 1000,
            };
            arrivals.note(header, time_ns);
        }
        arrivals
    }

    #[test]
    fn losses_duplicates_and_late_ones_are_told_apart() {
        let delivery = noted(&[0, 1, 3, 2, 2, 6], 8).delivery(0);
        assert_eq!(delivery.received, 5);
        assert_eq!(delivery.lost(), 3);
        assert_eq!((delivery.duplicated, delivery.reordered), (1, 1));
        assert_eq!(delivery.span_ns, 5000);
    }

    #[test]
    fn an_even_stream_has_no_jitter() {
        assert_eq!(noted(&[0, 1, 2, 3], 4).delivery(0).jitter_ns, 0);
        assert!(noted(&[0, 2, 3], 4).delivery(0).jitter_ns > 0);
    }

    #[test]
    fn what_belongs_to_another_batch_is_left_out() {
        let mut arrivals = noted(&[0], 2);
        let stale = Header {
            batch: 6,
            number: 1,
            sent_ns: 0,
        };
        arrivals.note(stale, 1);
        assert!(!arrivals.is_complete());
    }

    #[test]
    fn a_header_survives_its_message() {
        let header = Header {
            batch: 1,
            number: 2,
            sent_ns: 3,
        };
        let mut message = [0; 20];
        header.write(&mut message);
        assert_eq!(Header::read(&message), Some(header));
        assert_eq!(Header::read(&message[..15]), None);
    }
}
