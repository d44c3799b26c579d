//! Frames on a guest's serial port: what they are, how long, and their bytes.

use std::io::{self, ErrorKind, Read, Write};

use serde::{Deserialize, Serialize};

/// What a guest answers to `Hello`. Bytes before it are of an earlier session.
pub const GREETING: [u8; 16] = *b"\0weft-guest-here";
const LONGEST_BYTES: u32 = 1 << 20;

/// What a frame is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// To a guest: a session begins, which it answers by the greeting. What ran in an earlier session ends.
    Hello = 1,
    /// To a guest: the program to run, as JSON of `Order`.
    Run,
    /// To a guest: bytes for its standard input; none at its end.
    Input,
    /// From a guest: what the program wrote.
    Output,
    /// From a guest: what it wrote to its standard error.
    Error,
    /// From a guest: how it ended, as JSON of `End`. The last frame.
    Ended,
}

/// A program to run.
#[derive(Debug, Serialize, Deserialize)]
pub struct Order {
    pub command: Vec<String>,
}

/// How a program ended, or why it was not started; the status is a shell's.
#[derive(Debug, Serialize, Deserialize)]
pub struct End {
    pub status: i32,
    pub message: String,
}

impl Kind {
    fn of(byte: u8) -> Option<Self> {
        let all = [
            Self::Hello,
            Self::Run,
            Self::Input,
            Self::Output,
            Self::Error,
            Self::Ended,
        ];
        all.into_iter().find(|kind| *kind as u8 == byte)
    }
}

/// Writes a frame at once, so that several threads may write in turn.
pub fn write(to: &mut impl Write, kind: Kind, bytes: &[u8]) -> io::Result<()> {
    let mut frame = Vec::with_capacity(5 + bytes.len());
    frame.push(kind as u8);
    frame.extend((bytes.len() as u32).to_le_bytes());
    frame.extend(bytes);
    to.write_all(&frame)
}

/// Reads a frame; an error at the end, and for what is none.
pub fn read(from: &mut impl Read) -> io::Result<(Kind, Vec<u8>)> {
    let mut head = [0; 5];
    from.read_exact(&mut head)?;
    let [kind, length @ ..] = head;
    let length = u32::from_le_bytes(length);
    let kind = Kind::of(kind).filter(|_| length <= LONGEST_BYTES);
    let kind = kind.ok_or_else(|| io::Error::new(ErrorKind::InvalidData, "not a frame"))?;
    let mut bytes = vec![0; length as usize];
    from.read_exact(&mut bytes)?;
    Ok((kind, bytes))
}

/// Skips what comes before the greeting, and the greeting.
pub fn await_greeting(from: &mut impl Read) -> io::Result<()> {
    let mut latest = [0; GREETING.len()];
    while latest != GREETING {
        latest.rotate_left(1);
        from.read_exact(&mut latest[GREETING.len() - 1..])?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let mut wire = Vec::new();
        write(&mut wire, Kind::Output, b"hello").unwrap();
        write(&mut wire, Kind::Input, b"").unwrap();
        let mut from = &wire[..];
        assert_eq!(read(&mut from).unwrap(), (Kind::Output, b"hello".to_vec()));
        assert_eq!(read(&mut from).unwrap(), (Kind::Input, Vec::new()));
        assert_eq!(
            read(&mut from).unwrap_err().kind(),
            ErrorKind::UnexpectedEof
        );
    }

    #[test]
    fn what_is_no_frame_is_refused() {
        for bad in [[9, 1, 0, 0, 0, 0], [4, 0, 0, 0, 255, 0]] {
            let error = read(&mut &bad[..]).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidData);
        }
    }

    #[test]
    fn the_rest_of_an_earlier_session_is_skipped() {
        let wire = [b"rest\0weft-gue", &GREETING[..], b"next"].concat();
        let mut from = &wire[..];
        await_greeting(&mut from).unwrap();
        assert_eq!(from, b"next");
    }
}
