//! One batch: a pattern, a number of messages of one size, and how long they took.

use std::io;

use memmap2::MmapMut;
use weft_plan::Pattern;

use crate::application::Application;
use crate::evidence::ServingEnd;
use crate::pair::pattern::{Payload, exchange, pingpong, stream};
use crate::system::clock::now_ns;
use crate::system::memory::memory;
use crate::transport::batches::{Batches, Outcome, Timing};
use crate::transport::channel::Channel;
use crate::transport::order::{END, Order};

/// Announce and time one batch of `order.messages` messages.
pub fn drive<C: Channel, P: Payload>(
    pattern: &Pattern,
    channel: &mut C,
    payload: &mut P,
    memory: &mut [u8],
    order: Order,
) -> io::Result<Timing> {
    order.announce(channel)?;
    time(
        pattern,
        channel,
        payload,
        message_in(pattern, memory, order.size_bytes),
        order.messages,
    )
}

/// How much memory messages of at most so many bytes need: what arrives while one goes out needs a place of its own.
pub fn memory_bytes(pattern: &Pattern, largest_bytes: u64) -> u64 {
    match pattern {
        Pattern::Exchange { .. } => 2 * largest_bytes,
        _ => largest_bytes,
    }
}

/// The part of such memory that messages of so many bytes use.
pub fn message_in<'a>(pattern: &Pattern, memory: &'a mut [u8], size_bytes: u64) -> &'a mut [u8] {
    &mut memory[..memory_bytes(pattern, size_bytes) as usize]
}

/// Time one batch without announcing it.
pub fn time<C: Channel, P: Payload>(
    pattern: &Pattern,
    channel: &mut C,
    payload: &mut P,
    message: &mut [u8],
    messages: u32,
) -> io::Result<Timing> {
    let start_ns = now_ns();
    match pattern {
        Pattern::Pingpong => pingpong::drive(channel, payload, message, messages)?,
        Pattern::Stream { window, .. } => {
            stream::drive(channel, payload, message, messages, *window)?
        }
        Pattern::Exchange { window } => {
            let (message, arriving) = message.split_at_mut(message.len() / 2);
            exchange::drive(channel, message, arriving, messages, *window)?
        }
        many => return Err(no_pair(many)),
    }
    Ok(Timing {
        start_ns,
        elapsed_ns: now_ns() - start_ns,
    })
}

/// Serve batches until the driving end says that there are no more.
pub fn serve_all<C: Channel, P: Payload, A: Application>(
    pattern: &Pattern,
    channel: &mut C,
    (payload, application): (&mut P, &mut A),
    memory: &mut [u8],
    evidence: &mut ServingEnd,
) -> io::Result<()> {
    loop {
        let largest_bytes = memory.len() as u64 / memory_bytes(pattern, 1);
        let order = Order::await_from(channel, largest_bytes)?;
        evidence.before(order)?;
        if order.is_end() {
            return Ok(());
        }
        application.begin(order);
        Order::accept(channel)?;
        let message = message_in(pattern, memory, order.size_bytes);
        match pattern {
            Pattern::Pingpong => pingpong::serve(channel, payload, message, order.messages)?,
            Pattern::Stream { window, .. } => {
                let ends = (&mut *payload, &mut *application);
                stream::serve(channel, ends, message, order.messages, *window)?
            }
            Pattern::Exchange { window } => {
                let (message, arriving) = message.split_at_mut(message.len() / 2);
                exchange::serve(channel, message, arriving, order.messages, *window)?
            }
            many => return Err(no_pair(many)),
        }
        evidence.after();
        application.end();
    }
}

/// How many times a message crosses the network, one direction after the other, in a batch of one message.
pub fn crossings(pattern: &Pattern) -> u64 {
    match pattern {
        Pattern::Pingpong => 2,
        _ => 1,
    }
}

/// Patterns between many nodes have no batches; a coordinator that asks for one is told so.
fn no_pair(pattern: &Pattern) -> io::Error {
    let name = pattern.name();
    io::Error::new(
        io::ErrorKind::InvalidInput,
        format!("{name} is not between a pair of nodes"),
    )
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
            memory: memory(memory_bytes(pattern, largest_bytes))?,
        })
    }
}

impl<C: Channel, P: Payload> Batches for ChannelBatches<'_, C, P> {
    fn batch(&mut self, order: Order) -> io::Result<Outcome> {
        let timing = drive(
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
        self.channel.send(&END)
    }
}
