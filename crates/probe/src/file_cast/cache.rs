//! Chunks in memory: they stay until they are written and need not be sent, or can be read again.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use super::chunk::{Chunk, Form};
use super::layout::Layout;

/// Enough for what is on its way; several chunks in any case.
const MOST_BYTES: u64 = 16 << 20;
const LEAST_CHUNKS: u64 = 8;

/// Chunks by index, at most so many bytes of them.
pub struct Cache {
    layout: Layout,
    most_bytes: u64,
    bytes: u64,
    chunks: HashMap<u32, Arc<Chunk>>,
    order: VecDeque<u32>,
}

impl Cache {
    pub fn new(layout: Layout) -> Cache {
        Cache {
            layout,
            most_bytes: MOST_BYTES.max(LEAST_CHUNKS * layout.chunk_bytes),
            bytes: 0,
            chunks: HashMap::new(),
            order: VecDeque::new(),
        }
    }

    pub fn get(&self, chunk: u32) -> Option<Arc<Chunk>> {
        self.chunks.get(&chunk).cloned()
    }

    pub fn contains(&self, chunk: u32) -> bool {
        self.chunks.contains_key(&chunk)
    }

    /// Whether one more fits, after those that `may_go` have gone where that is needed.
    pub fn has_room(&mut self, may_go: impl Fn(u32) -> bool) -> bool {
        let wanted = self.layout.chunk_bytes;
        if self.bytes + wanted <= self.most_bytes {
            return true;
        }
        // A quarter at a time, so that not each chunk has to look through all.
        for _ in 0..self.order.len() {
            let Some(chunk) = self.order.pop_front() else {
                break;
            };
            match may_go(chunk) {
                true => self.drop(chunk),
                false => self.order.push_back(chunk),
            }
            if self.bytes <= self.most_bytes / 4 * 3 {
                break;
            }
        }
        self.bytes + wanted <= self.most_bytes
    }

    pub fn insert(&mut self, chunk: Arc<Chunk>) {
        let index = chunk.index;
        let cost = self.cost(&chunk);
        if self.chunks.insert(index, chunk).is_none() {
            self.bytes += cost;
            self.order.push_back(index);
        }
    }

    fn drop(&mut self, chunk: u32) {
        if let Some(gone) = self.chunks.remove(&chunk) {
            self.bytes -= self.cost(&gone);
        }
    }

    /// As if it were not compressed, since it is not until it is written.
    fn cost(&self, chunk: &Chunk) -> u64 {
        match chunk.form {
            Form::Hole | Form::Held => 0,
            _ => self.layout.length(chunk.index) as u64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_must_stay_stays_and_keeps_others_out() {
        let layout = Layout {
            size_bytes: 1 << 30,
            chunk_bytes: 4 << 20,
        };
        let mut cache = Cache::new(layout);
        for index in 0..8 {
            assert!(cache.has_room(|_| false));
            let chunk = Chunk::of(index, [0; 32], vec![1; 4 << 20], None);
            cache.insert(Arc::new(chunk));
        }
        assert!(!cache.has_room(|_| false));
        assert!(cache.has_room(|chunk| chunk == 5));
        assert!(cache.contains(4) && !cache.contains(5));
    }
}
