//! What became of the messages of a batch, where the transport may lose some.

use std::io::{self, Read, Write};

use serde::Serialize;

const FIELDS: usize = 7;

/// The account of one batch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Delivery {
    /// Messages sent; of a ping-pong, tries.
    pub sent: u32,
    /// Messages that arrived, each counted once; of a ping-pong, round trips that came to their end.
    pub received: u32,
    pub duplicated: u32,
    pub reordered: u32,
    /// Lost because the receiving socket's buffer was full, not on the path.
    pub overrun: u32,
    /// RFC 3550's interarrival jitter.
    pub jitter_ns: u64,
    /// From the first arrival to the last.
    pub span_ns: u64,
}

impl Delivery {
    #[cfg(test)]
    pub fn lost(&self) -> u32 {
        self.sent - self.received
    }

    /// Tell the other end.
    pub fn tell(&self, control: &mut impl Write) -> io::Result<()> {
        let numbers = [
            self.sent.into(),
            self.received.into(),
            self.duplicated.into(),
            self.reordered.into(),
            self.overrun.into(),
            self.jitter_ns,
            self.span_ns,
        ];
        let wire: Vec<u8> = numbers.into_iter().flat_map(u64::to_le_bytes).collect();
        control.write_all(&wire)
    }

    /// Receive what the other end counted.
    pub fn receive(control: &mut impl Read) -> io::Result<Delivery> {
        let mut wire = [0; 8 * FIELDS];
        control.read_exact(&mut wire)?;
        let number = |index: usize| {
            let bytes = wire[8 * index..8 * index + 8].try_into();
            u64::from_le_bytes(bytes.expect("8 bytes"))
        };
        Ok(Delivery {
            sent: number(0) as u32,
            received: number(1) as u32,
            duplicated: number(2) as u32,
            reordered: number(3) as u32,
            overrun: number(4) as u32,
            jitter_ns: number(5),
            span_ns: number(6),
        })
    }
}

/// A delivery and the row of samples it belongs to.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct DeliveryRow {
    pub phase: u32,
    pub batch: u32,
    #[serde(flatten)]
    pub delivery: Delivery,
    /// From the first sending to the last.
    pub sending_ns: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_account_survives_the_wire() {
        let delivery = Delivery {
            sent: 9,
            received: 8,
            duplicated: 1,
            reordered: 2,
            overrun: 3,
            jitter_ns: 1 << 40,
            span_ns: 5,
        };
        let mut wire = Vec::new();
        delivery.tell(&mut wire).unwrap();
        assert_eq!(Delivery::receive(&mut &wire[..]).unwrap(), delivery);
    }
}
