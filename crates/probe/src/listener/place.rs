//! Which of a session's connections one is: each place is taken once.

/// The length of a place on the wire.
pub const PLACE_BYTES: usize = 16;

/// What a connection is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Purpose {
    /// The barrier's messages of one round.
    Barrier { round: u32 },
    /// Readings of the receiver's clock.
    Clock,
    /// One stream of a transfer, in the session's phase number `sequence`.
    Data { sequence: u32, stream: u32 },
    /// Messages of the connecting member, for the whole session.
    Channel,
    /// One of the connections that share the messages of a pair; most have one.
    Pair { connection: u32 },
    /// The Multipath TCP connection of a pair.
    Multipath,
    /// The Unix socket of a pair inside one node.
    Local,
    /// Chunks of a file, over a link of that number.
    Cast { generation: u32 },
}

/// Where a connection comes from, and what for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    /// The connecting node; 0 in a step between two nodes.
    pub node: u32,
    /// The network it comes over.
    pub network: u32,
    pub purpose: Purpose,
}

impl Place {
    /// A place in a step between two nodes.
    pub fn in_pair(purpose: Purpose) -> Place {
        Place {
            node: 0,
            network: 0,
            purpose,
        }
    }

    pub fn to_wire(self) -> [u8; PLACE_BYTES] {
        let (kind, first, second) = match self.purpose {
            Purpose::Barrier { round } => (1, round, 0),
            Purpose::Clock => (2, 0, 0),
            Purpose::Data { sequence, stream } => (3, sequence, stream),
            Purpose::Pair { connection } => (4, connection, 0),
            Purpose::Multipath => (5, 0, 0),
            Purpose::Local => (6, 0, 0),
            Purpose::Cast { generation } => (7, generation, 0),
            Purpose::Channel => (8, 0, 0),
        };
        let mut wire = [0; PLACE_BYTES];
        wire[0] = kind;
        wire[1] = self.network as u8;
        wire[4..8].copy_from_slice(&self.node.to_le_bytes());
        wire[8..12].copy_from_slice(&first.to_le_bytes());
        wire[12..].copy_from_slice(&second.to_le_bytes());
        wire
    }

    /// `None` for what no agent of this version sends.
    pub fn from_wire(wire: &[u8; PLACE_BYTES]) -> Option<Place> {
        let number = |at: usize| u32::from_le_bytes(wire[at..at + 4].try_into().expect("4 bytes"));
        let purpose = match wire[0] {
            1 => Purpose::Barrier { round: number(8) },
            2 => Purpose::Clock,
            3 => Purpose::Data {
                sequence: number(8),
                stream: number(12),
            },
            4 => Purpose::Pair {
                connection: number(8),
            },
            5 => Purpose::Multipath,
            6 => Purpose::Local,
            7 => Purpose::Cast {
                generation: number(8),
            },
            8 => Purpose::Channel,
            _ => return None,
        };
        Some(Place {
            node: number(4),
            network: u32::from(wire[1]),
            purpose,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_survives_the_wire() {
        let purposes = [
            Purpose::Barrier { round: 6 },
            Purpose::Clock,
            Purpose::Data {
                sequence: 70_000,
                stream: 3,
            },
            Purpose::Pair { connection: 2 },
            Purpose::Multipath,
            Purpose::Local,
            Purpose::Cast { generation: 5 },
            Purpose::Channel,
        ];
        for purpose in purposes {
            let place = Place {
                node: 127,
                network: 1,
                purpose,
            };
            assert_eq!(Place::from_wire(&place.to_wire()), Some(place));
        }
        assert_eq!(Place::from_wire(&[0; PLACE_BYTES]), None);
    }
}
