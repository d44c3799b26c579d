//! What the threads of a node share: which chunks are here, and what is to be done with each.

mod incoming;
mod outgoing;
mod state;
mod writing;

use std::sync::{Arc, Condvar, Mutex, MutexGuard};

use super::chunk::Chunk;
use super::layout::{Digest, Layout};
use super::times::{Spent, Times};
use crate::system::clock::now_ns;
use state::State;

/// What a forwarder has to send.
pub enum Job {
    Chunk(Arc<Chunk>),
    /// It is in the file.
    Read(u32, Digest),
}

/// What a writer has to do.
pub enum Writing {
    Chunk(Arc<Chunk>),
    /// All chunks are written for the first time.
    Sync,
    Over,
}

/// The state of a node, and what its threads wait for.
pub struct Board {
    pub layout: Layout,
    pub times: Times,
    /// Whether this node has the file already.
    is_source: bool,
    epoch_ns: i64,
    state: Mutex<State>,
    to_send: Condvar,
    to_write: Condvar,
    room: Condvar,
}

impl Board {
    pub fn new(layout: Layout, is_source: bool, epoch_ns: i64) -> Board {
        Board {
            layout,
            times: Times::default(),
            is_source,
            epoch_ns,
            state: Mutex::new(State::new(layout)),
            to_send: Condvar::new(),
            to_write: Condvar::new(),
            room: Condvar::new(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no thread panics")
    }

    fn now_ns(&self) -> i64 {
        now_ns() as i64 - self.epoch_ns
    }

    fn wake_all(&self) {
        self.to_send.notify_all();
        self.to_write.notify_all();
        self.room.notify_all();
    }

    /// All threads end.
    pub fn end(&self) {
        self.state().is_over = true;
        self.wake_all();
    }

    pub fn is_over(&self) -> bool {
        self.state().is_over
    }

    pub fn spent(&self) -> Spent {
        let state = self.state();
        Spent {
            known: state.known,
            stored: state.stored_count,
            first_ns: state.first_ns,
            last_ns: state.last_ns,
            whole_ns: state.whole_ns,
            ..self.times.spent()
        }
    }
}
