//! The board as the threads at the predecessor's link use it, and the source's reader.

use std::sync::mpsc::Sender;
use std::sync::{Arc, MutexGuard};

use super::Board;
use super::state::State;
use crate::file_cast::chunk::Chunk;
use crate::file_cast::hop::{Answer, Has};
use crate::file_cast::layout::Digest;

impl Board {
    /// A predecessor is about to connect; what came over an earlier link counts no more.
    pub fn expect(&self, generation: u32) {
        let mut state = self.state();
        state.generation = generation;
        state.answers.clear();
        drop(state);
        self.wake_all();
    }

    pub fn expects(&self, generation: u32) -> bool {
        self.state().is_current(generation)
    }

    /// What to say of each chunk when a predecessor connects, once it is known; none where the link is an old one.
    pub fn greeting(&self, generation: u32, answers: Sender<Answer>) -> Option<Vec<Has>> {
        let mut state = self.state();
        while state.held.is_none() && state.is_current(generation) {
            state = self.room.wait(state).expect("no thread panics");
        }
        if !state.is_current(generation) {
            return None;
        }
        state.answers.push(answers);
        let held = state.held.as_ref()?;
        let has = |chunk: u32| match (&state.digests[chunk as usize], held[chunk as usize]) {
            _ if state.again.contains(&chunk) => Has::Nothing,
            (Some(_), _) => Has::Chunk,
            (None, Some(digest)) => Has::Perhaps(digest),
            (None, None) => Has::Nothing,
        };
        Some((0..self.layout.chunks()).map(has).collect())
    }

    /// Take in a chunk whose bytes are right, once there is room; false where the link is an old one. The source's own
    /// link has the number 0.
    pub fn insert(&self, chunk: Chunk, generation: u32) -> bool {
        let Some(mut state) = self.with_room(generation) else {
            return false;
        };
        let index = chunk.index;
        state.learn(index, chunk.digest, self.now_ns());
        state.again.remove(&index);
        if self.is_source {
            state.store(index);
        }
        let chunk = Arc::new(chunk);
        if !state.stored[index as usize] {
            state.writing.insert(index);
            state.queue.push_back(chunk.clone());
        }
        state.cache.insert(chunk);
        if let Some(hop) = &mut state.hop {
            hop.push(index);
        }
        drop(state);
        self.to_write.notify_one();
        self.to_send.notify_all();
        true
    }

    fn with_room(&self, generation: u32) -> Option<MutexGuard<'_, State>> {
        let mut state = self.state();
        while state.is_current(generation) {
            if state.has_room(self.is_source) {
                return Some(state);
            }
            let waited = || self.room.wait(state).expect("no thread panics");
            state = self.times.blocked.time(waited);
        }
        None
    }

    /// What was held in its place is right.
    pub fn confirm(&self, chunk: u32, digest: Digest) {
        self.times.held_bytes.add(self.layout.length(chunk) as u64);
        let mut state = self.state();
        state.learn(chunk, digest, self.now_ns());
        state.store(chunk);
        if let Some(hop) = &mut state.hop {
            hop.push(chunk);
        }
        drop(state);
        self.to_send.notify_all();
        self.to_write.notify_one();
    }
}
