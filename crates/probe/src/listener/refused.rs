//! How many connections were refused.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Connections and datagrams that were not let in; one count for all that hold it.
#[derive(Clone, Debug, Default)]
pub struct Refused(Arc<AtomicU64>);

impl Refused {
    pub fn add(&self, count: usize) {
        self.0.fetch_add(count as u64, Ordering::Relaxed);
    }

    pub fn count(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}
