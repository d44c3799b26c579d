//! Where bytes of messages lie in a node's memory.

use std::collections::VecDeque;

/// Memory handed out in powers of two, what was given back last first (J. Bonwick, USENIX Summer 1994).
#[derive(Debug, Clone)]
pub struct Slab {
    frontier: u64,
    /// By power of two.
    free: [Vec<u64>; 32],
}

const LEAST_BYTES: u64 = 64;

impl Slab {
    pub fn new(first: u64) -> Self {
        Self {
            frontier: first,
            free: Default::default(),
        }
    }

    pub fn take(&mut self, bytes: u64) -> u64 {
        let size = Self::size(bytes);
        let kept = self.free[size.trailing_zeros() as usize].pop();
        kept.unwrap_or_else(|| {
            self.frontier += size;
            self.frontier - size
        })
    }

    /// Gives back what was taken for so many bytes.
    pub fn give(&mut self, address: u64, bytes: u64) {
        self.free[Self::size(bytes).trailing_zeros() as usize].push(address);
    }

    fn size(bytes: u64) -> u64 {
        bytes.max(LEAST_BYTES).next_power_of_two()
    }
}

/// A part of a stream of bytes, and where it lies.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Extent {
    pub address: u64,
    pub bytes: u64,
}

/// The bytes of a socket in one direction, in order: piece by piece, each somewhere else.
#[derive(Debug, Clone, Default)]
pub struct SocketBuffer {
    /// Where in the stream each begins, and where it lies.
    pieces: VecDeque<(u64, Extent)>,
    /// Where the stream ends, for now.
    end: u64,
}

impl SocketBuffer {
    pub fn append(&mut self, extent: Extent) {
        self.pieces.push_back((self.end, extent));
        self.end += extent.bytes;
    }

    /// Where the bytes from `first` lie, as far as they are there.
    pub fn extents(&self, first: u64, bytes: u64) -> impl Iterator<Item = Extent> {
        let last = first + bytes;
        let at = self
            .pieces
            .partition_point(|(begin, piece)| begin + piece.bytes <= first);
        let there = self
            .pieces
            .range(at..)
            .take_while(move |(begin, _)| *begin < last);
        there.map(move |(begin, piece)| {
            let skipped = first.saturating_sub(*begin);
            Extent {
                address: piece.address + skipped,
                bytes: (last - begin).min(piece.bytes) - skipped,
            }
        })
    }

    /// Takes out the pieces that some bytes lie in, wherever they are in the stream; what follows moves up.
    pub fn retract(&mut self, first: u64, bytes: u64) -> Vec<Extent> {
        let at = self.pieces.partition_point(|(begin, _)| *begin < first);
        let end = self
            .pieces
            .partition_point(|(begin, _)| *begin < first + bytes);
        let gone: Vec<_> = self.pieces.drain(at..end).map(|(_, piece)| piece).collect();
        for (begin, _) in self.pieces.range_mut(at..) {
            *begin -= bytes;
        }
        self.end -= bytes;
        gone
    }

    /// Takes out a piece that lies before a place in the stream as a whole.
    pub fn release(&mut self, before: u64) -> Option<Extent> {
        let (begin, piece) = *self.pieces.front()?;
        (begin + piece.bytes <= before).then(|| {
            self.pieces.pop_front();
            piece
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_given_back_last_is_taken_first() {
        let mut slab = Slab::new(4096);
        let [one, other] = [slab.take(100), slab.take(65)];
        assert_eq!((one, other), (4096, 4096 + 128));
        slab.give(one, 100);
        slab.give(other, 65);
        assert_eq!(slab.take(128), other);
        assert_eq!(slab.take(64), 4096 + 256, "another power of two");
        assert_eq!(slab.take(127), one);
    }

    #[test]
    fn a_range_of_the_stream_is_found_across_pieces() {
        let mut buffer = SocketBuffer::default();
        for address in [1000, 5000, 9000] {
            buffer.append(Extent { address, bytes: 10 });
        }
        let found: Vec<_> = buffer
            .extents(7, 15)
            .map(|one| (one.address, one.bytes))
            .collect();
        assert_eq!(found, [(1007, 3), (5000, 10), (9000, 2)]);
        assert_eq!(buffer.release(9), None);
        assert_eq!(buffer.release(10).map(|one| one.address), Some(1000));
        assert_eq!(
            buffer.extents(10, 1).next().map(|one| one.address),
            Some(5000)
        );
    }
}
