//! Which host sends to which, and what came of it.

/// Which host sends to which, and what is crossed.
#[derive(Debug, Clone)]
pub struct Connection {
    /// Hosts, by which a shared queue counts waiting frames.
    pub src: usize,
    pub dst: usize,
    /// Limits by index, in their order, there and back.
    pub there: Vec<u32>,
    pub back: Vec<u32>,
    /// A full segment and an empty one, as on a wire.
    pub frame_bytes: u64,
    pub ack_bytes: u64,
    /// Full segments that are acknowledged at a time.
    pub segments_per_ack: u32,
    /// Segments on their way at most.
    pub most_segments: u32,
    /// How many there are in all; `ENDLESS` where it always has more.
    pub segments: u64,
}

/// Of a connection that is carried for a time.
pub const ENDLESS: u64 = u64::MAX;

/// From when and until when what arrives is counted, from the beginning of all.
#[derive(Debug, Clone, Copy)]
pub struct Span {
    pub from_ns: u64,
    pub until_ns: u64,
}

/// What became of connections that were carried to their end, in their order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Completed {
    /// From the beginning of each to the arrival of its last segment.
    pub took_ns: Vec<u64>,
    /// As in `Carried`.
    pub lost: Vec<Vec<u64>>,
    pub frames: u64,
}

/// What became of connections that were carried for a time, in their order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Carried {
    /// Full segments that arrived in the span, each once and with all before them.
    pub segments: Vec<u64>,
    /// For each how many of its frames were lost at each limit of its path there.
    pub lost: Vec<Vec<u64>>,
    /// How often a frame came to a limit.
    pub frames: u64,
}
