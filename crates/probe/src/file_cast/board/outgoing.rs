//! The board as the threads at the successor's link use it.

use std::sync::Arc;

use super::state::State;
use super::{Board, Job};
use crate::file_cast::chunk::Chunk;
use crate::file_cast::hop::{Answer, Has, Hop, Send};

impl Board {
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
}
