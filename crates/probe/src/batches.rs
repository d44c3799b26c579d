//! The batches of a step as its driving end sees them, whatever carries the messages.

use std::io;

use memmap2::MmapMut;
use weft_plan::Pattern;

use crate::batch::{self, Timing};
use crate::channel::Channel;
use crate::delivery::Delivery;
use crate::order::Order;
use crate::pattern::Payload;

/// What came of one batch.
#[derive(Clone, Copy, Debug)]
pub struct Outcome {
    pub timing: Timing,
    /// The messages that the time is of: where some may be lost, those that were not.
    pub messages: u32,
    /// Where messages may be lost: what became of them, and how long they were sent.
    pub delivery: Option<(Delivery, u64)>,
}

/// A connection over which batches are run.
pub trait Batches {
    /// Get ready for messages of another size; tells what one takes, where that is known before the first batch.
    fn begin_phase(&mut self, _size_bytes: u64) -> io::Result<Option<u64>> {
        Ok(None)
    }

    /// Announce and time a batch.
    fn batch(&mut self, order: Order) -> io::Result<Outcome>;

    /// Release the peer.
    fn end(&mut self) -> io::Result<()>;
}

/// Batches over a channel, which loses nothing.
pub struct ChannelBatches<'a, C, P> {
    pattern: &'a Pattern,
    channel: C,
    payload: P,
    memory: MmapMut,
}

impl<'a, C, P> ChannelBatches<'a, C, P> {
    pub fn new(
        pattern: &'a Pattern,
        channel: C,
        payload: P,
        largest_bytes: u64,
    ) -> io::Result<Self> {
        Ok(ChannelBatches {
            pattern,
            channel,
            payload,
            memory: batch::memory(batch::memory_bytes(pattern, largest_bytes))?,
        })
    }
}

impl<C: Channel, P: Payload> Batches for ChannelBatches<'_, C, P> {
    fn batch(&mut self, order: Order) -> io::Result<Outcome> {
        let timing = batch::drive(
            self.pattern,
            &mut self.channel,
            &mut self.payload,
            &mut self.memory,
            order,
        )?;
        Ok(Outcome {
            timing,
            messages: order.messages,
            delivery: None,
        })
    }

    fn end(&mut self) -> io::Result<()> {
        self.channel.send(&Order::END.to_wire())
    }
}
