//! The kernel's token bucket filter at a host's exit: what a network card's full ring is to a real host.
//!
//! It holds the host's frames back in the host, where TCP sees them and sends no more. The link's own time is
//! the forwarder's business: a token bucket lets the first frames after a pause pass at once.

use std::io;

use netlink_packet_core::DefaultNla;
use netlink_packet_route::RouteNetlinkMessage;
use netlink_packet_route::tc::{TcAttribute, TcHandle, TcMessage, TcOption};
use weft_fabric::{BitRate, Medium};

use crate::kernel::interface::limit_segments;
use crate::kernel::netlink::Netlink;

/// Of linux/pkt_sched.h.
const TCA_TBF_PARMS: u16 = 1;
const TCA_TBF_RATE64: u16 = 4;
const TCA_TBF_BURST: u16 = 6;
const TC_LINKLAYER_ETHERNET: u8 = 1;

/// How much of the link's time TCP hands over at once, as one large segment that is cut into frames behind the
/// bucket. The bucket sets a timer for each, and in a virtual machine a timer costs as much as a frame.
const SEGMENT_US: u64 = 250;
/// What the kernel can cut from one segment.
const MOST_FRAMES: u64 = 40;
/// Headers that a segment has only once.
const SEGMENT_HEADER_BYTES: u32 = 128;

/// A bucket for a link.
#[derive(Debug, PartialEq, Eq)]
pub struct TokenBucket {
    bytes_per_s: u64,
    /// What each segment counts besides its bytes.
    overhead_bytes: u16,
    /// Frames in the largest segment.
    frames: u32,
    segment_bytes: u32,
    limit_bytes: u32,
}

impl TokenBucket {
    /// The bucket for a link's rate and the frames that cross it.
    pub fn new(rate: BitRate, frame_bytes: u32, queue_frames: u32) -> Self {
        let wire_bytes = u64::from(frame_bytes) + Medium::WIRE.overhead_bytes;
        let full_bytes_per_s = (rate.0 / 8 * u64::from(frame_bytes)).div_ceil(wire_bytes);
        let frames = full_bytes_per_s * SEGMENT_US / 1_000_000 / u64::from(frame_bytes);
        let frames = frames.clamp(1, MOST_FRAMES) as u32;
        let (bytes_per_s, overhead_bytes) = match frames {
            // As the link counts: acknowledgements that passed faster would wait behind the bucket, and data with
            // them, more and more of it and unseen by TCP.
            1 => (rate.0 / 8, Medium::WIRE.overhead_bytes as u16),
            // Segments count as if they were one frame, so what their frames need on the wire besides their bytes
            // is taken off the rate. Shorter frames pass too fast here; the link sees to them.
            _ => (full_bytes_per_s, 0),
        };
        let limit_bytes = frame_bytes.saturating_mul(queue_frames);
        Self {
            bytes_per_s,
            overhead_bytes,
            frames,
            segment_bytes: frames * frame_bytes,
            limit_bytes,
        }
    }

    /// Puts the bucket at the exit of an interface.
    pub fn install(&self, netlink: &Netlink, index: u32) -> io::Result<()> {
        limit_segments(netlink, index, self.frames, self.segment_bytes)?;
        let mut message = TcMessage::default();
        message.header.index = index as i32;
        message.header.parent = TcHandle::ROOT;
        message.header.handle = TcHandle { major: 1, minor: 0 };
        message.attributes = vec![
            TcAttribute::Kind("tbf".into()),
            TcAttribute::Options(self.options()),
        ];
        netlink.replace(RouteNetlinkMessage::NewQueueDiscipline(message))
    }

    fn options(&self) -> Vec<TcOption> {
        let attribute = |kind, value| TcOption::Other(DefaultNla::new(kind, value));
        // Room for a second segment, so that a late timer does not let the link run dry.
        let burst = 2 * (self.segment_bytes + SEGMENT_HEADER_BYTES);
        vec![
            attribute(TCA_TBF_PARMS, self.parameters()),
            attribute(TCA_TBF_RATE64, self.bytes_per_s.to_ne_bytes().to_vec()),
            attribute(TCA_TBF_BURST, burst.to_ne_bytes().to_vec()),
        ]
    }

    /// `struct tc_tbf_qopt`: the rate, no peak rate, the limit of the queue.
    fn parameters(&self) -> Vec<u8> {
        const ALIGNMENT: [u8; 2] = [0; 2];
        const PEAK_RATE: [u8; 12] = [0; 12];
        const BUFFER_AND_MTU: [u8; 8] = [0; 8];
        let rate = u32::try_from(self.bytes_per_s).unwrap_or(u32::MAX);
        let mut bytes = vec![0, TC_LINKLAYER_ETHERNET];
        bytes.extend(self.overhead_bytes.to_ne_bytes());
        bytes.extend(ALIGNMENT);
        bytes.extend((Medium::WIRE.least_bytes as u16).to_ne_bytes());
        bytes.extend(rate.to_ne_bytes());
        bytes.extend(PEAK_RATE);
        bytes.extend(self.limit_bytes.to_ne_bytes());
        bytes.extend(BUFFER_AND_MTU);
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bucket(megabits: u64) -> TokenBucket {
        TokenBucket::new(BitRate(megabits * 1_000_000), 1514, 1000)
    }

    #[test]
    fn the_kernel_structure_has_its_size() {
        assert_eq!(bucket(100).parameters().len(), 36);
    }

    #[test]
    fn full_frames_pass_at_the_rate_of_the_link() {
        // 12.5 MB/s on the wire carry 1514 bytes of frame in 1538.
        assert_eq!(bucket(100).bytes_per_s, 12_304_942);
    }

    #[test]
    fn where_each_frame_is_a_segment_it_counts_as_on_the_link() {
        let slow = bucket(10);
        assert_eq!((slow.bytes_per_s, slow.overhead_bytes), (1_250_000, 24));
        assert_eq!(bucket(100).overhead_bytes, 0);
    }

    #[test]
    fn segments_grow_with_the_rate() {
        let frames = [10, 100, 1000, 100_000].map(|megabits| bucket(megabits).frames);
        assert_eq!(frames, [1, 2, 20, 40]);
    }
}
