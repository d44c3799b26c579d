//! One end of a UDP socket: datagrams, their fragments, and what found no room (RFC 768, RFC 791).

mod sent;

use std::collections::{BTreeSet, VecDeque};
use weft_plan::named_enum;

pub use sent::Sent;

use super::connection::NOTES_BYTES;
use super::job::{Frame, Header, IP_BYTES, UDP_BYTES};
use super::process::{Carrier, Exchange};
use crate::machine::Machine;

/// Fragments begin at multiples of so many bytes.
const FRAGMENT_UNIT_BYTES: u64 = 8;

named_enum! {
    /// Where a datagram was lost.
    pub enum Place {
        /// The ring of the network interface.
        Ring = "ring",
        /// Between driver and protocol processing.
        Backlog = "backlog",
        /// The buffer of the socket.
        Socket = "socket",
    }
}

/// What became of fragments that protocol processing has had.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Taken {
    /// Whether a datagram is whole with the last one and can be read.
    pub is_whole: bool,
    /// Payload that is thrown away: it begins where what was kept so far ends.
    pub discarded_bytes: u64,
}

/// A datagram that can be read, and the room that it takes.
#[derive(Debug, Clone, Copy)]
struct Held {
    number: u64,
    room_bytes: u64,
}

/// Fragments in order of a datagram that is not whole.
#[derive(Debug, Clone, Copy, Default)]
struct Partial {
    datagram: u64,
    fragments: u32,
    bytes: u64,
}

#[derive(Debug, Clone)]
pub struct Datagrams {
    /// The payload of a datagram that needs one packet; and what all but the last of several have, with UDP's header.
    packet_bytes: u64,
    fragment_bytes: u64,
    send_buffer_bytes: u64,
    receive_buffer_bytes: u64,
    /// Datagrams that were written, and what of the last one is not sent.
    written: u64,
    unsent_bytes: u64,
    fragments_sent: u32,
    /// Payload that was sent so far, and that has left the interface.
    sent_bytes: u64,
    left_bytes: u64,
    /// In the send buffer, with the kernel's notes.
    out_bytes: u64,
    partial: Partial,
    held: VecDeque<Held>,
    in_bytes: u64,
    /// Payload of all datagrams that could be read so far.
    pub kept_bytes: u64,
    /// Datagrams of which a fragment was lost before, as far as others of them may follow.
    broken: BTreeSet<u64>,
    /// Frames that wait for protocol processing on the host.
    pub backlog: u32,
    /// Frames in the ring that its own processor is done with, until the host has them.
    pub handed: usize,
    /// The number of the datagram that was read last.
    pub last_read: u64,
    /// By place.
    pub lost: [u64; Place::ALL.len()],
}

impl Datagrams {
    /// Nothing where messages are no datagrams.
    pub fn new(machine: &Machine, exchange: Exchange) -> Option<Self> {
        if exchange.carrier != Carrier::Udp {
            return None;
        }
        let packet_bytes = u64::from(machine.nic.mtu_bytes - IP_BYTES);
        Some(Self {
            packet_bytes: packet_bytes - u64::from(UDP_BYTES),
            fragment_bytes: packet_bytes / FRAGMENT_UNIT_BYTES * FRAGMENT_UNIT_BYTES,
            send_buffer_bytes: machine.sockets.send_bytes,
            receive_buffer_bytes: machine.sockets.receive_bytes,
            written: 0,
            unsent_bytes: 0,
            fragments_sent: 0,
            sent_bytes: 0,
            left_bytes: 0,
            out_bytes: 0,
            partial: Partial::default(),
            held: VecDeque::new(),
            in_bytes: 0,
            kept_bytes: 0,
            broken: BTreeSet::new(),
            backlog: 0,
            handed: 0,
            last_read: 0,
            lost: [0; Place::ALL.len()],
        })
    }

    /// How much of a datagram the writer may copy now: all of it, as long as the buffer is not full (Linux:
    /// sock_alloc_send_pskb).
    pub fn writable(&self, bytes: u64) -> u64 {
        match self.out_bytes < self.send_buffer_bytes {
            true => bytes,
            false => 0,
        }
    }

    /// Whether a writer that waits is woken: half of the buffer must be free (Linux: sock_def_write_space).
    pub fn wakes_writer(&self) -> bool {
        2 * self.out_bytes <= self.send_buffer_bytes
    }

    pub fn write(&mut self, bytes: u64) {
        self.written += 1;
        self.unsent_bytes = bytes;
        self.fragments_sent = 0;
    }

    /// Takes out the next fragment of what was written: its payload, its header, and whether it is the last.
    pub fn next_fragment(&mut self) -> Option<(u32, Header, bool)> {
        if self.unsent_bytes == 0 {
            return None;
        }
        let header_bytes = match self.fragments_sent {
            0 => u64::from(UDP_BYTES),
            _ => 0,
        };
        let is_last = self.unsent_bytes + header_bytes <= self.packet_bytes + u64::from(UDP_BYTES);
        let bytes = match is_last {
            true => self.unsent_bytes,
            false => self.fragment_bytes - header_bytes,
        };
        let header = Header::Udp {
            datagram: self.written - 1,
            fragment: self.fragments_sent,
        };
        self.fragments_sent += 1;
        self.unsent_bytes -= bytes;
        self.sent_bytes += bytes;
        self.out_bytes += bytes + NOTES_BYTES;
        Some((bytes as u32, header, is_last))
    }

    pub fn sent_bytes(&self) -> u64 {
        self.sent_bytes
    }

    pub fn left_bytes(&self) -> u64 {
        self.left_bytes
    }

    /// A frame has left the interface, which needs its memory no more.
    pub fn leave(&mut self, payload_bytes: u32) {
        let bytes = u64::from(payload_bytes);
        self.left_bytes += bytes;
        self.out_bytes -= bytes + NOTES_BYTES;
    }

    /// A fragment found no room; a datagram is lost with the first of them.
    pub fn lose(&mut self, datagram: u64, place: Place) {
        let is_new = self.broken.insert(datagram);
        self.lost[place as usize] += u64::from(is_new);
    }

    /// Takes in a fragment; they come in order, and datagrams too. A datagram finds room as long as what is there does
    /// not exceed the buffer, however long it is itself (Linux: __udp_enqueue_schedule_skb).
    pub fn take(&mut self, frame: Frame) -> Taken {
        let Header::Udp { datagram, fragment } = frame.header else {
            return Taken::default();
        };
        self.broken.retain(|one| *one >= datagram);
        let mut part = std::mem::take(&mut self.partial);
        let mut taken = Taken::default();
        if part.datagram != datagram {
            taken.discarded_bytes += part.bytes;
            part = Partial {
                datagram,
                ..Partial::default()
            };
        }
        let is_next = part.fragments == fragment;
        part.fragments += 1;
        part.bytes += u64::from(frame.payload_bytes);
        match (is_next, frame.is_last) {
            (false, _) => taken.discarded_bytes += part.bytes,
            (true, false) => self.partial = part,
            (true, true) if self.in_bytes > self.receive_buffer_bytes => {
                self.lose(datagram, Place::Socket);
                taken.discarded_bytes += part.bytes;
            }
            (true, true) => {
                self.keep(part);
                taken.is_whole = true;
            }
        }
        taken
    }

    fn keep(&mut self, part: Partial) {
        let room_bytes = part.bytes + NOTES_BYTES * u64::from(part.fragments);
        self.kept_bytes += part.bytes;
        self.in_bytes += room_bytes;
        self.held.push_back(Held {
            number: part.datagram,
            room_bytes,
        });
    }

    /// How much of `bytes` the reader may copy now: a datagram, or nothing.
    pub fn available(&self, bytes: u64) -> u64 {
        match self.held.is_empty() {
            true => 0,
            false => bytes,
        }
    }

    /// The first datagram was copied.
    pub fn consume(&mut self) {
        if let Some(held) = self.held.pop_front() {
            self.in_bytes -= held.room_bytes;
            self.last_read = held.number;
        }
    }
}
