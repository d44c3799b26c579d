//! What is known of each chunk of a node, behind the board's lock.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;
use std::sync::mpsc::Sender;

use crate::file_cast::cache::Cache;
use crate::file_cast::chunk::Chunk;
use crate::file_cast::hop::{Answer, Hop};
use crate::file_cast::layout::{Digest, Layout};

/// Which chunks are here, and what the links need.
pub(super) struct State {
    /// Of the chunks whose bytes are known to be right.
    pub digests: Vec<Option<Digest>>,
    pub known: u32,
    /// Those that can be read from the file.
    pub stored: Vec<bool>,
    pub stored_count: u32,
    pub cache: Cache,
    pub queue: VecDeque<Arc<Chunk>>,
    /// In the queue, or being written.
    pub writing: HashSet<u32>,
    pub has_failed: bool,
    /// All chunks have been written once.
    pub is_written: bool,
    /// What was here before; none until it is known.
    pub held: Option<Vec<Option<Digest>>>,
    pub hop: Option<Hop>,
    /// Gone, and asked for again.
    pub again: HashSet<u32>,
    pub answers: Vec<Sender<Answer>>,
    /// The predecessor's link.
    pub generation: u32,
    pub is_over: bool,
    pub first_ns: Option<i64>,
    pub last_ns: Option<i64>,
    pub whole_ns: Option<i64>,
}

impl State {
    pub fn new(layout: Layout) -> State {
        let chunks = layout.chunks() as usize;
        State {
            digests: vec![None; chunks],
            known: 0,
            stored: vec![false; chunks],
            stored_count: 0,
            cache: Cache::new(layout),
            queue: VecDeque::new(),
            writing: HashSet::new(),
            has_failed: false,
            is_written: false,
            held: None,
            hop: None,
            again: HashSet::new(),
            answers: Vec::new(),
            generation: 0,
            is_over: false,
            first_ns: None,
            last_ns: None,
            whole_ns: None,
        }
    }

    pub fn is_here(&self, chunk: u32) -> bool {
        self.stored[chunk as usize] || self.cache.contains(chunk)
    }

    /// Whether one more chunk fits into memory. One may leave it once it is written, and can be read or is not needed by
    /// the successor; the source does not read twice what it has just read.
    pub fn has_room(&mut self, is_source: bool) -> bool {
        let State {
            cache,
            stored,
            writing,
            hop,
            ..
        } = self;
        cache.has_room(|chunk| {
            let is_needed = hop.as_ref().is_some_and(|hop| hop.needs(chunk));
            let can_return = stored[chunk as usize] && !is_source;
            !writing.contains(&chunk) && (can_return || !is_needed)
        })
    }

    pub fn learn(&mut self, chunk: u32, digest: Digest, now_ns: i64) {
        if self.digests[chunk as usize].replace(digest).is_none() {
            self.known += 1;
            self.first_ns.get_or_insert(now_ns);
            self.last_ns = Some(now_ns);
        }
    }

    pub fn store(&mut self, chunk: u32) {
        if !std::mem::replace(&mut self.stored[chunk as usize], true) {
            self.stored_count += 1;
        }
    }

    pub fn ask_again(&mut self, chunk: u32) {
        self.again.insert(chunk);
        // Whichever network still goes; a link that comes later says it when it begins.
        self.answers
            .retain(|answers| answers.send(Answer::Wants(chunk)).is_ok());
    }

    pub fn is_current(&self, generation: u32) -> bool {
        !self.is_over && self.generation == generation
    }
}
