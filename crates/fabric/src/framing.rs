//! How a message becomes frames: what the wire carries for the bytes that count.

/// Headers and gaps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Framing {
    /// TCP over IPv4 over Ethernet: each segment with 52 bytes of IP, TCP and time stamps, 14 of Ethernet, and around
    /// the frame checksum (4), preamble (8) and gap (12); no frame is shorter than 84 bytes with all of them
    /// (IEEE 802.3, clauses 3 and 4; RFC 7323).
    Ethernet,
    /// Capacities are what messages get: nothing is added.
    Bare,
}

/// IPv4 and TCP with time stamps (RFC 791, 9293, 7323).
pub const IP_AND_TCP_BYTES: u32 = 52;
/// Of that TCP's options: time stamps, and two bytes that fill the word.
pub const TIME_STAMP_BYTES: u32 = 12;
/// Ethernet's header, which is part of a frame but not of the packet in it.
pub const ETHERNET_BYTES: u32 = 14;

/// What a frame occupies of a medium: a wire, or the inside of a switch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Medium {
    /// Besides the frame with its header.
    pub overhead_bytes: u64,
    /// The shortest frame (60), with that.
    pub least_bytes: u64,
}

impl Medium {
    /// Checksum (4), preamble (8) and the gap to the next frame (12).
    pub const WIRE: Self = Self::with_overhead(24);
    /// The checksum only.
    pub const INSIDE: Self = Self::with_overhead(4);

    const fn with_overhead(overhead_bytes: u64) -> Self {
        Self {
            overhead_bytes,
            least_bytes: 60 + overhead_bytes,
        }
    }

    /// What a frame of so many bytes occupies.
    pub fn occupied_bytes(self, frame_bytes: u64) -> u64 {
        (frame_bytes + self.overhead_bytes).max(self.least_bytes)
    }
}

impl Framing {
    /// Payload of the largest segment that packets of a size carry.
    pub fn segment_bytes(self, mtu_bytes: u32) -> u64 {
        segment_bytes(mtu_bytes)
    }

    /// Wire bytes of a stream of so many bytes, cut into segments as large as the packets allow.
    pub fn wire_bytes(self, bytes: u64, mtu_bytes: u32) -> u64 {
        match self {
            Self::Bare => bytes,
            Self::Ethernet => {
                let segments = bytes.div_ceil(segment_bytes(mtu_bytes)).max(1);
                let headers = u64::from(IP_AND_TCP_BYTES + ETHERNET_BYTES);
                let all = bytes + segments * (headers + Medium::WIRE.overhead_bytes);
                all.max(Medium::WIRE.least_bytes)
            }
        }
    }

    /// Wire bytes of the first frame of a message.
    pub fn first_frame_bytes(self, bytes: u64, mtu_bytes: u32) -> u64 {
        match self {
            // Nothing is known of packets: what stores nothing delays nothing.
            Self::Bare => 0,
            Self::Ethernet => self.wire_bytes(bytes.min(segment_bytes(mtu_bytes)), mtu_bytes),
        }
    }

    /// Wire bits for each bit of a long stream.
    pub fn expansion(self, mtu_bytes: u32) -> f64 {
        let segment = segment_bytes(mtu_bytes);
        match self {
            Self::Bare => 1.0,
            Self::Ethernet => self.wire_bytes(segment, mtu_bytes) as f64 / segment as f64,
        }
    }

    /// Wire bits of acknowledgements for each wire bit of a long stream, where one is sent for so many full segments:
    /// two with delayed acknowledgements (RFC 1122, section 4.2.3.2; RFC 5681, section 4.2). None where nothing is known
    /// of frames, or for 0 segments.
    pub fn acknowledgement(self, mtu_bytes: u32, segments: u32) -> f64 {
        match (self, segments) {
            (Self::Bare, _) | (_, 0) => 0.0,
            (Self::Ethernet, segments) => {
                let data = self.wire_bytes(segment_bytes(mtu_bytes), mtu_bytes);
                let empty = self.wire_bytes(0, mtu_bytes);
                empty as f64 / (u64::from(segments) * data) as f64
            }
        }
    }

    /// How much more of the same frames passes a rate inside of a switch, where preamble and gap do not count.
    pub fn inside_gain(self, mtu_bytes: u32) -> f64 {
        let frame_bytes = u64::from(mtu_bytes + ETHERNET_BYTES);
        let [wire, inside] =
            [Medium::WIRE, Medium::INSIDE].map(|one| one.occupied_bytes(frame_bytes) as f64);
        match self {
            Self::Bare => 1.0,
            Self::Ethernet => wire / inside,
        }
    }
}

fn segment_bytes(mtu_bytes: u32) -> u64 {
    u64::from(mtu_bytes.saturating_sub(IP_AND_TCP_BYTES).max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_frame_has_1538_bytes_for_1448() {
        assert_eq!(Framing::Ethernet.wire_bytes(1448, 1500), 1538);
        assert_eq!(Framing::Ethernet.wire_bytes(1449, 1500), 1538 + 91);
        assert_eq!(Framing::Ethernet.wire_bytes(1, 1500), 91);
        assert_eq!(Framing::Ethernet.wire_bytes(0, 1500), 90);
        assert_eq!(Framing::Ethernet.expansion(1500), 1538.0 / 1448.0);
        assert_eq!(Framing::Ethernet.inside_gain(1500), 1538.0 / 1518.0);
    }

    #[test]
    fn an_acknowledgement_is_a_frame_without_payload() {
        let of = |segments| Framing::Ethernet.acknowledgement(1500, segments);
        assert_eq!([of(1), of(2), of(0)], [90.0 / 1538.0, 90.0 / 3076.0, 0.0]);
        assert_eq!(Framing::Bare.acknowledgement(1500, 2), 0.0);
    }

    #[test]
    fn bare_messages_are_what_they_are() {
        assert_eq!(Framing::Bare.wire_bytes(7, 1500), 7);
        assert_eq!(Framing::Bare.first_frame_bytes(7, 1500), 0);
        assert_eq!(Framing::Bare.expansion(1500), 1.0);
    }
}
