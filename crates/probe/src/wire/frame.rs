//! Length-prefixed frames on standard input and output.
//!
//! A frame is a 32-bit little-endian length, one byte of kind, and that many bytes of payload.

use std::io::{self, Read, Write};

/// The largest payload that is believed; more is an error before anything is allocated.
pub const MAX_PAYLOAD_BYTES: u32 = 16 << 20;

/// What a frame carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// A JSON message.
    Json = b'J',
    /// An Arrow IPC stream of samples.
    Samples = b'A',
    /// An Arrow IPC stream of evidence.
    Evidence = b'E',
    /// An Arrow IPC stream of probes of a watch.
    Probes = b'P',
    /// Bytes for or from a program that a relay has started.
    Relayed = b'R',
}

impl Kind {
    fn from_byte(byte: u8) -> io::Result<Self> {
        let all = [
            Kind::Json,
            Kind::Samples,
            Kind::Evidence,
            Kind::Probes,
            Kind::Relayed,
        ];
        let mut all = all.into_iter();
        all.find(|kind| *kind as u8 == byte)
            .ok_or_else(|| invalid(format!("a frame of unknown kind {byte:#04x}")))
    }
}

/// Read one frame; `None` at a clean end of the stream.
pub fn read(input: &mut impl Read) -> io::Result<Option<(Kind, Vec<u8>)>> {
    let mut length = Vec::new();
    if input.by_ref().take(4).read_to_end(&mut length)? == 0 {
        return Ok(None);
    }
    let length = u32::from_le_bytes(length.try_into().map_err(|_| cut_short())?);
    if length > MAX_PAYLOAD_BYTES {
        return Err(invalid(format!(
            "a frame claims {length} bytes, at most {MAX_PAYLOAD_BYTES} are allowed"
        )));
    }
    let mut kind = [0];
    input.read_exact(&mut kind)?;
    let kind = Kind::from_byte(kind[0])?;
    let mut payload = Vec::new();
    // Grows with what really arrives, so that a lying length costs nothing.
    let arrived = input.take(u64::from(length)).read_to_end(&mut payload)?;
    if arrived < length as usize {
        return Err(cut_short());
    }
    Ok(Some((kind, payload)))
}

/// Write one frame and flush it.
pub fn write(output: &mut impl Write, kind: Kind, payload: &[u8]) -> io::Result<()> {
    let length = u32::try_from(payload.len())
        .ok()
        .filter(|length| *length <= MAX_PAYLOAD_BYTES)
        .ok_or_else(|| invalid(format!("a frame of {} bytes is too long", payload.len())))?;
    output.write_all(&length.to_le_bytes())?;
    output.write_all(&[kind as u8])?;
    output.write_all(payload)?;
    output.flush()
}

fn cut_short() -> io::Error {
    io::Error::new(io::ErrorKind::UnexpectedEof, "a frame was cut short")
}

fn invalid(message: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_frame_that_claims_4_gb_is_refused_unread() {
        let bytes = [0xff, 0xff, 0xff, 0xff, b'J'];
        let error = read(&mut &bytes[..]).unwrap_err();
        assert!(error.to_string().contains("4294967295"), "{error}");
    }

    #[test]
    fn the_end_between_frames_is_clean_and_inside_one_is_not() {
        assert!(read(&mut &b""[..]).unwrap().is_none());
        assert_eq!(
            read(&mut &b"\x02\0"[..]).unwrap_err().kind(),
            io::ErrorKind::UnexpectedEof
        );
        assert_eq!(
            read(&mut &b"\x02\0\0\0J{"[..]).unwrap_err().kind(),
            io::ErrorKind::UnexpectedEof
        );
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(payload in proptest::collection::vec(any::<u8>(), 0..2000), samples: bool) {
            let kind = if samples { Kind::Samples } else { Kind::Json };
            let mut bytes = Vec::new();
            write(&mut bytes, kind, &payload).unwrap();
            prop_assert_eq!(read(&mut &bytes[..]).unwrap(), Some((kind, payload)));
        }

        #[test]
        fn no_bytes_make_the_decoder_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let mut input = &bytes[..];
            while let Ok(Some(_)) = read(&mut input) {}
        }
    }
}
