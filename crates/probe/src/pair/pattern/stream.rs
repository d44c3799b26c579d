//! Stream: messages in one direction, acknowledged once a window and at the end.

use std::io;

use super::Payload;
use crate::application::Application;
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

/// Receive `messages` and compute with them, acknowledging as `drive` expects.
#[inline]
pub fn serve<C: Channel, P: Payload, A: Application>(
    channel: &mut C,
    (payload, application): (&mut P, &mut A),
    message: &mut [u8],
    messages: u32,
    window: u32,
) -> io::Result<()> {
    for received in 1..=messages {
        receive(channel, application, message)?;
        payload.verify(message)?;
        if received % window == 0 || received == messages {
            channel.send(&[1])?;
        }
    }
    Ok(())
}

#[inline]
fn receive<C: Channel, A: Application>(
    channel: &mut C,
    application: &mut A,
    message: &mut [u8],
) -> io::Result<()> {
    if !application.takes_reads() {
        channel.recv(message)?;
        application.compute(message.len());
        return Ok(());
    }
    let mut received = 0;
    while received < message.len() {
        let count = channel.recv_some(&mut message[received..])?;
        application.compute(count);
        received += count;
    }
    Ok(())
}
