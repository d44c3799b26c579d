//! What a pattern needs of a transport: whole messages in both directions.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A connection to one peer. Patterns are generic over it, so that the compiler sees through the timed loop.
pub trait Channel {
    /// Hand all of `bytes` to the transport.
    fn send(&mut self, bytes: &[u8]) -> io::Result<()>;

    /// Fill all of `bytes`.
    fn recv(&mut self, bytes: &mut [u8]) -> io::Result<()>;

    /// Fill `bytes` from its start with what is there, at least one byte; gives how many. A channel that hands on whole
    /// messages only fills all of them.
    fn recv_some(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.recv(bytes)?;
        Ok(bytes.len())
    }

    /// Send `message` and fill `arriving`, which is as long, so many times each, in both directions at once.
    fn exchange(
        &mut self,
        _message: &[u8],
        _arriving: &mut [u8],
        _messages: u32,
    ) -> io::Result<()> {
        Err(io::Error::new(
            io::ErrorKind::Unsupported,
            "this transport does not send and receive at the same time",
        ))
    }
}

/// Nothing more comes from the other end.
#[cold]
pub fn closed() -> io::Error {
    let message = "the peer closed the connection";
    io::Error::new(io::ErrorKind::UnexpectedEof, message)
}

/// Bytes in each direction after which a channel that counts what comes in shows its count.
const SHOWN_EVERY_BYTES: usize = 8 << 20;

/// A channel that counts what it has received, for a watchdog where the kernel does not count.
pub struct CountedChannel<C> {
    channel: C,
    received: u64,
    shown: Arc<AtomicU64>,
}

impl<C> CountedChannel<C> {
    /// `shown` holds the count for others to read.
    pub fn new(channel: C, shown: Arc<AtomicU64>) -> Self {
        CountedChannel {
            channel,
            received: 0,
            shown,
        }
    }
}

impl<C: Channel> Channel for CountedChannel<C> {
    #[inline]
    fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.channel.send(bytes)
    }

    #[inline]
    fn recv(&mut self, bytes: &mut [u8]) -> io::Result<()> {
        self.channel.recv(bytes)?;
        self.received += 1;
        self.shown.store(self.received, Ordering::Relaxed);
        Ok(())
    }

    #[inline]
    fn recv_some(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let count = self.channel.recv_some(bytes)?;
        self.received += 1;
        self.shown.store(self.received, Ordering::Relaxed);
        Ok(count)
    }

    fn exchange(&mut self, message: &[u8], arriving: &mut [u8], messages: u32) -> io::Result<()> {
        let at_once = (SHOWN_EVERY_BYTES / message.len().max(1)).clamp(1, u32::MAX as usize) as u32;
        let mut left = messages;
        while left > 0 {
            let now = left.min(at_once);
            self.channel.exchange(message, arriving, now)?;
            left -= now;
            self.received += u64::from(now);
            self.shown.store(self.received, Ordering::Relaxed);
        }
        Ok(())
    }
}

/// A channel to nowhere: what remains of a timed loop over it is the loop's own cost.
pub struct NullChannel;

impl Channel for NullChannel {
    #[inline]
    fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        std::hint::black_box(bytes);
        Ok(())
    }

    #[inline]
    fn recv(&mut self, bytes: &mut [u8]) -> io::Result<()> {
        std::hint::black_box(bytes);
        Ok(())
    }
}
