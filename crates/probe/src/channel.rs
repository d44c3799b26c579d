//! What a pattern needs of a transport: whole messages in both directions.

use std::io;

/// A connection to one peer. Patterns are generic over it, so that the compiler sees through the timed loop.
pub trait Channel {
    /// Hand all of `bytes` to the transport.
    fn send(&mut self, bytes: &[u8]) -> io::Result<()>;

    /// Fill all of `bytes`.
    fn recv(&mut self, bytes: &mut [u8]) -> io::Result<()>;
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
