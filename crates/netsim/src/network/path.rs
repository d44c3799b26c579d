//! What a path costs a message that has it for itself.

/// One hop: something that stores a frame and forwards it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hop {
    /// From a frame's last bit leaving to its arriving.
    pub delay_s: f64,
    /// Bits per second on the wire; infinite where it takes no time.
    pub bits_per_s: f64,
    /// The largest IP packet; none where it carries any.
    pub mtu_bytes: Option<u32>,
}

/// The hops between two hosts, added up.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Path {
    /// All delays.
    pub delay_s: f64,
    /// How long a bit is on wires, all hops added up.
    pub s_per_bit: f64,
    /// The same for the slowest hop alone.
    pub slowest_s_per_bit: f64,
    /// The largest IP packet that passes all hops.
    pub mtu_bytes: u32,
    /// What a single connection gets at most, however few there are: bit/s.
    pub own_bits_per_s: f64,
}

const DEFAULT_MTU_BYTES: u32 = 1500;

impl Path {
    /// The way of these hops.
    pub fn of(hops: impl IntoIterator<Item = Hop>) -> Self {
        let mut path = Self {
            delay_s: 0.0,
            s_per_bit: 0.0,
            slowest_s_per_bit: 0.0,
            mtu_bytes: u32::MAX,
            own_bits_per_s: f64::INFINITY,
        };
        for hop in hops {
            path.add(hop);
        }
        if path.mtu_bytes == u32::MAX {
            path.mtu_bytes = DEFAULT_MTU_BYTES;
        }
        path
    }

    /// The way of so many hops that are all alike.
    pub fn alike(hop: Hop, count: u32) -> Self {
        if count == 0 {
            return Self::of([]);
        }
        let (count, one) = (f64::from(count), Self::of([hop]));
        Self {
            delay_s: count * one.delay_s,
            s_per_bit: count * one.s_per_bit,
            ..one
        }
    }

    fn add(&mut self, hop: Hop) {
        let s_per_bit = 1.0 / hop.bits_per_s;
        self.delay_s += hop.delay_s;
        self.s_per_bit += s_per_bit;
        self.slowest_s_per_bit = self.slowest_s_per_bit.max(s_per_bit);
        self.mtu_bytes = self.mtu_bytes.min(hop.mtu_bytes.unwrap_or(u32::MAX));
    }

    /// What a message takes besides its time at the rate of the slowest hop: its first frame waits at each hop until
    /// it is complete.
    pub fn latency_s(&self, first_frame_bytes: u64) -> f64 {
        let bits = first_frame_bytes as f64 * 8.0;
        self.delay_s + bits * (self.s_per_bit - self.slowest_s_per_bit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_is_stored_at_every_hop_but_the_slowest_counts_with_the_rate() {
        let hop = |bits_per_s| Hop {
            delay_s: 5e-6,
            bits_per_s,
            mtu_bytes: Some(1500),
        };
        let path = Path::of([hop(1e8), hop(1e9), hop(1e8), hop(f64::INFINITY)]);
        let frame_s = 1538.0 * 8.0 / 1e8;
        assert!((path.latency_s(1538) - (20e-6 + 1.1 * frame_s)).abs() < 1e-12);
        assert_eq!(Path::of([]).latency_s(1538), 0.0);
    }
}
