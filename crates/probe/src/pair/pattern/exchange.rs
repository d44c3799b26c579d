//! Exchange: messages in both directions at once.

use std::io;

use crate::transport::channel::Channel;

/// Send `messages` and receive as many, a window of them at a time, and wait until the other end has all.
#[inline]
pub fn drive<C: Channel>(
    channel: &mut C,
    message: &[u8],
    arriving: &mut [u8],
    messages: u32,
    window: u32,
) -> io::Result<()> {
    both_ways(channel, message, arriving, messages, window)?;
    channel.recv(&mut [0])
}

/// The other end, which says when it has all.
#[inline]
pub fn serve<C: Channel>(
    channel: &mut C,
    message: &[u8],
    arriving: &mut [u8],
    messages: u32,
    window: u32,
) -> io::Result<()> {
    both_ways(channel, message, arriving, messages, window)?;
    channel.send(&[1])
}

#[inline]
fn both_ways<C: Channel>(
    channel: &mut C,
    message: &[u8],
    arriving: &mut [u8],
    messages: u32,
    window: u32,
) -> io::Result<()> {
    let mut left = messages;
    while left > 0 {
        let now = left.min(window);
        channel.exchange(message, arriving, now)?;
        left -= now;
    }
    Ok(())
}
