//! Which transports this node's kernel has: found out by trying, before anything is measured.

use std::collections::BTreeMap;
use std::io;
use std::net::{Ipv4Addr, TcpStream};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener};

use socket2::{Domain, Protocol, Socket, Type};

use crate::transport::icmp::IcmpSocket;
use crate::transport::mptcp;
use crate::transport::rings::Rings;
use crate::transport::tcp;
use crate::transport::uring::new_ring;
use crate::transport::zerocopy;

/// Each transport that not every kernel has, with the reason where this one does not have it.
pub fn transports() -> BTreeMap<&'static str, Option<String>> {
    let pings = "a ping socket (net.ipv4.ping_group_range) and a raw one (CAP_NET_RAW)";
    let rings = "io_uring (is kernel.io_uring_disabled 0?)";
    let multipath = "an MPTCP socket (is net.mptcp.enabled 1?)";
    let polling = "SO_BUSY_POLL, which needs CAP_NET_ADMIN";
    [
        (
            "tcp-busy-poll",
            polling,
            tcp_socket().and_then(|one| tcp::busy_poll(&(&one).into(), None)),
        ),
        (
            "tcp-zerocopy",
            "SO_ZEROCOPY",
            tcp_socket().and_then(|one| zerocopy::enable(&one)),
        ),
        ("tcp-uring", rings, new_ring().map(drop)),
        (
            "mptcp",
            multipath,
            mptcp::new_socket(Domain::IPV4).map(drop),
        ),
        ("unix", "a Unix socket", unix_socket().map(drop)),
        (
            "shm",
            "shared memory (memfd_create)",
            Rings::create().map(drop),
        ),
        (
            "icmp",
            pings,
            IcmpSocket::open(Ipv4Addr::LOCALHOST.into()).map(drop),
        ),
    ]
    .into_iter()
    .map(|(name, what, tried)| (name, tried.err().map(|error| refused(what, &error))))
    .collect()
}

fn tcp_socket() -> io::Result<TcpStream> {
    Ok(Socket::new(Domain::IPV4, Type::STREAM, Some(Protocol::TCP))?.into())
}

fn unix_socket() -> io::Result<UnixListener> {
    let name = format!("weft-{}", std::process::id());
    UnixListener::bind_addr(&SocketAddr::from_abstract_name(name)?)
}

fn refused(what: &str, error: &io::Error) -> String {
    format!("the kernel refuses {what}: {error}")
}
