//! What comes in on a channel: a header, then the bytes that it announces.

use std::io;

use super::super::event_loop::line::Line;
use super::content::{Memory, Sink, Way};
use super::header::{HEADER_BYTES, Header};

/// Short messages are read together with the headers around them.
const BUFFER_BYTES: usize = 4 << 10;
/// Of a longer message we are woken when so much has come; see `transfer::receive`.
const WAKE_BYTES: u64 = 16 << 10;

/// What a look at a channel has found.
pub enum Found {
    /// Nothing more for now.
    Nothing,
    /// A message begins, and needs a sink if it has content.
    Head(Header),
    /// Its last byte is there.
    Whole(Header, Sink),
    /// The other end has closed it.
    End,
}

/// A message on its way in.
struct Arriving {
    header: Header,
    sink: Sink,
    come: u64,
}

pub struct Reader {
    buffer: Box<[u8; BUFFER_BYTES]>,
    from: usize,
    to: usize,
    arriving: Option<Arriving>,
    wake_bytes: u64,
    /// The last read has taken all that there was.
    is_drained: bool,
    /// Bytes read so far.
    pub moved_bytes: u64,
}

impl Reader {
    pub fn new() -> Reader {
        Reader {
            buffer: Box::new([0; BUFFER_BYTES]),
            from: 0,
            to: 0,
            arriving: None,
            wake_bytes: 1,
            is_drained: false,
            moved_bytes: 0,
        }
    }

    /// Where the bytes of the message go whose header was found last.
    pub fn direct(&mut self, header: Header, sink: Sink) {
        self.arriving = Some(Arriving {
            header,
            sink,
            come: 0,
        });
    }

    /// Go on until something is to be decided.
    pub fn advance(&mut self, line: &Line, memory: &mut Memory) -> io::Result<Found> {
        loop {
            if let Some(found) = self.next(memory)? {
                return Ok(found);
            }
            if std::mem::take(&mut self.is_drained) {
                return Ok(Found::Nothing);
            }
            let (asked, count) = match &mut self.arriving {
                Some(one) if one.left() > BUFFER_BYTES as u64 => one.read(line, memory)?,
                _ => self.fill(line)?,
            };
            match count {
                None => return Ok(Found::Nothing),
                Some(0) if self.is_between() => return Ok(Found::End),
                Some(0) => return Err(self.cut_short()),
                Some(count) => {
                    self.moved_bytes += count as u64;
                    self.is_drained = count < asked;
                }
            }
        }
    }

    /// Be woken when the end of a message has come, or much of it.
    pub fn choose_wake(&mut self, line: &Line) -> io::Result<()> {
        let left = self.arriving.as_ref().map_or(1, Arriving::left);
        let wake_bytes = left.clamp(1, WAKE_BYTES);
        if wake_bytes != self.wake_bytes {
            line.wake_at(wake_bytes)?;
            self.wake_bytes = wake_bytes;
        }
        Ok(())
    }

    /// What lies in the buffer.
    fn next(&mut self, memory: &mut Memory) -> io::Result<Option<Found>> {
        let there = &self.buffer[self.from..self.to];
        match &mut self.arriving {
            Some(one) => {
                let count = one.left().min(there.len() as u64) as usize;
                if count > 0 {
                    memory.keep(&mut one.sink.way, one.come, &there[..count])?;
                }
                one.come += count as u64;
                self.from += count;
                let whole = self.arriving.take_if(|one| one.left() == 0);
                Ok(whole.map(|one| Found::Whole(one.header, one.sink)))
            }
            None => {
                let Some(wire) = there.first_chunk::<HEADER_BYTES>() else {
                    return Ok(None);
                };
                self.from += HEADER_BYTES;
                Ok(Some(Found::Head(Header::from_wire(wire)?)))
            }
        }
    }

    /// Read behind what is in the buffer; how much was asked for, and how much came.
    fn fill(&mut self, line: &Line) -> io::Result<(usize, Option<usize>)> {
        self.buffer.copy_within(self.from..self.to, 0);
        (self.from, self.to) = (0, self.to - self.from);
        let room = &mut self.buffer[self.to..];
        let (asked, count) = (room.len(), line.read(room)?);
        self.to += count.unwrap_or(0);
        Ok((asked, count))
    }

    /// Whether a message is on its way in.
    pub fn is_amid(&self) -> bool {
        self.arriving.is_some()
    }

    fn is_between(&self) -> bool {
        self.arriving.is_none() && self.from == self.to
    }

    fn cut_short(&self) -> io::Error {
        let missing = self.arriving.as_ref().map_or(0, Arriving::left);
        let how = format!("the connection ended {missing} bytes before the end of a message");
        io::Error::new(io::ErrorKind::UnexpectedEof, how)
    }
}

impl Arriving {
    fn left(&self) -> u64 {
        self.header.bytes - self.come
    }

    /// Read past the buffer, which is empty; how much was asked for, and how much came.
    fn read(&mut self, line: &Line, memory: &mut Memory) -> io::Result<(usize, Option<usize>)> {
        let left = self.left();
        if let Way::Stored { at } = self.sink.way {
            let from = at + self.come;
            let count = line.read(memory.stored_mut(from..from + left))?;
            self.come += count.unwrap_or(0) as u64;
            return Ok((left as usize, count));
        }
        let scratch = memory.payload.scratch(left);
        let (asked, count) = (scratch.len(), line.read(scratch)?);
        if let Some(count) = count {
            match &mut self.sink.way {
                Way::Aside(kept) => kept.extend_from_slice(&scratch[..count]),
                Way::Known => memory.payload.check_scratch(self.come, count)?,
                Way::Dropped | Way::Stored { .. } => {}
            }
            self.come += count as u64;
        }
        Ok((asked, count))
    }
}
