//! Messages to and from the neighbours of a domain: where they lie, and which are on their way.

use weft_traffic::{Border, Domain};

use super::super::channels::{Content, Done, End, Memory};
use super::super::rows::Row;

/// One neighbour.
struct Neighbour {
    domain: u32,
    node: u32,
    /// Where the message to it lies, and room for the one from it.
    out_at: u64,
    in_at: u64,
    room: u64,
    /// Of the message that came last, and of all.
    length: u64,
    heard: u64,
}

/// Those of a domain.
pub struct Exchange {
    neighbours: Vec<Neighbour>,
    car_bytes: u64,
    bytes: u64,
    /// Sends and receives that are not over.
    open: u32,
    message: Vec<u8>,
}

impl Exchange {
    /// `ranks` has the member that simulates each domain.
    pub fn new(domain: &Domain, car_bytes: u64, ranks: &[u32]) -> Exchange {
        let mut bytes = 0;
        let mut take = |room: u64| {
            bytes += room;
            bytes - room
        };
        let neighbours = domain.borders().iter().map(|border| {
            let [out, room] = domain.most_bytes(border.with, car_bytes);
            Neighbour {
                domain: border.with,
                node: ranks[border.with as usize],
                out_at: take(out),
                in_at: take(room),
                room,
                length: 0,
                heard: 0,
            }
        });
        Exchange {
            neighbours: neighbours.collect(),
            car_bytes,
            bytes,
            open: 0,
            message: Vec::new(),
        }
    }

    /// How much memory messages take.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    pub fn ends(&self) -> Vec<End> {
        self.neighbours.iter().map(|one| end(one.node)).collect()
    }

    pub fn count(&self) -> usize {
        self.neighbours.len()
    }

    /// What calls the send to a neighbour, and the receive from it.
    pub fn sends(at: usize) -> u32 {
        2 * at as u32
    }

    pub fn receives(at: usize) -> u32 {
        2 * at as u32 + 1
    }

    pub fn begin(&mut self) {
        self.open = 2 * self.neighbours.len() as u32;
    }

    pub fn is_open(&self) -> bool {
        self.open > 0
    }

    /// The message to a neighbour, in its place.
    pub fn pack(&mut self, at: usize, domain: &Domain, memory: &mut Memory) -> (End, Content) {
        let one = &self.neighbours[at];
        domain.borders()[at].encode(self.car_bytes, &mut self.message);
        let bytes = self.message.len() as u64;
        memory
            .stored_mut(one.out_at..one.out_at + bytes)
            .copy_from_slice(&self.message);
        let content = Content::Stored {
            at: one.out_at,
            bytes,
        };
        (end(one.node), content)
    }

    /// Where the message from a neighbour goes.
    pub fn room(&self, at: usize) -> (u32, Content) {
        let one = &self.neighbours[at];
        let content = Content::Stored {
            at: one.in_at,
            bytes: one.room,
        };
        (one.node, content)
    }

    /// A send or receive is over.
    pub fn end(&mut self, done: &Done) {
        self.open -= 1;
        if let Some(message) = &done.message {
            let one = &mut self.neighbours[done.token as usize / 2];
            one.length = message.bytes;
            one.heard += message.bytes;
        }
    }

    /// Tells the domain what its neighbours say; the error says what is wrong.
    pub fn unpack(&self, domain: &mut Domain, memory: &Memory) -> Result<(), String> {
        for one in &self.neighbours {
            let message = memory.stored(one.in_at..one.in_at + one.length);
            let border = Border::decode(one.domain, self.car_bytes, message)?;
            domain.hear(one.domain, &border)?;
        }
        Ok(())
    }

    /// A row for each neighbour: its mean message in all steps. A member alone has one of its own.
    pub fn rows(&self, node: u32, steps: u32, start_ns: u64, end_ns: u64) -> Vec<Row> {
        let row = |src: u32, dst: Option<u32>, bytes: u64| Row {
            batch: 0,
            src,
            dst,
            size_bytes: bytes / u64::from(steps),
            messages: steps,
            start_ns,
            elapsed_ns: end_ns - start_ns,
        };
        match self.neighbours.is_empty() {
            true => vec![row(node, Some(node), 0)],
            false => {
                let neighbours = self.neighbours.iter();
                neighbours
                    .map(|one| row(one.node, None, one.heard))
                    .collect()
            }
        }
    }
}

/// Messages take the first network.
fn end(node: u32) -> End {
    End { node, network: 0 }
}
