//! Ping-pong: a message goes there and comes back.

use std::io;

use super::Payload;
use crate::transport::channel::Channel;

/// Send `message` and wait for its return, `round_trips` times.
#[inline]
pub fn drive<C: Channel, P: Payload>(
    channel: &mut C,
    payload: &mut P,
    message: &mut [u8],
    round_trips: u32,
) -> io::Result<()> {
    for _ in 0..round_trips {
        payload.prepare(message);
        channel.send(message)?;
        channel.recv(message)?;
        payload.verify(message)?;
    }
    Ok(())
}

/// Return every message as it arrives.
#[inline]
pub fn serve<C: Channel, P: Payload>(
    channel: &mut C,
    payload: &mut P,
    message: &mut [u8],
    round_trips: u32,
) -> io::Result<()> {
    for _ in 0..round_trips {
        channel.recv(message)?;
        payload.verify(message)?;
        payload.prepare(message);
        channel.send(message)?;
    }
    Ok(())
}
