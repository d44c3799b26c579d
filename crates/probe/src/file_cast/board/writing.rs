//! The board as the threads at the disk use it.

use super::{Board, Writing};
use crate::file_cast::layout::{Digest, root};

impl Board {
    /// What was here before.
    pub fn found(&self, held: Vec<Option<Digest>>) {
        self.state().held = Some(held);
        self.room.notify_all();
    }

    /// What a writer is to do next; waits for it.
    pub fn next_to_write(&self) -> Writing {
        let mut state = self.state();
        loop {
            if state.is_over {
                return Writing::Over;
            }
            if let Some(chunk) = state.queue.pop_front() {
                return Writing::Chunk(chunk);
            }
            if state.known == self.layout.chunks() && !state.is_written {
                state.is_written = true;
                return Writing::Sync;
            }
            state = self.to_write.wait(state).expect("no thread panics");
        }
    }

    /// A chunk is written, and may be read where it `is_readable`.
    pub fn wrote(&self, chunk: u32, is_readable: bool) {
        let mut state = self.state();
        state.writing.remove(&chunk);
        if is_readable {
            state.store(chunk);
        }
        drop(state);
        self.room.notify_all();
    }

    /// Nothing more is written; true the first time.
    pub fn fail(&self) -> bool {
        !std::mem::replace(&mut self.state().has_failed, true)
    }

    /// All is on the disk: the hash of the file.
    pub fn finish(&self) -> Option<Digest> {
        let mut state = self.state();
        let digests: Option<Vec<Digest>> = state.digests.iter().copied().collect();
        if !state.has_failed && digests.is_some() {
            state.whole_ns = Some(self.now_ns());
        }
        digests.map(|digests| root(&digests))
    }
}
