//! The first thing that a connection between agents carries: the token, who is there, and what for.

use crate::listener::token::{TOKEN_BYTES, Token};

/// The length of a hello on the wire.
pub const HELLO_BYTES: usize = TOKEN_BYTES + 16;

/// What a connection is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// The barrier's messages of one round.
    Barrier { round: u32 },
    /// Readings of the receiver's clock.
    Clock,
    /// One stream of a transfer, in the session's phase number `sequence`.
    Data { sequence: u32, stream: u32 },
}

/// Who comes in, and what for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hello {
    pub node: u32,
    /// The network it comes over.
    pub network: u32,
    pub purpose: Purpose,
}

impl Hello {
    pub fn to_wire(self, token: &Token) -> [u8; HELLO_BYTES] {
        let (kind, first, second) = match self.purpose {
            Purpose::Barrier { round } => (1, round, 0),
            Purpose::Clock => (2, 0, 0),
            Purpose::Data { sequence, stream } => (3, sequence, stream),
        };
        let mut wire = [0; HELLO_BYTES];
        wire[..TOKEN_BYTES].copy_from_slice(token.bytes());
        wire[TOKEN_BYTES] = kind;
        wire[TOKEN_BYTES + 1] = self.network as u8;
        wire[TOKEN_BYTES + 4..TOKEN_BYTES + 8].copy_from_slice(&self.node.to_le_bytes());
        wire[TOKEN_BYTES + 8..TOKEN_BYTES + 12].copy_from_slice(&first.to_le_bytes());
        wire[TOKEN_BYTES + 12..].copy_from_slice(&second.to_le_bytes());
        wire
    }

    /// What comes after the token; `None` when no agent of this version says that.
    pub fn from_wire(wire: &[u8; HELLO_BYTES]) -> Option<Hello> {
        let number = |at: usize| {
            let bytes = &wire[TOKEN_BYTES + at..TOKEN_BYTES + at + 4];
            u32::from_le_bytes(bytes.try_into().expect("4 bytes"))
        };
        let purpose = match wire[TOKEN_BYTES] {
            1 => Purpose::Barrier { round: number(8) },
            2 => Purpose::Clock,
            3 => Purpose::Data {
                sequence: number(8),
                stream: number(12),
            },
            _ => return None,
        };
        Some(Hello {
            node: number(4),
            network: u32::from(wire[TOKEN_BYTES + 1]),
            purpose,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hello_survives_the_wire() {
        let token: Token = serde_json::from_str(&format!("{:?}", "ab".repeat(32))).unwrap();
        let purposes = [
            Purpose::Barrier { round: 6 },
            Purpose::Clock,
            Purpose::Data {
                sequence: 70_000,
                stream: 3,
            },
        ];
        for purpose in purposes {
            let hello = Hello {
                node: 127,
                network: 1,
                purpose,
            };
            let wire = hello.to_wire(&token);
            assert_eq!(Hello::from_wire(&wire), Some(hello));
            assert_eq!(wire[..TOKEN_BYTES], [0xab; TOKEN_BYTES]);
        }
        assert_eq!(Hello::from_wire(&[0; HELLO_BYTES]), None);
    }
}
