//! Which receive a message meets: of the same source and tag the first that comes meets the first that is asked for.

use std::collections::{HashMap, VecDeque};

use super::content::Receive;
use super::header::Header;

/// A message that came before its receive.
pub enum Early {
    /// Its bytes are there; those that both ends know are not kept.
    Whole(Header, Vec<u8>),
    /// It waits at its source, which this channel leads to.
    Announced(Header, u32),
}

/// Things of one source and tag, in their order; mostly there is one.
struct Fifo<T> {
    first: Option<T>,
    others: VecDeque<T>,
}

impl<T> Fifo<T> {
    fn put(&mut self, value: T) {
        match self.first {
            None => self.first = Some(value),
            Some(_) => self.others.push_back(value),
        }
    }
}

/// By source and tag.
struct Waiting<T>(HashMap<(u32, u64), Fifo<T>>);

impl<T> Waiting<T> {
    fn put(&mut self, from: (u32, u64), value: T) {
        let there = self.0.entry(from).or_insert_with(|| Fifo {
            first: None,
            others: VecDeque::new(),
        });
        there.put(value);
    }

    fn take(&mut self, from: (u32, u64)) -> Option<T> {
        let there = self.0.get_mut(&from)?;
        let taken = there.first.take();
        there.first = there.others.pop_front();
        if there.first.is_none() {
            self.0.remove(&from);
        }
        taken
    }
}

/// Receives without messages, and messages without receives.
pub struct Inbox {
    posted: Waiting<Receive>,
    early: Waiting<Early>,
}

impl Inbox {
    pub fn new() -> Inbox {
        Inbox {
            posted: Waiting(HashMap::new()),
            early: Waiting(HashMap::new()),
        }
    }

    /// The receive that a message meets, if it has begun.
    pub fn meet(&mut self, src: u32, tag: u64) -> Option<Receive> {
        self.posted.take((src, tag))
    }

    /// Keep a message for its receive.
    pub fn keep(&mut self, src: u32, tag: u64, early: Early) {
        self.early.put((src, tag), early);
    }

    /// The message that came before this receive; if none did, the receive waits.
    pub fn post(&mut self, src: u32, tag: u64, receive: Receive) -> Option<Early> {
        let early = self.early.take((src, tag));
        if early.is_none() {
            self.posted.put((src, tag), receive);
        }
        early
    }

    /// The sources that receives wait for.
    pub fn sources(&self) -> impl Iterator<Item = u32> {
        self.posted.0.keys().map(|(src, _)| *src)
    }
}
