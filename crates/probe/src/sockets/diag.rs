//! The kernel's tables of TCP and UDP sockets (sock_diag(7)), of this network namespace.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::os::fd::OwnedFd;

use rustix::net::{
    AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, netlink, recv, send, socket_with,
};
use serde::Serialize;

const BY_FAMILY: u16 = 20;
const REQUEST_DUMP: u16 = 0x301;
const DONE: u16 = 3;
const ERROR: u16 = 2;
const HEADER: usize = 16;
/// struct inet_diag_req_v2, and inet_diag_msg, of linux/inet_diag.h.
const QUESTION: usize = 56;
const ANSWER: usize = 72;
const TCP_LISTEN: u8 = 10;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Protocol {
    Tcp,
    Udp,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    Listens,
    Other,
}

/// A socket that has a port.
#[derive(Debug)]
pub struct Socket {
    pub protocol: Protocol,
    pub state: State,
    pub local: SocketAddr,
    /// Port 0 where there is no peer.
    pub remote: SocketAddr,
    /// 0 of a connection that no process has (any more, or yet).
    pub inode: u32,
}

pub struct Tables {
    socket: OwnedFd,
    buffer: Vec<u8>,
}

impl Tables {
    pub fn open() -> io::Result<Tables> {
        let socket = socket_with(
            AddressFamily::NETLINK,
            SocketType::RAW,
            SocketFlags::CLOEXEC,
            Some(netlink::SOCK_DIAG),
        )?;
        Ok(Tables {
            socket,
            buffer: vec![0; 64 << 10],
        })
    }

    /// All sockets with a port, also those that wait for their end.
    pub fn read(&mut self) -> io::Result<Vec<Socket>> {
        let mut found = Vec::new();
        for protocol in [Protocol::Tcp, Protocol::Udp] {
            for family in [libc::AF_INET, libc::AF_INET6] {
                self.dump(family as u8, protocol, &mut found)?;
            }
        }
        Ok(found)
    }

    fn dump(&mut self, family: u8, protocol: Protocol, found: &mut Vec<Socket>) -> io::Result<()> {
        send(
            &self.socket,
            &question(family, protocol),
            SendFlags::empty(),
        )?;
        loop {
            let (_, length) = recv(&self.socket, &mut self.buffer[..], RecvFlags::empty())?;
            let mut rest = &self.buffer[..length];
            while rest.len() >= HEADER {
                let size = u32::from_ne_bytes(array(rest, 0)) as usize;
                match u16::from_ne_bytes(array(rest, 4)) {
                    DONE => return Ok(()),
                    ERROR => return refusal(rest),
                    _ => found.extend(socket(&rest[HEADER..size.min(rest.len())], protocol)),
                }
                rest = &rest[size.next_multiple_of(4).clamp(HEADER, rest.len())..];
            }
        }
    }
}

fn question(family: u8, protocol: Protocol) -> Vec<u8> {
    let number = match protocol {
        Protocol::Tcp => libc::IPPROTO_TCP,
        Protocol::Udp => libc::IPPROTO_UDP,
    };
    let mut message = vec![0; HEADER + QUESTION];
    message[..4].copy_from_slice(&((HEADER + QUESTION) as u32).to_ne_bytes());
    message[4..6].copy_from_slice(&BY_FAMILY.to_ne_bytes());
    message[6..8].copy_from_slice(&REQUEST_DUMP.to_ne_bytes());
    message[HEADER] = family;
    message[HEADER + 1] = number as u8;
    message[HEADER + 4..HEADER + 8].fill(0xff);
    message
}

/// A kernel without a table for the protocol has none of its sockets.
fn refusal(message: &[u8]) -> io::Result<()> {
    match -i32::from_ne_bytes(array(message, HEADER)) {
        0 | libc::ENOENT => Ok(()),
        error => Err(io::Error::from_raw_os_error(error)),
    }
}

fn socket(message: &[u8], protocol: Protocol) -> Option<Socket> {
    if message.len() < ANSWER {
        return None;
    }
    let is_six = i32::from(message[0]) == libc::AF_INET6;
    let place = |port: usize, ip: usize| {
        let ip = if is_six {
            IpAddr::from(Ipv6Addr::from(array::<16>(message, ip))).to_canonical()
        } else {
            IpAddr::from(Ipv4Addr::from(array::<4>(message, ip)))
        };
        SocketAddr::new(ip, u16::from_be_bytes(array(message, port)))
    };
    let state = match message[1] {
        TCP_LISTEN => State::Listens,
        _ => State::Other,
    };
    let one = Socket {
        protocol,
        state,
        local: place(4, 8),
        remote: place(6, 24),
        inode: u32::from_ne_bytes(array(message, 68)),
    };
    (one.local.port() != 0).then_some(one)
}

fn array<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    bytes[at..at + N].try_into().expect("so many bytes")
}
