//! What the threads of a node share: which chunks are here, and what is to be done with each.

use std::collections::{HashSet, VecDeque};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Condvar, Mutex, MutexGuard};

use super::cache::Cache;
use super::chunk::Chunk;
use super::hop::{Has, Hop, Send};
use super::layout::{Digest, Layout, root};
use super::times::{Spent, Times};
use crate::system::clock::now_ns;

/// What a node tells its predecessor of a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    Has(u32),
    /// It came damaged, or a successor needs it and it is not here any more.
    Wants(u32),
}

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

struct State {
    /// Of the chunks whose bytes are known to be right.
    digests: Vec<Option<Digest>>,
    known: u32,
    /// Those that can be read from the file.
    stored: Vec<bool>,
    stored_count: u32,
    cache: Cache,
    queue: VecDeque<Arc<Chunk>>,
    /// In the queue, or being written.
    writing: HashSet<u32>,
    has_failed: bool,
    /// All chunks have been written once.
    is_written: bool,
    /// What was here before; none until it is known.
    held: Option<Vec<Option<Digest>>>,
    hop: Option<Hop>,
    /// Gone, and asked for again.
    again: HashSet<u32>,
    answers: Vec<Sender<Answer>>,
    /// The predecessor's link.
    generation: u32,
    is_over: bool,
    first_ns: Option<i64>,
    last_ns: Option<i64>,
    whole_ns: Option<i64>,
}

impl State {
    fn is_here(&self, chunk: u32) -> bool {
        self.stored[chunk as usize] || self.cache.contains(chunk)
    }

    /// Whether one more chunk fits into memory. One may leave it once it is written, and can be read or is not needed by
    /// the successor; the source does not read twice what it has just read.
    fn has_room(&mut self, is_source: bool) -> bool {
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

    fn learn(&mut self, chunk: u32, digest: Digest, now_ns: i64) {
        if self.digests[chunk as usize].replace(digest).is_none() {
            self.known += 1;
            self.first_ns.get_or_insert(now_ns);
            self.last_ns = Some(now_ns);
        }
    }

    fn store(&mut self, chunk: u32) {
        if !std::mem::replace(&mut self.stored[chunk as usize], true) {
            self.stored_count += 1;
        }
    }

    fn ask_again(&mut self, chunk: u32) {
        self.again.insert(chunk);
        // Whichever network still goes; a link that comes later says it when it begins.
        self.answers
            .retain(|answers| answers.send(Answer::Wants(chunk)).is_ok());
    }

    fn is_current(&self, generation: u32) -> bool {
        !self.is_over && self.generation == generation
    }
}

impl Board {
    pub fn new(layout: Layout, is_source: bool, epoch_ns: i64) -> Board {
        let chunks = layout.chunks() as usize;
        Board {
            layout,
            times: Times::default(),
            is_source,
            epoch_ns,
            state: Mutex::new(State {
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
            }),
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

    /// What was here before.
    pub fn found(&self, held: Vec<Option<Digest>>) {
        self.state().held = Some(held);
        self.room.notify_all();
    }

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

    /// Send to another successor from now on, or to none.
    pub fn connect(&self, hop: Option<Hop>) {
        self.state().hop = hop;
        self.wake_all();
    }

    pub fn sends(&self, generation: u32) -> bool {
        let state = self.state();
        !state.is_over
            && state
                .hop
                .as_ref()
                .is_some_and(|hop| hop.generation == generation)
    }

    /// Do something with the link of that number, if it is still the one.
    fn with_hop(&self, generation: u32, work: impl FnOnce(&mut State, &mut Hop)) {
        let mut state = self.state();
        let Some(mut hop) = state.hop.take_if(|hop| hop.generation == generation) else {
            return;
        };
        work(&mut state, &mut hop);
        state.hop = Some(hop);
        drop(state);
        self.to_send.notify_all();
        self.room.notify_all();
    }

    /// The successor has said what it has.
    pub fn greeted(&self, generation: u32, said: &[Has]) {
        self.with_hop(generation, |state, hop| {
            let here = (0..self.layout.chunks()).filter(|chunk| {
                let is_known = state.digests[*chunk as usize].is_some();
                is_known && !state.again.contains(chunk)
            });
            hop.greet(said, here);
        });
    }

    pub fn answered(&self, generation: u32, answer: Answer) {
        self.with_hop(generation, |state, hop| match answer {
            Answer::Has(chunk) => hop.acknowledged(chunk),
            Answer::Wants(chunk) => {
                hop.wanted(chunk);
                if state.digests[chunk as usize].is_some() {
                    hop.push(chunk);
                }
            }
        });
    }

    pub fn broke(&self, generation: u32, network: usize) {
        self.with_hop(generation, |_, hop| hop.broke(network));
    }

    /// The successor has closed a connection: let its sender notice.
    pub fn hung_up(&self, generation: u32, network: usize) {
        self.with_hop(generation, |_, hop| hop.hang_up(network));
    }

    /// The next to send over a network; none where the link is an old one. What is gone is asked for again.
    pub fn next_to_send(&self, generation: u32, network: usize) -> Option<Job> {
        let mut state = self.state();
        loop {
            if state.is_over {
                return None;
            }
            let hop = state.hop.as_mut()?;
            if hop.generation != generation || hop.has_hung_up(network) {
                return None;
            }
            let Some(chunk) = hop.take(network) else {
                state = self.to_send.wait(state).expect("no thread panics");
                continue;
            };
            let digest = state.digests[chunk as usize]?;
            let hop = state.hop.as_mut()?;
            if hop.how(chunk, &digest) == Send::Confirmation {
                return Some(Job::Chunk(Arc::new(Chunk::held(chunk, digest))));
            }
            if let Some(cached) = state.cache.get(chunk) {
                return Some(Job::Chunk(cached));
            }
            if state.is_here(chunk) {
                return Some(Job::Read(chunk, digest));
            }
            state.hop.as_mut()?.missed(chunk);
            state.ask_again(chunk);
        }
    }

    /// What is in the file is not what it was.
    pub fn lost(&self, generation: u32, chunk: u32) {
        self.with_hop(generation, |state, hop| {
            state.stored[chunk as usize] = false;
            hop.missed(chunk);
            state.ask_again(chunk);
        });
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
