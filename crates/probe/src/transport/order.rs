//! What the driving end sends the serving end over the data connection before each batch.

use std::io;

use crate::transport::channel::Channel;

const WIRE_BYTES: usize = 24;
/// On the wire, of a batch beside which nothing is recorded.
const UNRECORDED: u32 = u32::MAX;
const MAGIC: u32 = 0x7765_6674;
const READY: u8 = 0x52;

/// What says that there is nothing more to come: an order of nothing. It is static because a channel that does not copy
/// sends from it after the call.
pub static END: [u8; WIRE_BYTES] = {
    let [a, b, c, d] = MAGIC.to_le_bytes();
    let mut wire = [0; WIRE_BYTES];
    (wire[0], wire[1], wire[2], wire[3]) = (a, b, c, d);
    wire
};

/// One batch to serve; no messages means that there is nothing more to come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Order {
    pub size_bytes: u64,
    pub messages: u32,
    pub phase: u32,
    /// Its number in the phase; none where no evidence is recorded beside it: of a warm-up, and where that takes too long.
    pub batch: Option<u32>,
}

impl Order {
    /// Of a batch that belongs to none: the application of the other end does not compute.
    pub const NO_PHASE: u32 = u32::MAX;

    /// A batch without evidence.
    pub fn unrecorded(phase: u32, size_bytes: u64, messages: u32) -> Order {
        Order {
            size_bytes,
            messages,
            phase,
            batch: None,
        }
    }

    pub fn is_end(self) -> bool {
        self.messages == 0
    }

    /// Announce the batch and wait until the peer is ready for it.
    pub fn announce<C: Channel>(self, channel: &mut C) -> io::Result<()> {
        let wire = self.to_wire();
        channel.send(&wire)?;
        let mut ready = [READY];
        channel.recv(&mut ready)?;
        // A channel that does not copy may have sent from it until now.
        std::hint::black_box(&wire);
        if ready == [READY] {
            Ok(())
        } else {
            Err(garbled())
        }
    }

    /// Wait for an order of at most `max_bytes` a message.
    pub fn await_from<C: Channel>(channel: &mut C, max_bytes: u64) -> io::Result<Order> {
        let mut wire = [0; WIRE_BYTES];
        channel.recv(&mut wire)?;
        let order = Order::from_wire(wire)?;
        if order.size_bytes > max_bytes {
            Err(garbled())
        } else {
            Ok(order)
        }
    }

    /// Tell the driving end that the batch may start.
    pub fn accept<C: Channel>(channel: &mut C) -> io::Result<()> {
        channel.send(&[READY])
    }

    fn to_wire(self) -> [u8; WIRE_BYTES] {
        let mut wire = [0; WIRE_BYTES];
        wire[..4].copy_from_slice(&MAGIC.to_le_bytes());
        wire[4..8].copy_from_slice(&self.messages.to_le_bytes());
        wire[8..16].copy_from_slice(&self.size_bytes.to_le_bytes());
        wire[16..20].copy_from_slice(&self.phase.to_le_bytes());
        wire[20..].copy_from_slice(&self.batch.unwrap_or(UNRECORDED).to_le_bytes());
        wire
    }

    fn from_wire(wire: [u8; WIRE_BYTES]) -> io::Result<Order> {
        let word = |at: usize| u32::from_le_bytes(wire[at..at + 4].try_into().expect("4 bytes"));
        if word(0) != MAGIC {
            return Err(garbled());
        }
        let batch = word(20);
        Ok(Order {
            messages: word(4),
            size_bytes: u64::from_le_bytes(wire[8..16].try_into().expect("8 bytes")),
            phase: word(16),
            batch: (batch != UNRECORDED).then_some(batch),
        })
    }
}

fn garbled() -> io::Error {
    io::Error::new(
        io::ErrorKind::InvalidData,
        "the two ends lost step: an order on the data connection is garbled",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_survives_the_wire() {
        let order = Order {
            size_bytes: 1 << 40,
            messages: 77,
            phase: 5,
            batch: Some(3),
        };
        for order in [order, Order::unrecorded(5, 1 << 40, 77)] {
            assert_eq!(Order::from_wire(order.to_wire()).unwrap(), order);
        }
    }

    #[test]
    fn the_end_is_an_order_of_nothing() {
        assert!(Order::from_wire(END).unwrap().is_end());
    }

    #[test]
    fn garbage_is_no_order() {
        assert!(Order::from_wire([0x20; WIRE_BYTES]).is_err());
    }
}
