//! Rings in memory that two processes share: how bytes get from the one to the other without the kernel.
//!
//! A short message and its number share a cache line, so that one line changes hands and no more; it is what a
//! counter that two processes spin on takes. Longer messages go through a second ring, chunk by chunk, so that the
//! reader copies out while the writer copies in. Both ends have each message's length, and so the ring that it takes.

use std::fs::File;
use std::io;
use std::mem::size_of;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicU64, Ordering};

use memmap2::MmapRaw;
use rustix::fs::{MemfdFlags, ftruncate, memfd_create};

const CELLS: u64 = 64;
/// A cache line without the message's number.
pub const CELL_BYTES: usize = 56;
const BULK_BYTES: usize = 256 << 10;
const CHUNK_BYTES: usize = 16 << 10;

/// A short message; number n is in cell n modulo `CELLS` once the cell says n + 1.
#[repr(C, align(64))]
struct Cell {
    number: AtomicU64,
    bytes: [u8; CELL_BYTES],
}

/// A counter that one side writes, away from what the other writes (two lines: processors fetch them in pairs).
#[repr(C, align(128))]
struct Counter(AtomicU64);

/// What goes in one direction. All zeros is an empty direction.
#[repr(C)]
struct Direction {
    cells: [Cell; CELLS as usize],
    cells_read: Counter,
    bytes_written: Counter,
    bytes_read: Counter,
    bulk: [u8; BULK_BYTES],
}

/// Memory with a direction for each direction.
pub struct Rings {
    memory: MmapRaw,
}

impl Rings {
    /// New memory, and the descriptor that makes it another process's too.
    pub fn create() -> io::Result<(Rings, OwnedFd)> {
        let fd = memfd_create("weft-rings", MemfdFlags::CLOEXEC)?;
        ftruncate(&fd, 2 * size_of::<Direction>() as u64)?;
        let descriptor = fd.try_clone()?;
        Ok((Rings::open(fd)?, descriptor))
    }

    /// The memory behind a descriptor that another process gave.
    pub fn open(fd: OwnedFd) -> io::Result<Rings> {
        let file = File::from(fd);
        if file.metadata()?.len() != 2 * size_of::<Direction>() as u64 {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "the shared memory does not have the size of two directions",
            ));
        }
        let memory = MmapRaw::map_raw(&file)?;
        touch(&memory);
        Ok(Rings { memory })
    }

    /// The direction to write to and the one to read from; the creator writes to the first.
    fn directions(&self, is_creator: bool) -> (*mut Direction, *mut Direction) {
        let first = self.memory.as_mut_ptr().cast::<Direction>();
        // SAFETY: the mapping holds two directions, as `open` has checked.
        let second = unsafe { first.add(1) };
        if is_creator {
            (first, second)
        } else {
            (second, first)
        }
    }

    /// The two ends as one process has them; the memory must outlive both.
    pub fn ends(&self, is_creator: bool) -> (Writer, Reader) {
        let (out, back) = self.directions(is_creator);
        let writer = Writer {
            direction: out,
            cells_written: 0,
            cells_read: 0,
            bytes_written: 0,
            bytes_read: 0,
        };
        let reader = Reader {
            direction: back,
            cells_read: 0,
            bytes_read: 0,
            bytes_written: 0,
        };
        (writer, reader)
    }
}

/// Have every page mapped before anything is timed; adding nothing keeps what the other side has written already.
fn touch(memory: &MmapRaw) {
    const PAGE_BYTES: usize = 4096;
    for offset in (0..memory.len()).step_by(PAGE_BYTES) {
        // SAFETY: inside the mapping, aligned, and every access of both sides to a first word is atomic but in
        // the bulk, where nothing has been written yet that a reader may look at.
        let word = unsafe { &*memory.as_mut_ptr().add(offset).cast::<AtomicU64>() };
        word.fetch_add(0, Ordering::Relaxed);
    }
}

/// The writing side of a direction; what the other side has read is looked at only when the direction seems full.
pub struct Writer {
    direction: *mut Direction,
    cells_written: u64,
    cells_read: u64,
    bytes_written: u64,
    bytes_read: u64,
}

impl Writer {
    /// Put a message of at most `CELL_BYTES`, if there is a free cell.
    #[inline]
    pub fn try_put_cell(&mut self, bytes: &[u8]) -> bool {
        debug_assert!(bytes.len() <= CELL_BYTES);
        if self.cells_written - self.cells_read == CELLS {
            // SAFETY: the mapping outlives the writer; only the counter is borrowed.
            let read = unsafe { &(*self.direction).cells_read.0 };
            self.cells_read = read.load(Ordering::Acquire);
            if self.cells_written - self.cells_read == CELLS {
                return false;
            }
        }
        let index = (self.cells_written % CELLS) as usize;
        // SAFETY: the reader is through with this cell and does not look at its bytes before its number changes.
        unsafe {
            let cell = &raw mut (*self.direction).cells[index];
            (&raw mut (*cell).bytes)
                .cast::<u8>()
                .copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
            (*cell)
                .number
                .store(self.cells_written + 1, Ordering::Release);
        }
        self.cells_written += 1;
        true
    }

    /// Put as much of a longer message as a chunk holds and there is room for; returns how much that was.
    #[inline]
    pub fn put_chunk(&mut self, bytes: &[u8]) -> usize {
        if self.bytes_written - self.bytes_read == BULK_BYTES as u64 {
            // SAFETY: as above.
            let read = unsafe { &(*self.direction).bytes_read.0 };
            self.bytes_read = read.load(Ordering::Acquire);
        }
        let free = BULK_BYTES - (self.bytes_written - self.bytes_read) as usize;
        let at = (self.bytes_written % BULK_BYTES as u64) as usize;
        let count = bytes.len().min(CHUNK_BYTES).min(free).min(BULK_BYTES - at);
        if count == 0 {
            return 0;
        }
        self.bytes_written += count as u64;
        // SAFETY: `at + count` is inside the bulk, and the reader is through with these bytes.
        unsafe {
            let free = (&raw mut (*self.direction).bulk).cast::<u8>().add(at);
            free.copy_from_nonoverlapping(bytes.as_ptr(), count);
            let written = &(*self.direction).bytes_written.0;
            written.store(self.bytes_written, Ordering::Release);
        }
        count
    }
}

/// The reading side of a direction.
pub struct Reader {
    direction: *mut Direction,
    cells_read: u64,
    bytes_read: u64,
    bytes_written: u64,
}

impl Reader {
    /// Take a message of at most `CELL_BYTES`, if it is there.
    #[inline]
    pub fn try_take_cell(&mut self, bytes: &mut [u8]) -> bool {
        debug_assert!(bytes.len() <= CELL_BYTES);
        let index = (self.cells_read % CELLS) as usize;
        // SAFETY: the mapping outlives the reader; only the number is borrowed.
        let number = unsafe { &(*self.direction).cells[index].number };
        if number.load(Ordering::Acquire) != self.cells_read + 1 {
            return false;
        }
        self.cells_read += 1;
        // SAFETY: the writer leaves a numbered cell alone until it is counted as read.
        unsafe {
            let held = (&raw const (*self.direction).cells[index].bytes).cast::<u8>();
            held.copy_to_nonoverlapping(bytes.as_mut_ptr(), bytes.len());
            let read = &(*self.direction).cells_read.0;
            read.store(self.cells_read, Ordering::Release);
        }
        true
    }

    /// Take what there is of a longer message, at most a chunk; returns how much that was.
    #[inline]
    pub fn take_chunk(&mut self, bytes: &mut [u8]) -> usize {
        if self.bytes_written == self.bytes_read {
            // SAFETY: as above.
            let written = unsafe { &(*self.direction).bytes_written.0 };
            self.bytes_written = written.load(Ordering::Acquire);
        }
        let there = (self.bytes_written - self.bytes_read) as usize;
        let at = (self.bytes_read % BULK_BYTES as u64) as usize;
        let count = bytes.len().min(CHUNK_BYTES).min(there).min(BULK_BYTES - at);
        if count == 0 {
            return 0;
        }
        self.bytes_read += count as u64;
        // SAFETY: `at + count` is inside the bulk, and the writer leaves these bytes alone until they are counted.
        unsafe {
            let held = (&raw const (*self.direction).bulk).cast::<u8>().add(at);
            held.copy_to_nonoverlapping(bytes.as_mut_ptr(), count);
            let read = &(*self.direction).bytes_read.0;
            read.store(self.bytes_read, Ordering::Release);
        }
        count
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The two sides of memory as two processes map it.
    fn sides() -> ((Writer, Reader, Rings), (Writer, Reader, Rings)) {
        let (near, fd) = Rings::create().unwrap();
        let far = Rings::open(fd).unwrap();
        let (a, b) = (near.ends(true), far.ends(false));
        ((a.0, a.1, near), (b.0, b.1, far))
    }

    #[test]
    fn a_lane_of_cells_fills_and_empties() {
        let ((mut writer, _, _near), (_, mut reader, _far)) = sides();
        for number in 0..CELLS as u8 {
            assert!(writer.try_put_cell(&[number]));
        }
        assert!(!writer.try_put_cell(&[0]), "a full direction takes nothing");
        for number in 0..CELLS as u8 {
            let mut taken = [0];
            assert!(reader.try_take_cell(&mut taken));
            assert_eq!(taken, [number]);
        }
        assert!(
            !reader.try_take_cell(&mut [0]),
            "an empty direction gives nothing"
        );
        assert!(writer.try_put_cell(&[7]));
    }

    #[test]
    fn memory_of_another_size_is_refused() {
        let fd = memfd_create("weft-test", MemfdFlags::CLOEXEC).unwrap();
        ftruncate(&fd, 4096).unwrap();
        let error = Rings::open(fd).err().unwrap().to_string();
        assert!(error.contains("two directions"), "{error}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20))]
        #[test]
        fn bytes_come_out_as_they_went_in(lengths in proptest::collection::vec(1..3 * BULK_BYTES, 1..6)) {
            let ((mut writer, _, _near), (_, mut reader, _far)) = sides();
            for length in lengths {
                let sent: Vec<u8> = (0..length).map(|index| (index % 251) as u8).collect();
                let mut received = vec![0; length];
                let (mut put, mut taken) = (0, 0);
                while taken < length {
                    put += writer.put_chunk(&sent[put..]);
                    taken += reader.take_chunk(&mut received[taken..]);
                }
                prop_assert_eq!(&sent, &received);
            }
        }
    }
}
