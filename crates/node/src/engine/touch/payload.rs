//! How bytes of messages go from place to place, where caches remember it.

use super::buffers::Extent;
use super::layout::{HEADERS_BYTES, PAGE_BYTES};
use super::touches::{Outgoing, Socket, Standing, Touches, next};
use crate::caches::Cost;
use crate::engine::job::Frame;
use crate::engine::node::Transfer;

impl Touches {
    fn socket(&mut self, flow: u32) -> &mut Socket {
        let flow = flow as usize;
        if self.sockets.len() <= flow {
            self.sockets.resize_with(flow + 1, Socket::default);
        }
        &mut self.sockets[flow]
    }

    /// Protocol processing copies the payload from the socket behind the headers.
    pub fn make_frame(&mut self, processor: usize, frame: Frame, at: Standing) -> Cost {
        let Some(Outgoing::Frame(made)) = self.outgoing.back().copied() else {
            return Cost::default();
        };
        let mut to = made.address + self.kept.packet_bytes + HEADERS_BYTES;
        let bytes = u64::from(frame.payload_bytes);
        let out = &self.socket(frame.flow).out;
        let sources: Vec<_> = out.extents(at.sent - bytes, bytes).collect();
        let mut cost = Cost::default();
        for from in sources {
            cost += self.process(processor, from, to);
            to += from.bytes;
        }
        cost
    }

    /// Protocol processing gives the payload to the socket: of one received frame, or of all that were merged.
    pub fn take_frame(&mut self, processor: usize, frame: Frame) -> Cost {
        let mut left_bytes = u64::from(frame.payload_bytes);
        let mut cost = Cost::default();
        while let Some((_, payload)) = self.waiting.pop_front() {
            cost += match self.splits {
                true => self.hand_on(processor, frame.flow, payload),
                false => {
                    let to = self.new_inward(frame.flow, payload.bytes);
                    self.process(processor, payload, to)
                }
            };
            left_bytes = left_bytes.saturating_sub(payload.bytes);
            if left_bytes == 0 {
                break;
            }
        }
        cost
    }

    /// Pages go to the socket as they are; their bytes are touched for the checksum only.
    fn hand_on(&mut self, processor: usize, flow: u32, payload: Extent) -> Cost {
        if payload.bytes > 0 {
            self.socket(flow).inward.append(payload);
        }
        let checked = words(payload.bytes, self.checksum_per_byte);
        let nowhere = payload.address;
        self.walker.copy(processor, payload, nowhere, checked, 0)
    }

    /// From buffer to buffer, with the checksum's reads.
    fn process(&mut self, processor: usize, from: Extent, to: u64) -> Cost {
        let checked = words(from.bytes, self.checksum_per_byte);
        let words = words(from.bytes, self.costs.protocol_accesses_per_byte / 2.0);
        self.walker
            .copy(processor, from, to, words + checked, words)
    }

    pub fn copy_out(&mut self, processor: usize, bytes: u64, at: Standing) -> Cost {
        let packet_bytes = self.kept.packet_bytes;
        while let Some(free) = self.socket(at.flow).out.release(at.acknowledged) {
            self.slab
                .give(free.address - packet_bytes, packet_bytes + free.bytes);
        }
        let address = self.slab.take(packet_bytes + bytes) + packet_bytes;
        self.socket(at.flow).out.append(Extent { address, bytes });
        let from = Extent {
            address: self.layout.user.address + at.copied,
            bytes,
        };
        let per_byte = self.costs.copy_accesses_per_byte;
        self.copy(processor, from, address, per_byte)
    }

    pub fn copy_in(&mut self, processor: usize, bytes: u64, at: Standing) -> Cost {
        let socket = self.socket(at.flow);
        let first = socket.consumed;
        socket.consumed += bytes;
        let sources: Vec<_> = socket.inward.extents(first, bytes).collect();
        let per_byte = self.copy_in_accesses_per_byte();
        let mut to = self.layout.user.address + at.copied;
        let mut cost = Cost::default();
        for from in sources {
            cost += self.copy(processor, from, to, per_byte);
            to += from.bytes;
        }
        while let Some(free) = self.socket(at.flow).inward.release(first + bytes) {
            self.give_inward(free);
        }
        cost
    }

    /// Between the process's memory and its library's, as often as the bytes need.
    pub fn copy_by_library(&mut self, processor: usize, bytes: u64) -> Cost {
        let (mut left_bytes, mut cost) = (bytes, Cost::default());
        while left_bytes > 0 && self.layout.library.bytes > 0 {
            let bytes = left_bytes.min(self.layout.library.bytes);
            let from = Extent {
                bytes,
                ..self.layout.user
            };
            let to = self.layout.library.address;
            cost += self.copy(processor, from, to, self.costs.copy_accesses_per_byte);
            left_bytes -= bytes;
        }
        cost
    }

    fn copy(&mut self, processor: usize, from: Extent, to: u64, per_byte: f64) -> Cost {
        let words = words(from.bytes, per_byte / 2.0);
        self.walker.copy(processor, from, to, words, words)
    }

    /// Room in the socket for payload that came in.
    fn new_inward(&mut self, flow: u32, bytes: u64) -> u64 {
        if bytes == 0 {
            return self.layout.heap;
        }
        let packet_bytes = self.kept.packet_bytes;
        let address = self.slab.take(packet_bytes + bytes) + packet_bytes;
        self.socket(flow).inward.append(Extent { address, bytes });
        address
    }

    fn give_inward(&mut self, free: Extent) {
        let packet_bytes = self.kept.packet_bytes;
        match self.splits {
            true => self.pages.give(free.address, free.bytes.max(PAGE_BYTES)),
            false => {
                let address = free.address - packet_bytes;
                self.slab.give(address, packet_bytes + free.bytes);
            }
        }
    }

    /// The next frame that waits for protocol processing is thrown away before it.
    pub fn forget_frame(&mut self) {
        if let (Some((_, payload)), true) = (self.waiting.pop_front(), self.splits) {
            self.pages
                .give(payload.address, payload.bytes.max(PAGE_BYTES));
        }
    }

    /// Bytes that came in are thrown away, wherever they are in the socket.
    pub fn discard(&mut self, flow: u32, first: u64, bytes: u64) {
        for free in self.socket(flow).inward.retract(first, bytes) {
            self.give_inward(free);
        }
    }

    /// A transfer of the network interface is over.
    pub fn transferred(&mut self, transfer: Transfer) {
        match transfer {
            Transfer::Out(_) => self.transferred_out(),
            Transfer::In(frame) => self.transferred_in(frame),
        }
    }

    fn transferred_out(&mut self) {
        self.driven = self.driven.saturating_sub(1);
        match self.outgoing.pop_front() {
            Some(Outgoing::Frame(frame)) => {
                self.walker.hierarchy.clean(frame.address, frame.bytes);
                self.slab.give(frame.address, frame.bytes);
            }
            Some(Outgoing::Stream { flow, first, bytes }) => {
                let extents: Vec<_> = self.socket(flow).out.extents(first, bytes).collect();
                for one in extents {
                    self.walker.hierarchy.clean(one.address, one.bytes);
                }
            }
            None => (),
        }
    }

    fn transferred_in(&mut self, frame: Frame) {
        let bytes = u64::from(frame.payload_bytes);
        let number = next(&mut self.had.crossed);
        let payload = match self.is_on_nic {
            true => Extent {
                address: self.new_inward(frame.flow, bytes),
                bytes,
            },
            false => self.frame_came(number, bytes),
        };
        for one in [self.layout.descriptor_in(number), payload] {
            self.overwrite(one);
        }
    }

    /// A frame that protocol processing of the host will have. Gives back where its payload is.
    fn frame_came(&mut self, number: u64, bytes: u64) -> Extent {
        let headers = Extent {
            address: self.layout.slot(number) + self.kept.packet_bytes,
            bytes: HEADERS_BYTES,
        };
        self.overwrite(headers);
        let address = match self.splits && bytes > 0 {
            true => self.pages.take(bytes.max(PAGE_BYTES)),
            false => headers.address + HEADERS_BYTES,
        };
        let payload = Extent { address, bytes };
        self.waiting.push_back((number, payload));
        payload
    }

    /// No cache has these bytes any more.
    fn overwrite(&mut self, place: Extent) {
        if place.bytes > 0 {
            let hierarchy = &mut self.walker.hierarchy;
            hierarchy.invalidate(place.address, place.bytes);
        }
    }
}

fn words(bytes: u64, per_byte: f64) -> u64 {
    (bytes as f64 * per_byte).ceil() as u64
}
