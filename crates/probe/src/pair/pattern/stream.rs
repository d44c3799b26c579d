//! Stream: messages in one direction, acknowledged once a window and at the end.

use std::io;

use super::Payload;
use crate::transport::channel::Channel;

/// Send `messages`, waiting for one byte after each `window` of them and after the last.
#[inline]
pub fn drive<C: Channel, P: Payload>(
    channel: &mut C,
    payload: &mut P,
    message: &mut [u8],
    messages: u32,
    window: u32,
) -> io::Result<()> {
    for sent in 1..=messages {
        payload.prepare(message);
        channel.send(message)?;
        if sent % window == 0 || sent == messages {
            channel.recv(&mut [0])?;
        }
    }
    Ok(())
}

/// Receive `messages`, acknowledging as `drive` expects.
#[inline]
pub fn serve<C: Channel, P: Payload>(
    channel: &mut C,
    payload: &mut P,
    message: &mut [u8],
    messages: u32,
    window: u32,
) -> io::Result<()> {
    for received in 1..=messages {
        channel.recv(message)?;
        payload.verify(message)?;
        if received % window == 0 || received == messages {
            channel.send(&[1])?;
        }
    }
    Ok(())
}
