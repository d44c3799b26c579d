//! One end of a TCP connection: buffers, windows, acknowledgements (RFC 9293, 1122).

use std::collections::VecDeque;

use super::job::Header;
use super::stream::Stream;

/// What a segment takes of the send buffer besides its bytes: the kernel's notes about it (Linux: struct sk_buff with
/// its shared part, which `truesize` counts). Without it tiny segments could fill the other end's whole window.
pub const NOTES_BYTES: u64 = 256;
/// So many segments behind a gap mean that what is missing is lost (RFC 6675: DupThresh; Linux: tcp_reordering). Once what
/// was thought to be lost came late, Linux waits for as many as it saw then, and not more than TCP_MAX_REORDERING.
const LEAST_REORDERING: u32 = 3;
const MOST_REORDERING: u32 = 127;

/// Bytes are counted from the connection's start.
#[derive(Debug, Clone, Default)]
pub struct Connection {
    /// What is handed to the driver at once: a packet's payload, or as many of them as a large send has.
    pub segment_bytes: u64,
    /// The payload of a packet.
    pub packet_bytes: u64,
    /// So many large sends a window has room for.
    large_sends: u64,
    send_buffer_bytes: u64,
    receive_buffer_bytes: u64,
    /// Sent before `copied` was acknowledged (Nagle) only in whole segments.
    nagle: bool,
    /// What the application wrote.
    copied: u64,
    sent: u64,
    acknowledged: u64,
    /// Where the segments end that are on their way.
    ends: VecDeque<u64>,
    /// What the other end lets us send.
    send_edge: u64,
    /// What protocol processing has seen.
    received: Stream,
    /// What the reader can have.
    readable: Stream,
    consumed: u64,
    advertised: u64,
    unacknowledged_segments: u32,
    /// Something arrived out of order, or twice: what the sender must know at once (RFC 5681, 4.2).
    is_out_of_order: bool,
    reordering: u32,
    /// Of the segment that is missing at the other end: how many are there behind it, and whether it was sent again.
    overtaken: u32,
    is_resent: bool,
}

impl Connection {
    pub fn new(segment_bytes: u64, send_bytes: u64, receive_bytes: u64, nagle: bool) -> Self {
        Self {
            // No more than half of the other's window, so that there are two on their way.
            segment_bytes: segment_bytes.min((receive_bytes / 2).max(1)),
            packet_bytes: segment_bytes.min((receive_bytes / 2).max(1)),
            large_sends: 1,
            send_buffer_bytes: send_bytes,
            receive_buffer_bytes: receive_bytes,
            nagle,
            send_edge: receive_bytes,
            advertised: receive_bytes,
            reordering: LEAST_REORDERING,
            ..Self::default()
        }
    }

    /// Whole packets up to so many bytes go to the driver as one; 0 is one packet. A window has room for `large_sends` of
    /// them, so that some are on their way while the next is copied and the last is read.
    pub fn with_large_send(mut self, most_bytes: u64, large_sends: u32) -> Self {
        self.large_sends = u64::from(large_sends);
        let most_bytes = most_bytes.min(self.receive_buffer_bytes / self.large_sends);
        let packets = (most_bytes / self.packet_bytes).max(1);
        self.segment_bytes = packets * self.packet_bytes;
        self
    }

    /// How much of `left` bytes the writer may copy now; nothing before a third of the buffer or a segment is free.
    pub fn writable(&self, left: u64) -> u64 {
        let used = self.copied - self.acknowledged + NOTES_BYTES * self.ends.len() as u64;
        let free = self.send_buffer_bytes.saturating_sub(used);
        let chunk = left.min(self.segment_bytes);
        match free >= chunk.min(self.send_buffer_bytes / 3) {
            true => chunk.min(free),
            false => 0,
        }
    }

    pub fn write(&mut self, bytes: u64) {
        self.copied += bytes;
    }

    /// Takes out the next segment that may go; what is less than a whole one only when `push`ed.
    pub fn next_segment(&mut self, push: bool) -> Option<u64> {
        let unsent = self.copied - self.sent;
        let is_idle = self.sent == self.acknowledged;
        let whole = unsent.min(self.segment_bytes);
        if whole == 0 || (whole < self.segment_bytes && !(push && (is_idle || !self.nagle))) {
            return None;
        }
        let bytes = self.in_window(whole, is_idle);
        if bytes == 0 {
            return None;
        }
        self.sent += bytes;
        self.ends.push_back(self.sent);
        Some(bytes)
    }

    /// How much of a segment may go now. Of a large send go the packets that the window has room for, if that is its part
    /// of the window (Linux: tcp_tso_should_defer); a little only if nothing else could open it (RFC 1122, 4.2.3.4).
    fn in_window(&self, whole: u64, is_idle: bool) -> u64 {
        let (window, offered) = (self.window(), self.send_edge - self.acknowledged);
        let packets = window / self.packet_bytes * self.packet_bytes;
        match () {
            _ if window >= whole => whole,
            _ if packets > 0 && self.large_sends * window >= offered => packets,
            _ if is_idle => window,
            _ => 0,
        }
    }

    pub fn sent(&self) -> u64 {
        self.sent
    }

    /// What was sent and not acknowledged.
    pub fn in_flight(&self) -> u64 {
        self.sent - self.acknowledged
    }

    /// What may be sent now.
    pub fn window(&self) -> u64 {
        self.send_edge - self.sent
    }

    pub fn acknowledged(&self) -> u64 {
        self.acknowledged
    }

    /// What a frame says that leaves now; it takes the acknowledgement along.
    pub fn header(&mut self) -> Header {
        self.unacknowledged_segments = 0;
        self.is_out_of_order = false;
        self.advertised = self.edge();
        Header::Tcp {
            acknowledged: self.received.upto(),
            edge: self.advertised,
            ahead: self.received.ahead(),
        }
    }

    /// What the other end said.
    pub fn acknowledge(&mut self, acknowledged: u64, edge: u64, ahead: u32) {
        self.learn_order(acknowledged, ahead);
        self.acknowledged = self.acknowledged.max(acknowledged);
        while self.ends.front().is_some_and(|end| *end <= acknowledged) {
            self.ends.pop_front();
        }
        self.send_edge = self.send_edge.max(edge);
    }

    /// Segments that the other end has behind a gap. Nothing is lost on the way, so that what fills the gap came late.
    fn learn_order(&mut self, acknowledged: u64, ahead: u32) {
        if acknowledged > self.acknowledged {
            let seen = self.overtaken.min(MOST_REORDERING - 1) + 1;
            self.reordering = self.reordering.max(seen);
            (self.overtaken, self.is_resent) = (0, false);
        }
        if acknowledged >= self.acknowledged {
            self.overtaken = self.overtaken.max(ahead);
        }
    }

    /// Takes out a segment that the other end seems to have lost, to be sent once more: where it begins, and its bytes.
    pub fn lost_segment(&mut self) -> Option<(u64, u64)> {
        if self.is_resent || self.overtaken < self.reordering {
            return None;
        }
        self.is_resent = true;
        let end = self.ends.front()?;
        Some((self.acknowledged, end - self.acknowledged))
    }

    pub fn receive(&mut self, first: u64, bytes: u64) {
        let had_gap = self.received.ahead() > 0;
        let is_new = self.received.add(first, bytes);
        self.is_out_of_order |= had_gap || self.received.ahead() > 0 || !is_new;
        let packets = bytes.div_ceil(self.packet_bytes);
        self.unacknowledged_segments += packets as u32;
    }

    pub fn deliver(&mut self, first: u64, bytes: u64) {
        self.readable.add(first, bytes);
    }

    pub fn delivered(&self) -> u64 {
        self.readable.upto()
    }

    /// How much of `left` bytes the reader may copy now.
    pub fn available(&self, left: u64) -> u64 {
        let there = self.readable.upto() - self.consumed;
        left.min(there).min(self.segment_bytes)
    }

    pub fn consume(&mut self, bytes: u64) {
        self.consumed += bytes;
    }

    /// Every second segment is acknowledged at once (RFC 1122, 4.2.3.2), and each that comes out of order.
    pub fn owes_acknowledgement(&self) -> bool {
        self.unacknowledged_segments >= 2 || self.is_out_of_order
    }

    pub fn has_unacknowledged(&self) -> bool {
        self.unacknowledged_segments > 0
    }

    /// Whether the reader made so much room that the sender must hear of it.
    pub fn owes_window(&self) -> bool {
        let opened = self.edge() - self.advertised;
        opened
            >= (2 * self.segment_bytes)
                .min(self.receive_buffer_bytes / 2)
                .max(1)
    }

    fn edge(&self) -> u64 {
        self.consumed + self.receive_buffer_bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEGMENT: u64 = 10;

    fn connection() -> Connection {
        let mut connection = Connection::new(SEGMENT, 100_000, 1000, false);
        connection.write(20 * SEGMENT);
        while connection.next_segment(true).is_some() {}
        connection
    }

    #[test]
    fn a_window_has_room_for_several_large_sends() {
        let new = || Connection::new(SEGMENT, 100_000, 1000, false);
        assert_eq!(new().with_large_send(0, 3).segment_bytes, SEGMENT);
        assert_eq!(new().with_large_send(200, 3).segment_bytes, 200);
        assert_eq!(new().with_large_send(900, 3).segment_bytes, 330);
        assert_eq!(new().with_large_send(900, 8).segment_bytes, 120);
    }

    #[test]
    fn of_a_large_send_goes_what_the_window_has_room_for_if_that_is_its_part() {
        let mut writer = Connection::new(SEGMENT, 100_000, 1000, false).with_large_send(900, 3);
        writer.write(2000);
        let sent: Vec<_> = std::iter::from_fn(|| writer.next_segment(true)).collect();
        assert_eq!(sent, [330, 330, 330]);
        // 205 B are open of 1000 that are offered, then 345.
        writer.acknowledge(195, 1195, 0);
        assert_eq!(writer.next_segment(true), None);
        writer.acknowledge(325, 1325, 0);
        assert_eq!(writer.next_segment(true), Some(330));
        // The other end reads slowly and offers less: 105 of 300.
        writer.acknowledge(1125, 1425, 0);
        assert_eq!(writer.next_segment(true), Some(100));
    }

    #[test]
    fn what_comes_out_of_order_is_acknowledged_at_once() {
        let mut reader = connection();
        reader.receive(SEGMENT, SEGMENT);
        assert!(reader.owes_acknowledgement());
        let Header::Tcp {
            acknowledged,
            ahead,
            ..
        } = reader.header()
        else {
            panic!("not TCP's");
        };
        assert_eq!((acknowledged, ahead), (0, 1));
        reader.receive(0, SEGMENT);
        assert!(reader.owes_acknowledgement());
        reader.header();
        reader.receive(2 * SEGMENT, SEGMENT);
        assert!(!reader.owes_acknowledgement());
    }

    #[test]
    fn three_segments_behind_a_gap_have_what_is_missing_sent_again_once() {
        let mut writer = connection();
        writer.acknowledge(SEGMENT, 1000, 2);
        assert_eq!(writer.lost_segment(), None);
        writer.acknowledge(SEGMENT, 1000, 3);
        assert_eq!(writer.lost_segment(), Some((SEGMENT, SEGMENT)));
        writer.acknowledge(SEGMENT, 1000, 4);
        assert_eq!(writer.lost_segment(), None);
    }

    #[test]
    fn a_writer_learns_how_far_segments_overtake_each_other() {
        let mut writer = connection();
        writer.acknowledge(0, 1000, 5);
        assert!(writer.lost_segment().is_some());
        writer.acknowledge(6 * SEGMENT, 1000, 0);
        writer.acknowledge(6 * SEGMENT, 1000, 5);
        assert_eq!(writer.lost_segment(), None);
        writer.acknowledge(6 * SEGMENT, 1000, 6);
        assert!(writer.lost_segment().is_some());
    }
}
