//! Shared memory as a channel: two directions, and ends that look again and again.

use std::io::{self, IoSlice, IoSliceMut};
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, recvmsg, sendmsg,
};

use crate::transport::channel::Channel;
use crate::transport::rings::{CELL_BYTES, Reader, Rings, Writer};
use crate::transport::wait::Wait;

/// Looks between two questions whether to go on at all.
const LOOKS_PER_QUESTION: u32 = 4096;

/// A pair of directions as a channel.
pub struct ShmChannel<W> {
    writer: Writer,
    reader: Reader,
    cut: Arc<AtomicBool>,
    wait: PhantomData<W>,
    /// Keeps mapped what the ends point into.
    _rings: Rings,
}

impl<W: Wait> ShmChannel<W> {
    /// `cut` ends all waiting once it is set.
    pub fn new(rings: Rings, is_creator: bool, cut: Arc<AtomicBool>) -> Self {
        let (writer, reader) = rings.ends(is_creator);
        ShmChannel {
            writer,
            reader,
            cut,
            wait: PhantomData,
            _rings: rings,
        }
    }
}

impl<W: Wait> Channel for ShmChannel<W> {
    #[inline]
    fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        if bytes.len() <= CELL_BYTES {
            return until::<W>(&self.cut, || self.writer.try_put_cell(bytes));
        }
        let mut sent = 0;
        until::<W>(&self.cut, || {
            sent += self.writer.put_chunk(&bytes[sent..]);
            sent == bytes.len()
        })
    }

    #[inline]
    fn recv(&mut self, bytes: &mut [u8]) -> io::Result<()> {
        if bytes.len() <= CELL_BYTES {
            return until::<W>(&self.cut, || self.reader.try_take_cell(bytes));
        }
        let mut received = 0;
        until::<W>(&self.cut, || {
            received += self.reader.take_chunk(&mut bytes[received..]);
            received == bytes.len()
        })
    }

    fn exchange(&mut self, message: &[u8], arriving: &mut [u8], messages: u32) -> io::Result<()> {
        if message.len() <= CELL_BYTES {
            let (mut sent, mut received) = (0, 0);
            return until::<W>(&self.cut, || {
                sent += u32::from(sent < messages && self.writer.try_put_cell(message));
                received += u32::from(received < messages && self.reader.try_take_cell(arriving));
                sent == messages && received == messages
            });
        }
        let total = message.len() * messages as usize;
        let (mut sent, mut received) = (0, 0);
        until::<W>(&self.cut, || {
            if sent < total {
                sent += self.writer.put_chunk(&message[sent % message.len()..]);
            }
            if received < total {
                let place = received % arriving.len();
                received += self.reader.take_chunk(&mut arriving[place..]);
            }
            sent == total && received == total
        })
    }
}

/// Look until it is done, or cut.
#[inline]
fn until<W: Wait>(cut: &AtomicBool, mut done: impl FnMut() -> bool) -> io::Result<()> {
    loop {
        for _ in 0..LOOKS_PER_QUESTION {
            if done() {
                return Ok(());
            }
            W::idle();
        }
        if cut.load(Ordering::Acquire) {
            return Err(io::Error::new(
                io::ErrorKind::UnexpectedEof,
                "the peer ended",
            ));
        }
    }
}

/// Make memory and give it to the process at the other end of `socket`.
pub fn share(socket: &UnixStream) -> io::Result<Rings> {
    let (rings, fd) = Rings::create()?;
    let fds = [fd.as_fd()];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    control.push(SendAncillaryMessage::ScmRights(&fds));
    // A descriptor travels with at least one byte.
    sendmsg(
        socket,
        &[IoSlice::new(&[0])],
        &mut control,
        SendFlags::NOSIGNAL,
    )?;
    Ok(rings)
}

/// Take the memory that the process at the other end of `socket` has made.
pub fn take(socket: &UnixStream) -> io::Result<Rings> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let mut byte = [0];
    recvmsg(
        socket,
        &mut [IoSliceMut::new(&mut byte)],
        &mut control,
        RecvFlags::CMSG_CLOEXEC,
    )?;
    Rings::open(first_descriptor(&mut control)?)
}

fn first_descriptor(control: &mut RecvAncillaryBuffer) -> io::Result<OwnedFd> {
    control
        .drain()
        .find_map(|message| match message {
            RecvAncillaryMessage::ScmRights(mut fds) => fds.next(),
            _ => None,
        })
        .ok_or_else(|| {
            io::Error::new(
                io::ErrorKind::InvalidData,
                "the peer sent no descriptor of shared memory",
            )
        })
}
