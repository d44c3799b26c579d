//! What stands before each message of a channel.

use std::io;

pub const HEADER_BYTES: usize = 32;

/// What a header begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A message whose bytes follow.
    Eager = 1,
    /// A message that waits for its receive; nothing follows.
    Announced = 2,
    /// Its receive has begun; this one goes the other way.
    Granted = 3,
    /// The bytes of an announced message follow.
    Withheld = 4,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    pub kind: Kind,
    /// Whether its bytes are known to both ends, so that they need not be kept.
    pub is_generated: bool,
    /// Of announced messages, from the announcement to the last byte.
    pub number: u32,
    pub tag: u64,
    pub bytes: u64,
    /// When its source began with it, on the run's clock.
    pub began_ns: i64,
}

impl Header {
    pub fn to_wire(self) -> [u8; HEADER_BYTES] {
        let mut wire = [0; HEADER_BYTES];
        wire[0] = self.kind as u8;
        wire[1] = self.is_generated.into();
        wire[4..8].copy_from_slice(&self.number.to_le_bytes());
        wire[8..16].copy_from_slice(&self.tag.to_le_bytes());
        wire[16..24].copy_from_slice(&self.bytes.to_le_bytes());
        wire[24..].copy_from_slice(&self.began_ns.to_le_bytes());
        wire
    }

    /// Fails for what no agent of this version sends.
    pub fn from_wire(wire: &[u8; HEADER_BYTES]) -> io::Result<Header> {
        let word = |at: usize| u64::from_le_bytes(wire[at..at + 8].try_into().expect("8 bytes"));
        let kind = match wire[0] {
            1 => Kind::Eager,
            2 => Kind::Announced,
            3 => Kind::Granted,
            4 => Kind::Withheld,
            other => {
                let what = format!("a message of unknown kind {other}");
                return Err(io::Error::new(io::ErrorKind::InvalidData, what));
            }
        };
        Ok(Header {
            kind,
            is_generated: wire[1] != 0,
            number: u32::from_le_bytes(wire[4..8].try_into().expect("4 bytes")),
            tag: word(8),
            bytes: word(16),
            began_ns: word(24) as i64,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_survives_the_wire() {
        for kind in [Kind::Eager, Kind::Announced, Kind::Granted, Kind::Withheld] {
            let header = Header {
                kind,
                is_generated: kind == Kind::Eager,
                number: 70_000,
                tag: 3 << 40,
                bytes: 5 << 33,
                began_ns: -6,
            };
            assert_eq!(Header::from_wire(&header.to_wire()).unwrap(), header);
        }
        assert!(Header::from_wire(&[0; HEADER_BYTES]).is_err());
    }
}
