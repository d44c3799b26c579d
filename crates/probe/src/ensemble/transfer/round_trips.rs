//! The times of the round trips of one transfer.

use super::super::part::Part;
use super::super::rows::Row;

/// Round trips whose times are held without asking for memory.
const RESERVED_TRIPS: usize = 1 << 16;

/// The round trips of one transfer: when each began and how long it took.
pub struct RoundTrips {
    pub dst: u32,
    pub times: Vec<(u64, u64)>,
}

impl RoundTrips {
    pub fn new() -> RoundTrips {
        RoundTrips {
            dst: 0,
            times: Vec::with_capacity(RESERVED_TRIPS),
        }
    }

    pub fn rows(&self, part: &Part) -> Vec<Row> {
        (0..)
            .zip(&self.times)
            .map(|(batch, (start_ns, elapsed_ns))| Row {
                batch,
                src: 0,
                dst: Some(self.dst),
                size_bytes: part.size_bytes,
                messages: 1,
                start_ns: *start_ns,
                elapsed_ns: *elapsed_ns,
            })
            .collect()
    }
}
