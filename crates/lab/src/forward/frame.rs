//! Ethernet frames and the pool of their buffers: forwarding allocates nothing once it runs.

use crate::address::MacAddress;

/// A frame in a buffer that may be larger.
pub struct Frame {
    buffer: Box<[u8]>,
    length: usize,
}

impl Frame {
    /// What came from the link.
    pub fn bytes(&self) -> &[u8] {
        &self.buffer[..self.length]
    }

    /// The whole buffer, to receive into.
    pub fn buffer(&mut self) -> &mut [u8] {
        &mut self.buffer
    }

    /// Says how much was received; false if it was more than the buffer holds.
    pub fn set_length(&mut self, length: usize) -> bool {
        self.length = length.min(self.buffer.len());
        length == self.length
    }

    /// Its destination.
    pub fn destination(&self) -> Option<MacAddress> {
        self.bytes().first_chunk().copied()
    }
}

/// Buffers that wait for the next frame.
pub struct FramePool {
    spares: Vec<Box<[u8]>>,
    frame_bytes: usize,
}

impl FramePool {
    /// A pool of buffers for frames up to a size.
    pub fn new(frame_bytes: usize) -> Self {
        Self {
            spares: Vec::new(),
            frame_bytes,
        }
    }

    /// An empty frame.
    pub fn take(&mut self) -> Frame {
        let new = || vec![0; self.frame_bytes].into_boxed_slice();
        Frame {
            buffer: self.spares.pop().unwrap_or_else(new),
            length: 0,
        }
    }

    /// Takes a frame back whose contents are no longer wanted.
    pub fn put(&mut self, frame: Frame) {
        self.spares.push(frame.buffer);
    }

    /// A second frame with the same contents.
    pub fn copy(&mut self, frame: &Frame) -> Frame {
        let mut copy = self.take();
        copy.buffer[..frame.length].copy_from_slice(frame.bytes());
        copy.length = frame.length;
        copy
    }
}
