//! ICMP echo: round trips that the peer's kernel answers, as `ping` makes them.
//!
//! A message of n bytes is an echo request with n bytes of data, as `ping -s n` counts. Where the system lets this
//! user have ping sockets (net.ipv4.ping_group_range) one is used, else a raw socket, which needs CAP_NET_RAW.

use std::io::{self, Read};
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use rustix::rand::{GetRandomFlags, getrandom};
use socket2::{Domain, Protocol, Socket, Type};

use crate::system::clock::now_ns;
use crate::transport::batches::{Batches, Outcome};
use crate::transport::order::Order;
use crate::transport::round_trips::{Trip, Trips};
use crate::wire::setup::Setup;

const HEADER_BYTES: usize = 8;
/// The longest header of IPv4, which a raw socket gives with each packet.
const MOST_IP_HEADER_BYTES: usize = 60;

/// What differs between ICMP (RFC 792) and ICMPv6 (RFC 4443).
#[derive(Clone, Copy)]
struct Version {
    domain: Domain,
    protocol: Protocol,
    request: u8,
    reply: u8,
}

const FOUR: Version = Version {
    domain: Domain::IPV4,
    protocol: Protocol::ICMPV4,
    request: 8,
    reply: 0,
};
const SIX: Version = Version {
    domain: Domain::IPV6,
    protocol: Protocol::ICMPV6,
    request: 128,
    reply: 129,
};

impl Version {
    fn of(peer: IpAddr) -> Version {
        if peer.is_ipv4() { FOUR } else { SIX }
    }
}

/// A socket that echo requests go out of.
pub struct IcmpSocket {
    socket: Socket,
    /// Whether it gives packets of others, too; those of IPv4 with their header.
    is_raw: bool,
    version: Version,
}

impl IcmpSocket {
    /// The sort of socket that the system lets this user have.
    pub fn open(peer: IpAddr) -> io::Result<IcmpSocket> {
        let version = Version::of(peer);
        let with = |kind| Socket::new(version.domain, kind, Some(version.protocol));
        match with(Type::DGRAM) {
            Ok(socket) => Ok(IcmpSocket {
                socket,
                is_raw: false,
                version,
            }),
            Err(refused) => match with(Type::RAW) {
                Ok(socket) => Ok(IcmpSocket {
                    socket,
                    is_raw: true,
                    version,
                }),
                Err(_) => Err(refused),
            },
        }
    }
}

/// Echo requests to one peer.
pub struct IcmpBatches {
    trips: Trips,
    path: Path,
}

impl IcmpBatches {
    pub fn new(setup: &Setup, peer: SocketAddr, largest_bytes: u64) -> io::Result<IcmpBatches> {
        if peer.is_ipv6() {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                "icmp is for IPv4 addresses",
            ));
        }
        Ok(IcmpBatches {
            trips: Trips::new(setup.patience()),
            path: Path::open(setup.address, peer.ip(), largest_bytes as usize)?,
        })
    }

    /// "ping" or "raw".
    pub fn socket_kind(&self) -> &'static str {
        if self.path.is_raw { "raw" } else { "ping" }
    }
}

impl Batches for IcmpBatches {
    fn batch(&mut self, order: Order) -> io::Result<Outcome> {
        self.trips.run(&mut self.path, order)
    }

    fn end(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A socket of one peer.
pub struct Path {
    socket: Socket,
    is_raw: bool,
    version: Version,
    identifier: u16,
    request: Vec<u8>,
    reply: Vec<u8>,
    within_ns: u64,
}

impl Path {
    /// For messages of at most so many bytes.
    pub fn open(from: IpAddr, to: IpAddr, largest_bytes: usize) -> io::Result<Path> {
        let IcmpSocket {
            socket,
            is_raw,
            version,
        } = IcmpSocket::open(to)?;
        socket.bind(&SocketAddr::from((from, 0)).into())?;
        socket.connect(&SocketAddr::from((to, 0)).into())?;
        Ok(Path {
            socket,
            is_raw,
            version,
            identifier: identifier(),
            request: vec![0x5a; HEADER_BYTES + largest_bytes],
            reply: vec![0; MOST_IP_HEADER_BYTES + HEADER_BYTES + largest_bytes],
            within_ns: 0,
        })
    }

    /// Write the header of an echo request of the first `length` bytes.
    fn prepare(&mut self, length: usize, mark: u16) {
        let request = &mut self.request[..length];
        request[..4].copy_from_slice(&[self.version.request, 0, 0, 0]);
        request[4..6].copy_from_slice(&self.identifier.to_be_bytes());
        request[6..8].copy_from_slice(&mark.to_be_bytes());
        // The kernel writes the sum of a ping socket's packets itself, and always that of ICMPv6 (RFC 3542, section 3.1).
        if self.is_raw && self.version.domain == Domain::IPV4 {
            let sum = checksum(request);
            request[2..4].copy_from_slice(&sum.to_be_bytes());
        }
    }

    /// The next packet, or `None` when there was none in time.
    fn hear(&mut self) -> io::Result<Option<usize>> {
        match (&self.socket).read(&mut self.reply) {
            Ok(length) => Ok(Some(length)),
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted
                ) =>
            {
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// The mark of a reply to one of our requests of so many bytes; `None` for everything else.
    fn mark_of(&self, packet: &[u8], length: usize) -> Option<u16> {
        let start = if self.is_raw && self.version.domain == Domain::IPV4 {
            usize::from(packet.first()? & 0x0f) * 4
        } else {
            0
        };
        let message = packet
            .get(start..)
            .filter(|message| message.len() == length)?;
        let identifier = u16::from_be_bytes([message[4], message[5]]);
        let is_ours =
            message[0] == self.version.reply && (!self.is_raw || identifier == self.identifier);
        is_ours.then(|| u16::from_be_bytes([message[6], message[7]]))
    }
}

impl Trip for Path {
    fn path(&self) -> String {
        let peer = self.socket.peer_addr().ok();
        let peer = peer.and_then(|peer| peer.as_socket());
        peer.map_or_else(
            || "ICMP echo".to_owned(),
            |peer| format!("ICMP echo of {}", peer.ip()),
        )
    }

    fn set_patience(&mut self, within: Duration) -> io::Result<()> {
        self.within_ns = within.as_nanos() as u64;
        self.socket.set_read_timeout(Some(within))
    }

    fn go(&mut self, size_bytes: usize, mark: u16, others: &mut u32) -> io::Result<bool> {
        let length = HEADER_BYTES + size_bytes;
        self.prepare(length, mark);
        let sent_ns = now_ns();
        self.socket.send(&self.request[..length])?;
        loop {
            let Some(arrived) = self.hear()? else {
                return Ok(false);
            };
            match self.mark_of(&self.reply[..arrived], length) {
                Some(found) if found == mark => return Ok(true),
                // What is not for us must not keep us waiting for ever: a raw socket receives other pings' replies, too.
                _ if now_ns() - sent_ns > self.within_ns => return Ok(false),
                Some(_) => *others += 1,
                None => {}
            }
        }
    }
}

/// Tells the requests of a raw socket from those of others.
fn identifier() -> u16 {
    let mut bytes = [0; 2];
    // So few bytes are never cut short.
    let _ = getrandom(&mut bytes, GetRandomFlags::empty());
    u16::from_ne_bytes(bytes)
}

/// The Internet checksum (RFC 1071).
fn checksum(bytes: &[u8]) -> u16 {
    let mut pairs = bytes.chunks_exact(2);
    let mut sum: u64 = pairs
        .by_ref()
        .map(|pair| u64::from(u16::from_be_bytes([pair[0], pair[1]])))
        .sum();
    if let [last] = pairs.remainder() {
        sum += u64::from(*last) << 8;
    }
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    !(sum as u16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sum_is_that_of_rfc_1071() {
        // The example of its section 3.
        assert_eq!(
            checksum(&[0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7]),
            !0xddf2
        );
        assert_eq!(checksum(&[0xff]), !0xff00);
    }
}
