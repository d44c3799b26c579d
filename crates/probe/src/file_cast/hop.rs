//! What a node knows of its successor: which chunks it lacks, and which are on their way.

use std::collections::{HashMap, HashSet, VecDeque};

use super::layout::Digest;

/// What a node says of a chunk when its predecessor connects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Has {
    Nothing,
    /// The chunk is known to be right.
    Chunk,
    /// Bytes that may be right: they have this hash.
    Perhaps(Digest),
}

/// What a node tells its predecessor of a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    Has(u32),
    /// It came damaged, or a successor needs it and it is not here any more.
    Wants(u32),
}

/// How a chunk goes to the successor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Send {
    Bytes,
    /// It has them.
    Confirmation,
}

/// One link to a successor, over as many networks as are left.
pub struct Hop {
    pub generation: u32,
    /// None until the successor has said what it has: it may need everything.
    needs: Option<Vec<bool>>,
    offers: HashMap<u32, Digest>,
    /// Chunks that are here, in the order in which they are sent.
    ready: VecDeque<u32>,
    in_flight: Vec<HashSet<u32>>,
    /// Networks on which the successor has closed the connection.
    closed: HashSet<usize>,
}

impl Hop {
    pub fn new(generation: u32, networks: usize) -> Hop {
        Hop {
            generation,
            needs: None,
            offers: HashMap::new(),
            ready: VecDeque::new(),
            in_flight: vec![HashSet::new(); networks],
            closed: HashSet::new(),
        }
    }

    pub fn needs(&self, chunk: u32) -> bool {
        let needs = self.needs.as_ref();
        needs.is_none_or(|needs| needs[chunk as usize])
    }

    /// The successor has said what it has; `here` are the chunks that can be sent. The first network's word counts.
    pub fn greet(&mut self, said: &[Has], here: impl Iterator<Item = u32>) {
        if self.needs.is_some() {
            return;
        }
        for (chunk, has) in (0..).zip(said) {
            if let Has::Perhaps(digest) = has {
                self.offers.insert(chunk, *digest);
            }
        }
        self.needs = Some(said.iter().map(|has| *has != Has::Chunk).collect());
        self.ready = here.filter(|chunk| self.needs(*chunk)).collect();
    }

    /// A chunk is here now.
    pub fn push(&mut self, chunk: u32) {
        if self.needs.is_some() && self.needs(chunk) {
            self.ready.push_back(chunk);
        }
    }

    /// The next chunk for a network, which is the faster the more often it asks.
    pub fn take(&mut self, network: usize) -> Option<u32> {
        let needs = self.needs.as_ref()?;
        while let Some(chunk) = self.ready.pop_front() {
            let is_underway = self.in_flight.iter().any(|sent| sent.contains(&chunk));
            if needs[chunk as usize] && !is_underway {
                self.in_flight[network].insert(chunk);
                return Some(chunk);
            }
        }
        None
    }

    /// How a chunk goes that has this hash.
    pub fn how(&self, chunk: u32, digest: &Digest) -> Send {
        match self.offers.get(&chunk) == Some(digest) {
            true => Send::Confirmation,
            false => Send::Bytes,
        }
    }

    /// The successor has it.
    pub fn acknowledged(&mut self, chunk: u32) {
        self.landed(chunk);
        if let Some(needs) = &mut self.needs {
            needs[chunk as usize] = false;
        }
    }

    /// The successor asks for it (again), and wants its bytes.
    pub fn wanted(&mut self, chunk: u32) {
        self.landed(chunk);
        self.offers.remove(&chunk);
        if let Some(needs) = &mut self.needs {
            needs[chunk as usize] = true;
        }
    }

    /// It is not here after all.
    pub fn missed(&mut self, chunk: u32) {
        self.landed(chunk);
    }

    /// The connection over a network is gone, and what was on it.
    pub fn broke(&mut self, network: usize) {
        let lost: Vec<u32> = self.in_flight[network].drain().collect();
        for chunk in lost {
            self.ready.push_front(chunk);
        }
    }

    /// The successor has closed the connection.
    pub fn hang_up(&mut self, network: usize) {
        self.closed.insert(network);
    }

    pub fn has_hung_up(&self, network: usize) -> bool {
        self.closed.contains(&network)
    }

    fn landed(&mut self, chunk: u32) {
        for sent in &mut self.in_flight {
            sent.remove(&chunk);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_successor_lacks_goes_once_and_again_where_a_connection_broke() {
        let mut hop = Hop::new(1, 2);
        assert!(hop.needs(1), "until it is known");
        assert_eq!(hop.take(0), None);
        let said = [
            Has::Nothing,
            Has::Chunk,
            Has::Perhaps([7; 32]),
            Has::Nothing,
        ];
        hop.greet(&said, [0, 1, 2].into_iter());
        assert_eq!(
            (hop.take(0), hop.take(1), hop.take(0)),
            (Some(0), Some(2), None)
        );
        assert_eq!(hop.how(2, &[7; 32]), Send::Confirmation);
        assert_eq!(hop.how(2, &[8; 32]), Send::Bytes);
        hop.push(3);
        hop.push(1);
        assert_eq!((hop.take(0), hop.take(0)), (Some(3), None));
        hop.acknowledged(0);
        hop.broke(0);
        assert_eq!((hop.take(1), hop.take(1)), (Some(3), None));
        hop.wanted(2);
        hop.push(2);
        assert_eq!(hop.take(1), Some(2));
        assert_eq!(hop.how(2, &[7; 32]), Send::Bytes);
    }
}
